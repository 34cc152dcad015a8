"""Requests to the server of the assessing page, as the page makes them."""

import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

STATE = {"highlights": [[0, 5]], "bep": -1, "status": "started", "unsure": False, "note": ""}


def ask(address, action, given, **headers):
    """POST to an address as the page does: (status, answer)."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    with closing(connection):
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        connection.request("POST", parts.path + action, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.startswith((b"{", b"[")) else text


def change(version, id, **state):
    return {"qid": "t1", "docno": "emoji", "version": version, "id": id, "action": "x", "state": {**STATE, **state}}
