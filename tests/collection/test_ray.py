"""Building on a real Ray cluster of two local nodes, one of which dies on the way: the same content."""

import threading

import pytest
from dumps import contents, dump

import pyterrier_focused as ptf
from pyterrier_focused.collection.sources import find as sources


@pytest.mark.long
def test_a_node_dies_and_the_content_is_the_same(ray_nodes, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "GROUP_BYTES", 40_000)
    source = tmp_path / "dump.xml"
    source.write_text(dump(range(1, 3001)))
    ptf.Collection.build(source, tmp_path / "local", verbose=False)
    nodes, other = ray_nodes
    killer = threading.Timer(2.0, nodes.remove_node, args=(other,), kwargs={"allow_graceful": False})
    killer.start()
    ptf.Collection.build(source, tmp_path / "ray", engine="ray", verbose=False)
    killer.join()
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
