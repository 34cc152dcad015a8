"""A frame with its columns of spans as lists of tuples, for comparison."""

import pandas as pd

from pyterrier_focused import cells


def plain(frame):
    spans = [column for column in ("passages", "highlights") if column in frame.columns]
    return frame.assign(**{column: pd.Series(cells(frame[column]), frame.index, object) for column in spans})
