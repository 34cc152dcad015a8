"""Building on a real Ray cluster of two local nodes, one of which dies on the way: the same bytes."""

import importlib.util
import threading

import pytest
from dumps import contents, dump

import pyterrier_focused as ptf
from pyterrier_focused.collection.sources import find as sources


@pytest.fixture
def cluster(require, monkeypatch):
    require("ray", importlib.util.find_spec("ray"))
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    other = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    if ray.get_runtime_context().get_node_id() == other.node_id:  # the build itself would go with its node
        other = cluster.add_node(num_cpus=1)
    yield cluster, other
    ray.shutdown()
    cluster.shutdown()


@pytest.mark.long
def test_a_node_dies_and_the_bytes_are_the_same(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "BLOCK_BYTES", 40_000)
    source = tmp_path / "dump.xml"
    source.write_text(dump(range(1, 3001)))
    ptf.Collection.build(source, tmp_path / "local", verbose=False)
    nodes, other = cluster
    killer = threading.Timer(2.0, nodes.remove_node, args=(other,), kwargs={"allow_graceful": False})
    killer.start()
    collection = ptf.Collection.build(source, tmp_path / "ray", engine="ray", verbose=False)
    killer.join()
    assert collection.meta["shards"] > 20
    assert contents(tmp_path / "ray") == contents(tmp_path / "local")
