"""Values of programs and of measures by topic and name, so that a failed comparison names what differs."""

import ir_measures
import pyterrier as pt
import pytest

from pyterrier_focused import io, parse


def flat(values):
    """{(topic, name): value} of {topic: {name: value}}"""
    return {(topic, name): value for topic, row in values.items() for name, value in row.items()}


def close(ours, theirs, tolerance=1e-9):
    """Hold values to a program's, in its order."""
    assert list(ours) == list(theirs)
    assert list(flat(ours)) == list(flat(theirs))
    assert flat(ours) == pytest.approx(flat(theirs), abs=tolerance)


def measure_files(names, qrels, run, **options):
    """{(topic, name): value} of the measures of these names on the frames that the files become."""
    files = ((io.read_qrels, qrels), (io.read_run, run))
    frames = [pt.model.to_ir_measures(read(file, **options)) for read, file in files]
    measures = {parse(name)[0]: name for name in names}
    found = ir_measures.iter_calc(list(measures), *frames)
    return {(metric.query_id, measures[metric.measure]): metric.value for metric in found}
