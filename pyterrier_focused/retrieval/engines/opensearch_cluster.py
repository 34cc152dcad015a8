"""A connection to an OpenSearch cluster: who asks, what is tried again, and parts on their way into an index."""

from __future__ import annotations

import json
import os
import re
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar
from urllib.parse import unquote

import numpy as np

from ...collection.batches import cut_into_batches
from ...collection.files.storage import hide_credentials
from ...errors import CollectionError, import_extra
from ...io.reading.json import JsonObject, Row
from .base import Hits
from .opensearch_errors import explain, list_failures, may_do_later, read_reason

Result = TypeVar("Result")
DEFAULT_URL = "http://localhost:9200"
_BATCH_PARTS = 1_000
_BATCH_BYTES = 4_000_000
_NUMBER_BYTES = 20
_SENDERS = 3
_SEARCHES_AT_ONCE = 50
# the values by which hits are sorted tell what they are, so that no stored field is read
_ANSWER = {"sort": [{"_score": "desc"}, {"docno": "asc"}], "stored_fields": "_none_", "track_total_hits": False}
_EXISTS = "version_conflict_engine_exception"
_ADDRESS = re.compile(
    r"""
    (?P<scheme> https? ) ://
    (?: (?P<credentials> [^/?\#@\s]* ) @ )?
    (?P<place> (?P<host> [\w.-]+ | \[ [0-9A-Fa-f:.]+ \] ) (?: : (?P<port> [0-9]{1,5} ) )? (?: / [^?\#@\s]* )? )
    """,
    re.VERBOSE | re.ASCII,
)
# what of a malformed address cannot be a secret
_SHOWN = re.compile(r"[\w+.-]+://[\w.-]*", re.ASCII)
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1", re.ASCII)
# seconds between tries; a cluster that has lost a node needs a while to promote its replicas
_WAITS = (0.2, 0.5, 1, 2, 4, 8, 16, 30, 30)


