"""The local server of the assessing page: 127.0.0.1 only, a secret word in the address, every request checked."""

from __future__ import annotations

import json
import logging
import math
import re
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from ..errors import import_extra
from ..io.annotations.judgments import ADJUDICATED
from .page import assessment_page, policy
from .progress import agreement_rows
from .schema import UnusableDatabase
from .store import Conflict, PoolArticle, Store

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from ..reading.json import JsonObject

HOST = "127.0.0.1"
SELF = "'self'"
# The most bytes of a request.
BODY = 4_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def require_server(port: int | None) -> None:
    """Raise an error if the page cannot be served, for want of the extra or of such a port; nothing is written yet."""
    for library in ("uvicorn", "starlette"):
        import_extra(library, "assess")
    if port is not None and not 0 <= port < 2**16:
        raise ValueError(f"port {port}: a port is a number from 1 to 65535, or 0 for a free one")


class Server:
    """Serves one database, and closes it at the end: `run()` until Ctrl-C, `start()` in a thread until `stop()`.

    `addresses` has each assessor's address.
    """

    def __init__(self, store: Store, port: int = 0):
        require_server(port)
        import uvicorn

        self._store = store
        self._socket = _open_socket(port)
        self.port = self._socket.getsockname()[1]
        config = uvicorn.Config(application(store, self.port), log_level="warning", access_log=False, lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None
        self.addresses = {name: f"http://{HOST}:{self.port}/{token}/" for token, name in store.assessors().items()}

    def run(self) -> None:
        with suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])
        self._store.close()

    def start(self) -> None:
        """Serve in a thread of its own; `stop()` ends it."""
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._socket.close()
        self._store.close()


class Gate:
    """Who is let in: requests to this server's own address, from its own page, with an assessor's secret word."""

    def __init__(self, store: Store, port: int):
        self._store = store
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self._origins = {None, *(f"http://{host}" for host in self._hosts)}

    def check(self, headers: Mapping[str, str], token: str) -> str | tuple[int, str]:
        """Return the assessor's name, or the HTTP status and the message of the refusal."""
        if headers.get("host") not in self._hosts:
            return 421, "this server answers only under its own address"
        if headers.get("origin") not in self._origins:
            return 403, "requests from other sites are refused"
        given = token.encode()
        try:
            assessors = self._store.assessors().items()
        except UnusableDatabase as error:
            return 503, f"the database cannot be used ({error})"
        name = next((name for word, name in assessors if secrets.compare_digest(word.encode(), given)), None)
        return name if name is not None else (403, "this address is not known; see the terminal for yours")


def application(store: Store, port: int) -> Starlette:
    """Return the Starlette application: the page and its actions, for those who know the secret word."""
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route

    html = assessment_page({"mode": "server"}, title="Assess")
    headers = {**_HEADERS, "Content-Security-Policy": f"{policy(SELF)}; frame-ancestors 'none'"}
    gate = Gate(store, port)
    actions = Actions(store)

    def refusal(status: int, message: str) -> Response:
        return JSONResponse({"error": message}, status, headers=_HEADERS)

    async def show(request: Request) -> Response:
        who = await run_in_threadpool(gate.check, request.headers, request.path_params["token"])
        return HTMLResponse(html, headers=headers) if isinstance(who, str) else refusal(*who)

    async def act(request: Request) -> Response:
        who = await run_in_threadpool(gate.check, request.headers, request.path_params["token"])
        if not isinstance(who, str):
            return refusal(*who)
        if not request.headers.get("content-type", "").startswith("application/json"):
            return refusal(415, "requests are JSON")
        body = b""
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY:
                    return refusal(413, f"a request has at most {BODY} bytes")
        except ClientDisconnect:
            logging.getLogger("uvicorn.error").warning("%s: a request was broken off", who)
            return refusal(400, "the request was broken off")
        status, answer = await run_in_threadpool(_answer_request, actions, request.path_params["action"], who, body)
        return Response(answer, status, headers=_HEADERS, media_type="application/json")

    served = Starlette(routes=[Route("/{token}/", show), Route("/{token}/{action}", act, methods=["POST"])])
    served.router.redirect_slashes = False
    return served


def _answer_request(actions: Actions, name: str, assessor: str, body: bytes) -> tuple[int, bytes]:
    """Carry out one action of the page: (HTTP status, JSON)."""
    action = actions.known.get(name)
    if action is None:
        return 404, b'{"error": "no such action"}'
    try:
        given = json.loads(body)
        if not isinstance(given, dict):
            raise ValueError("a request is a JSON object")
        return 200, _write_json(action(assessor, given))
    except Conflict as conflict:
        return 409, _write_json({"version": conflict.version, "state": conflict.state})
    except KeyError as error:
        return 404, _write_json({"error": f"{error} is missing or not known"})
    except PermissionError as error:
        return 403, _write_json({"error": str(error)})
    # locked for long, damaged, or the disk is full
    except UnusableDatabase as error:
        return 503, _write_json({"error": f"the database cannot be used ({error})"})
    # of the request: it holds wrong values, or is nested too deeply
    except (ValueError, TypeError, RecursionError) as error:
        return 400, _write_json({"error": str(error)})


