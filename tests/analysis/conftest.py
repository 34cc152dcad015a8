"""What the tests of the analysis share."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def per_query():
    """A function that makes results, as pt.Experiment(perquery=True) gives them, of a topics x systems array."""

    def make(values, measure="AgP", names=None):
        values = np.asarray(values, dtype=float)
        names = names or [f"s{i}" for i in range(values.shape[1])]
        rows = [(n, str(t), measure, values[t, i]) for i, n in enumerate(names) for t in range(len(values))]
        return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    return make