@dataclass(frozen=True)
class Address:
    """The address of a cluster; *user* and *password* are empty if it names none."""

    url: str
    host: str
    port: int
    user: str = field(repr=False)
    password: str = field(repr=False)

    @classmethod
    def read(cls, address: object, named_by: str) -> Address:
        """Read an address. Raises ValueError for what is none, which names where it was given and shows no secret."""
        text = address if isinstance(address, str) else ""
        match = _ADDRESS.fullmatch(text)
        if match is None:
            shown = f"{named_by}={hide_credentials(text)!r}" if _SHOWN.fullmatch(hide_credentials(text)) else named_by
            raise ValueError(
                f"{shown}: an address is written http://HOST:PORT or https://USER:PASSWORD@HOST:PORT, signs such as "
                "# / ? @ of a name or password as %23 %2F %3F %40"
            )
        port = int(match["port"] or (443 if match["scheme"] == "https" else 80))
        user, _, password = (match["credentials"] or "").partition(":")
        url = f"{match['scheme']}://{match['place']}"
        return cls(url, match["host"].strip("[]").lower(), port, unquote(user), unquote(password))

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way reads what is sent: it is encrypted, or stays on this machine."""
        return self.url.startswith("https://") or _LOOPBACK.fullmatch(self.host) is not None


@dataclass(frozen=True)
class Connection:
    """How a cluster is reached; it travels to other processes, and is written nowhere as it holds credentials.

    hosts: addresses without user names and passwords. settings: further arguments of the client.
    """

    hosts: tuple[str, ...]
    settings: Row = field(repr=False)

    @classmethod
    def read(cls, urls: str | Sequence[str] | None, options: JsonObject) -> Connection:
        """Read how a cluster is reached: by addresses that the caller names, never by those that an index names.

        Credentials are taken from the addresses, or from OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD; the file of
        certificates from OPENSEARCH_CA_CERTS. None of them is kept anywhere.

        Args:
            urls: An address, or those of several nodes; None reads OPENSEARCH_URL.

        Raises:
            ValueError: An address is malformed.
            CollectionError: Credentials of the environment would go over plain http to another machine.
        """
        named_by = "url" if urls else "OPENSEARCH_URL"
        given = urls or os.environ.get("OPENSEARCH_URL") or DEFAULT_URL
        addresses = [Address.read(address, named_by) for address in ([given] if isinstance(given, str) else given)]
        settings: dict[str, Any] = {"timeout": 60, "max_retries": 0, "http_compress": False, "pool_maxsize": 16}
        named = [(address.user, address.password) for address in addresses if address.user]
        in_environment = (os.environ.get("OPENSEARCH_USERNAME", ""), os.environ.get("OPENSEARCH_PASSWORD", ""))
        user, password = named[0] if named else in_environment
        if user and "http_auth" not in options:
            exposed = [address.url for address in addresses if not address.is_private]
            if exposed and not (named and urls):
                raise CollectionError(
                    f"{exposed[0]}: the credentials of the environment are not sent over plain http to another "
                    "machine; give an https address"
                )
            settings["http_auth"] = (user, password)
        if os.environ.get("OPENSEARCH_CA_CERTS"):
            settings["ca_certs"] = os.environ["OPENSEARCH_CA_CERTS"]
        return cls(tuple(address.url for address in addresses), {**settings, **options})

    def reaches(self, hosts: Iterable[str]) -> bool:
        """Whether one of these addresses, which an index names, has the host and port of one of this connection."""
        ours, theirs = (
            {(address.host, address.port) for address in (Address.read(url, "hosts") for url in urls)}
            for urls in (self.hosts, hosts)
        )
        return bool(ours & theirs)

    def open(self) -> Cluster:
        """Open a client."""
        opensearch = import_extra("opensearchpy", "opensearch")
        return Cluster(self.hosts, opensearch.OpenSearch(list(self.hosts), **self.settings))


def _read_object(answer: Any) -> Any:
    """Return an answer as it is. Raises TypeError for what is none: empty, a list, a page in HTML."""
    if not isinstance(answer, dict) or not answer:
        raise TypeError(answer)
    return answer


def _read_list(answer: JsonObject, key: str, count: int) -> list[JsonObject]:
    """Return the answers to *count* questions. Raises TypeError if they are fewer or more, or none."""
    answers: list[JsonObject] = answer[key]
    if len(answers) != count or not all(isinstance(each, dict) and each for each in answers):
        raise TypeError(answers)
    return answers


def _read_items(answer: JsonObject, count: int) -> list[JsonObject]:
    """Return what became of *count* parts of a bulk request: {"create": {"status": 201}} is {"status": 201}."""
    results = [result for item in _read_list(answer, "items", count) for result in item.values()]
    return _read_list({"items": results}, "items", count)


@dataclass(frozen=True)
class Cluster:
    """Where a cluster is, and the client that talks to it.

    hosts: addresses without user names and passwords.
    """

    hosts: tuple[str, ...]
    client: Any = field(repr=False, compare=False)

    def ask(
        self, request: Callable[..., object], *arguments: object, what: str,
        read: Callable[[Any], Result] = _read_object, **keywords: object,
    ) -> Result:  # fmt: skip
        """Make a request, and make it again while nodes are busy or gone.

        Args:
            read: Returns what is wanted of the answer; without it, the answer as it is.
        """
        exceptions = import_extra("opensearchpy.exceptions", "opensearch")
        problem = ""
        for wait in (*_WAITS, None):
            try:
                answer = request(*arguments, **keywords)
            except exceptions.ConnectionError as error:
                problem = explain(error)
            except exceptions.SerializationError as error:
                raise self._explain_answer(what, error.args[0] if error.args else "") from error
            except exceptions.TransportError as error:
                problem = explain(error)
                info = error.info.get("error") if isinstance(error.info, dict) else None
                if not may_do_later(error.status_code, info):
                    raise CollectionError(f"{self}: {what}: {problem}") from error
            else:
                failures = list_failures(answer)
                if not failures:
                    try:
                        return read(answer)
                    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
                        raise self._explain_answer(what, answer) from error
                problem = read_reason(failures[0])
                if not may_do_later(None, failures):
                    raise CollectionError(f"{self}: {what}: {problem}")
            if wait is not None:
                time.sleep(wait)
        raise CollectionError(f"{self}: {what}: no answer after {len(_WAITS) + 1} tries: {problem}")

    def _explain_answer(self, what: str, answer: object) -> CollectionError:
        """Return what to tell of an answer that OpenSearch does not give."""
        shown = " ".join(str(answer).split())
        return CollectionError(
            f"{self}: {what}: this is not what OpenSearch answers, perhaps of a proxy or a login page: {shown[:120]!r}"
        )

    def wait_for(self, index: str) -> None:
        """Wait until every shard of an index can be read, a new one or one whose nodes were lost."""
        self.ask(
            self.client.cluster.health,
            index=index,
            params={"wait_for_status": "yellow", "timeout": "60s"},
            request_timeout=90,
            what=f"waiting for the index {index!r}",
        )

    def find_meta(self, index: str) -> JsonObject | None:
        """Return what an index says of itself, None if there is no such index."""
        if not self.ask(self.client.indices.exists, index=index, what=f"looking for the index {index!r}", read=bool):
            return None
        return self.ask(
            self.client.indices.get_mapping,
            index=index,
            what=f"reading the index {index!r}",
            read=lambda answer: dict(answer[index]["mappings"].get("_meta", {})),
        )

    def search_many(self, index: str, searches: Sequence[Row], threads: int | None = None) -> Hits:
        """Run searches, each with its query and size, by the statistics of the whole index.

        A search that a lost or busy node left without a full answer is run again.
        """
        number: list[int] = []
        docno: list[str] = []
        score: list[float] = []
        for first in range(0, len(searches), _SEARCHES_AT_ONCE):
            some = searches[first : first + _SEARCHES_AT_ONCE]
            for position, found in enumerate(self._search_some(index, some, threads), start=first):
                for hit in found:
                    number.append(position)
                    score.append(hit["sort"][0])
                    docno.append(hit["sort"][1])
        return Hits(np.array(number, np.int64), np.array(docno, dtype=object), np.array(score, np.float64))

    def _search_some(self, index: str, searches: Sequence[Row], threads: int | None) -> list[list[JsonObject]]:
        """Run some searches and return the hits of each, with the values by which they are sorted."""
        header = {"search_type": "dfs_query_then_fetch", "allow_partial_search_results": False}
        params: dict[str, Any] = {"filter_path": "responses.status,responses.error,responses.hits.hits.sort"}
        if threads is not None:
            params["max_concurrent_searches"] = threads
        found: dict[int, list[dict[str, Any]]] = {}
        for wait in (*_WAITS, None):
            left = [number for number in range(len(searches)) if number not in found]
            if not left:
                break
            lines = [json.dumps(line) for number in left for line in (header, {**_ANSWER, **searches[number]})]
            body = "".join(f"{line}\n" for line in lines)
            what = f"searching the index {index!r}"
            responses = self.ask(
                self.client.msearch, body=body, index=index, params=params, what=what,
                read=partial(_read_list, key="responses", count=len(left)),
            )  # fmt: skip
            for number, response in zip(left, responses, strict=True):
                if "error" not in response:
                    found[number] = self._read_hits(what, response)
                elif wait is None or not may_do_later(response.get("status"), response["error"]):
                    raise CollectionError(f"{self}: {what}: {read_reason(response['error'])}")
            if len(found) < len(searches) and wait is not None:
                time.sleep(wait)
        return [found[number] for number in range(len(searches))]

    def _read_hits(self, what: str, response: JsonObject) -> list[JsonObject]:
        """Return the hits of a search, each with its score and docno; an answer without hits lacks the list."""
        hits = response.get("hits", {}).get("hits", [])
        if not all(isinstance(hit, dict) and len(hit.get("sort", ())) == 2 for hit in hits):
            raise self._explain_answer(what, response)
        return list(hits)

    @property
    def client_error(self) -> type[Exception]:
        """The class of all errors of the client."""
        error: type[Exception] = import_extra("opensearchpy.exceptions", "opensearch").OpenSearchException
        return error

    def __str__(self) -> str:
        return f"OpenSearch at {', '.join(self.hosts)}"


@dataclass(frozen=True)
class Part:
    """A part as it goes into the index: its docno, its terms with spaces between, its vector if there is one."""

    docno: str
    terms: str
    vector: tuple[float, ...] = ()

    @property
    def checksum(self) -> int:
        """A number that changes with the terms."""
        return zlib.crc32(self.terms.encode("ascii"))


class Sender:
    """Sends parts to an index: a few batches on their way at a time, each tried again until it is in.

    A part that is in the index already, sent by a build that stopped or a try that timed out, stays as it is; one that
    is there with other terms is replaced.
    """

    def __init__(self, cluster: Cluster, index: str):
        self._cluster = cluster
        self._index = index

    def send(self, parts: Iterable[Part]) -> None:
        """Send all parts; the iterable is read no further than a few batches ahead of the cluster."""
        waiting: deque[Future[None]] = deque()
        with ThreadPoolExecutor(_SENDERS) as pool:
            try:
                for batch in cut_into_batches(parts, _BATCH_PARTS, _measure_part, _BATCH_BYTES):
                    while len(waiting) > _SENDERS:
                        waiting.popleft().result()
                    waiting.append(pool.submit(self._send_batch, batch))
                while waiting:
                    waiting.popleft().result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _send_batch(self, batch: list[Part]) -> None:
        there = self._send_lines(batch, "create")
        self._send_lines(self._find_changed(there) if there else [], "index")

    def _send_lines(self, batch: list[Part], action: Literal["create", "index"]) -> list[Part]:
        """Send parts until the index has taken each; returns those that it had before, which "index" replaces."""
        left = batch
        there: list[Part] = []
        for wait in (*_WAITS, None):
            if not left:
                return there
            items = self._cluster.ask(
                self._cluster.client.bulk,
                body="".join(_write_lines(part, action) for part in left),
                index=self._index,
                params={"filter_path": "items.*.status,items.*.error"},
                what=f"sending parts to the index {self._index!r}",
                read=partial(_read_items, count=len(left)),
            )
            refused = self._find_refused(left, items)
            left = [part for part, error in refused if error.get("type") != _EXISTS]
            there += [part for part, error in refused if error.get("type") == _EXISTS]
            if left and wait is not None:
                time.sleep(wait)
        if left:
            raise CollectionError(
                f"{self._cluster}: the index {self._index!r} refused {len(left)} parts again and again, the first "
                f"{left[0].docno!r}"
            )
        return there

    def _find_changed(self, batch: list[Part]) -> list[Part]:
        """Return the parts that the index does not have with the same terms."""
        there = self._cluster.ask(
            self._cluster.client.mget,
            body={"ids": [part.docno for part in batch]},
            index=self._index,
            params={"_source_includes": "checksum"},
            what=f"looking for parts in the index {self._index!r}",
            read=lambda answer: {row["_id"]: row["_source"]["checksum"] for row in answer["docs"] if row.get("found")},
        )
        return [part for part in batch if there.get(part.docno) != part.checksum]

    def _find_refused(self, batch: list[Part], items: list[JsonObject]) -> list[tuple[Part, JsonObject]]:
        """Return the parts that a busy cluster did not take or that it has; any other refusal is an error."""
        refused = []
        for part, result in zip(batch, items, strict=True):
            if "error" not in result:
                continue
            error = result["error"]
            if error.get("type") != _EXISTS and not may_do_later(result.get("status"), error):
                raise CollectionError(
                    f"{self._cluster}: the index {self._index!r} refuses {part.docno!r}: {read_reason(error)}"
                )
            refused.append((part, error))
        return refused


def _measure_part(part: Part) -> int:
    return len(part.terms) + _NUMBER_BYTES * len(part.vector)


def _write_lines(part: Part, action: Literal["create", "index"]) -> str:
    """Write a part as two lines of a bulk request; terms are letters and digits of ASCII."""
    docno = json.dumps(part.docno)
    fields = f'"docno":{docno},"checksum":{part.checksum},"terms":"{part.terms}"'
    vector = f',"vector":{json.dumps(part.vector)}' if part.vector else ""
    return f'{{"{action}":{{"_id":{docno}}}}}\n{{{fields}{vector}}}\n'