def _write_json(answer: object) -> bytes:
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")


class Actions:
    """The requests of the page, each a function of the assessor's name and the request's JSON."""

    def __init__(self, store: Store):
        self._store = store
        names = ("start", "pool", "article", "save", "visit", "doubled", "compare", "decide")
        self.known: dict[str, Callable[[str, JsonObject], object]] = {name: getattr(self, name) for name in names}

    def start(self, assessor: str, given: JsonObject) -> JsonObject:
        return {"assessor": assessor, "topics": self._store.topics(assessor), "place": self._store.place(assessor),
                "last": self._store.last_finished(assessor), "several": len(self._store.assessors()) > 1}  # fmt: skip

    def pool(self, assessor: str, given: JsonObject) -> list[JsonObject]:
        return self._store.pool(_read_name(given, "qid"), assessor)

    def article(self, assessor: str, given: JsonObject) -> JsonObject:
        qid, docno = self._find_pair(given)
        actions = self._store.actions(qid, docno, assessor)
        version, state = self._store.judgment(qid, docno, assessor)
        offset = self._store.offset(qid, docno, assessor)
        self._store.visit(qid, docno, assessor, 0, offset)
        return {**shown(self._store.article(docno)), "version": version, "state": state, "actions": actions,
                "offset": offset}  # fmt: skip

    def save(self, assessor: str, given: JsonObject) -> JsonObject:
        return {"version": self._save_state(given, assessor, assessor)}

    def _save_state(self, given: JsonObject, assessor: str, made_by: str) -> int:
        return self._store.save(
            *_read_pair(given), assessor, version=_read_number(given, "version"),
            id=_read_name(given, "id"), action=_read_name(given, "action")[:40], state=given.get("state"),
            made_by=made_by,
        )  # fmt: skip

    def _find_pair(self, given: JsonObject) -> tuple[str, str]:
        """Return the topic and article of a request, which are in the pool."""
        pair = _read_pair(given)
        if pair not in self._store:
            raise KeyError(pair[1])
        return pair

    def visit(self, assessor: str, given: JsonObject) -> JsonObject:
        qid, docno = self._find_pair(given)
        seconds = min(max(float(given["seconds"]), 0), 3600)
        if math.isnan(seconds):
            raise ValueError("seconds is a number")
        offset = max(_read_number(given, "offset"), 0)
        self._store.visit(qid, docno, assessor, seconds, min(offset, 2**53))
        return {}

    def doubled(self, assessor: str, given: JsonObject) -> list[JsonObject]:
        return self._store.doubled(_read_name(given, "qid"), assessor)

    def compare(self, assessor: str, given: JsonObject) -> JsonObject:
        """Return an article with all its assessors' judgments, the decision between them, and how far they agree."""
        qid, docno = self._find_pair(given)
        if not self._store.may_compare(qid, docno, assessor):
            raise PermissionError("finish your own judgment of this article first; then you see the others'")
        version, state = self._store.judgment(qid, docno, ADJUDICATED)
        judgments = [
            {"assessor": name, "state": own} for name, own in self._store.judgments(qid, docno) if name != ADJUDICATED
        ]
        return {
            "article": shown(self._store.article(docno)),
            "judgments": judgments,
            "version": version,
            "decidable": self._store.may_decide(qid, docno, assessor),
            "adjudicated": state if version else None,
            "agreement": agreement_rows(self._store.path, qid),
        }

    def decide(self, assessor: str, given: JsonObject) -> JsonObject:
        if not self._store.may_decide(*self._find_pair(given), assessor):
            raise PermissionError(
                "a decision needs two finished judgments that differ, and your own, or an adjudicator named at start"
            )
        return {"version": self._save_state(given, ADJUDICATED, assessor)}


def shown(article: PoolArticle) -> JsonObject:
    """An article as the page takes it; half characters (lone surrogates), which no browser shows, are replaced."""
    text = _SURROGATE.sub("\ufffd", article.text)
    return {"docno": article.docno, "title": article.title, "text": text, "elements": article.elements}


def _read_name(given: JsonObject, key: str) -> str:
    value = given[key]
    if not isinstance(value, str) or not 0 < len(value) <= 1000:
        raise ValueError(f"{key} is a text of 1 to 1000 characters")
    return value


def _read_pair(given: JsonObject) -> tuple[str, str]:
    return _read_name(given, "qid"), _read_name(given, "docno")


def _read_number(given: JsonObject, key: str) -> int:
    value = given[key]
    if type(value) is not int or abs(value) > 2**53:
        raise ValueError(f"{key} is a whole number")
    return value


def _open_socket(port: int) -> socket.socket:
    """Return a socket on this machine's own address; if *port* is taken, on any free one."""
    for wanted in dict.fromkeys((port, 0)):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, wanted))
            # Whoever asks before the server runs waits for it.
            listening.listen()
        except OSError:
            listening.close()
            continue
        return listening
    raise OSError(f"no port of {HOST} is free")
