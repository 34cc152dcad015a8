"""Make tests/support/good/label_studio_export.json with a real Label Studio (seen with 1.23.2); CI does not run this.

    python -m venv /tmp/label-studio && /tmp/label-studio/bin/pip install label-studio
    label-studio start --no-browser --username anna@example.org --password ... --user-token TOKEN
    LABEL_STUDIO_TOKEN=TOKEN python tests/support/export_label_studio.py http://127.0.0.1:8080

Two assessors annotate three articles with emojis, and one skips an article.
The regions are sent as the labelling page sends them: offsets in code points, and the quote beside them.
"""

import http.cookiejar
import json
import os
import re
import secrets
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

import pandas as pd

from pyterrier_focused.io import write_tasks
from pyterrier_focused.io.label_studio import LABELS

TARGET = Path(__file__).parent / "good" / "label_studio_export.json"
TEXTS = {
    "lamps": "Lamps 💡\n\nOil lamps smoke. Arc lamps do not smoke.\nKeepers trimmed the wick.",
    "buoys": "A buoy floats 🌊 and may carry a lamp.",
    "keepers": "Keepers kept a log 📖, and cleaned the lens.",
}
TOPICS = pd.DataFrame({"qid": ["1"], "query": ["Which lamps smoke?"]})
POOL = pd.DataFrame({"qid": "1", "docno": list(TEXTS)})
# What each assessor marks: (docno, label, quote).
MARKS = {
    "anna@example.org": [
        ("lamps", "Relevant", "Oil lamps smoke."),
        ("lamps", "Relevant", "smoke.\nKeepers trimmed the wick."),
        ("lamps", "BestEntryPoint", "Oil"),
        ("keepers", "Relevant", "cleaned the lens"),
    ],
    "ben@example.org": [
        ("lamps", "Relevant", "💡\n\nOil lamps smoke"),
        ("buoys", "Relevant", "🌊 and may carry a lamp"),
    ],
}
ASSESSORS = list(MARKS)
# Where reading begins in lamps, buoys and keepers (-1: nothing relevant), counted by hand in code points.
ENTRIES = {"anna@example.org": [9, -1, 26], "ben@example.org": [6, 14]}
SKIPPED = [("ben@example.org", "keepers")]


class Client:
    """Asks the API with an assessor's token."""

    def __init__(self, address, token):
        self.address = address
        self.token = token

    def ask(self, method, path, data=None):
        request = urllib.request.Request(self.address + path, method=method)
        request.add_header("Authorization", f"Token {self.token}")
        body = None if data is None else json.dumps(data).encode()
        if body is not None:
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, body) as answer:
            return json.loads(answer.read() or "null")


def sign_up(address, email, invitation):
    """Register a second assessor by the invitation link, as a browser does, and return its session."""
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = address + invitation
    form = opener.open(page).read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)[1]
    data = {"csrfmiddlewaretoken": token, "email": email, "password": secrets.token_hex(12), "allow_newsletters": ""}
    opener.open(urllib.request.Request(page, urllib.parse.urlencode(data).encode(), {"Referer": page})).read()
    return opener


def make_region(text, label, quote):
    start = text.index(quote)
    value = {"start": start, "end": start + len(quote), "text": quote, "labels": [label]}
    return {"from_name": "label", "to_name": "text", "type": "labels", "origin": "manual", "value": value}


def main(address, token):
    anna = Client(address, token)
    project = anna.ask("POST", "/api/projects", {"title": "lamps", "label_config": LABELS, "maximum_annotations": 2})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.json"
        write_tasks(POOL, TOPICS, path, TEXTS)
        anna.ask("POST", f"/api/projects/{project['id']}/import", json.loads(path.read_text(encoding="utf-8")))
    ben = sign_up(address, "ben@example.org", anna.ask("GET", "/api/invite")["invite_url"])
    tasks = anna.ask("GET", f"/api/tasks?project={project['id']}&fields=all")["tasks"]
    ids = {task["data"]["docno"]: task["id"] for task in tasks}
    for email, marks in MARKS.items():
        for docno, text in TEXTS.items():
            regions = [make_region(text, label, quote) for article, label, quote in marks if article == docno]
            data = {"result": regions, "lead_time": 12.5, "was_cancelled": (email, docno) in SKIPPED}
            path = f"/api/tasks/{ids[docno]}/annotations/"
            if email.startswith("anna"):
                anna.ask("POST", path, data)
            else:
                send_in_session(ben, address + path, data)
    exported = anna.ask("GET", f"/api/projects/{project['id']}/export?exportType=JSON&download_all_tasks=true")
    version = anna.ask("GET", "/api/version")["release"]
    TARGET.write_text(json.dumps([hide(task, version) for task in exported], ensure_ascii=False, indent=1) + "\n")


def send_in_session(opener, url, data):
    csrf = next(
        cookie.value
        for handler in opener.handlers
        if isinstance(handler, urllib.request.HTTPCookieProcessor)
        for cookie in handler.cookiejar
        if cookie.name == "csrftoken"
    )
    headers = {"Content-Type": "application/json", "X-CSRFToken": csrf, "Referer": url}
    opener.open(urllib.request.Request(url, json.dumps(data).encode(), headers)).read()


def hide(task, version):
    """Note the version in the task's `meta`; nothing else is changed. The export holds no token and no password."""
    return {**task, "meta": {**task.get("meta", {}), "label_studio": version}}


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), os.environ["LABEL_STUDIO_TOKEN"])
