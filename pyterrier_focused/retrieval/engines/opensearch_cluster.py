"""A connection to an OpenSearch cluster: credentials, retries, and sending parts to an index."""

from __future__ import annotations

import json
import os
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import numpy as np

from ...collection.batches import cut_into_batches
from ...collection.files.storage import hide_credentials
from ...errors import CollectionError, import_extra
from ...reading.json import JsonObject, Row
from .base import Hits
from .opensearch_errors import Failure, find_failures

DEFAULT_URL = "http://localhost:9200"
_BATCH_PARTS = 1_000
_BATCH_BYTES = 4_000_000
_NUMBER_BYTES = 20
_SENDERS = 3
_SEARCHES_AT_ONCE = 50
# the values by which hits are sorted tell what they are, so that no stored field is read
_ANSWER = {"sort": [{"_score": "desc"}, {"docno": "asc"}], "stored_fields": "_none_", "track_total_hits": False}
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
        """Read an address. Raises ValueError if it is malformed, naming where it was given without secrets."""
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
    """How to reach a cluster; it is passed to other processes, but written nowhere, since it holds credentials.

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
        opensearch = import_extra("opensearchpy", "opensearch")
        return Cluster(self.hosts, opensearch.OpenSearch(list(self.hosts), **self.settings))


@dataclass(frozen=True)
class Cluster:
    """Where a cluster is (addresses without user names and passwords), and the client that talks to it."""

    hosts: tuple[str, ...]
    client: Any = field(repr=False, compare=False)

    def ask(self, request: Callable[..., Any], what: str, **keywords: Any) -> Any:
        """Make a request, and repeat it while nodes are busy or gone, or have done only a part."""
        exceptions = import_extra("opensearchpy.exceptions", "opensearch")
        for wait in (*_WAITS, None):
            try:
                answer = request(**keywords)
            except exceptions.SerializationError as error:
                raise self._explain_answer(what, error.args[0] if error.args else "") from error
            except exceptions.TransportError as error:
                info = error.info
                told = info.get("error", info) if isinstance(info, dict) else error.error
                failures = [Failure(error.status_code, told)]
            else:
                if not isinstance(answer, (dict, bool)):
                    raise self._explain_answer(what, answer)
                failures = find_failures(answer)
                if not failures:
                    return answer
            for failure in failures:
                if not failure.may_do_later:
                    raise CollectionError(f"{self}: {what}: {failure.reason}")
            if wait is not None:
                time.sleep(wait)
        raise CollectionError(f"{self}: {what}: no answer after {len(_WAITS) + 1} tries: {failures[0].reason}")

    def _explain_answer(self, what: str, answer: object) -> CollectionError:
        shown = " ".join(str(answer).split())
        return CollectionError(
            f"{self}: {what}: this is not what OpenSearch answers, perhaps of a proxy or a login page: {shown[:120]!r}"
        )

    def wait_for(self, index: str) -> None:
        """Wait until every shard of an index can be read, a new one or one whose nodes were lost."""
        params = {"wait_for_status": "yellow", "timeout": "60s"}
        what = f"waiting for the index {index!r}"
        self.ask(self.client.cluster.health, what, index=index, params=params, request_timeout=90)

    def find_meta(self, index: str) -> JsonObject | None:
        """Return the metadata of an index, None if there is no such index."""
        if not self.ask(self.client.indices.exists, f"looking for the index {index!r}", index=index):
            return None
        answer = self.ask(self.client.indices.get_mapping, f"reading the index {index!r}", index=index)
        return dict(answer[index]["mappings"].get("_meta", {}))

    def search_many(self, index: str, searches: Sequence[Row], threads: int | None = None) -> Hits:
        """Run searches, each with its query and size, by the statistics of the whole index."""
        header = {"search_type": "dfs_query_then_fetch", "allow_partial_search_results": False}
        params: dict[str, Any] = {"filter_path": "responses.status,responses.error,responses.hits.hits.sort"}
        if threads is not None:
            params["max_concurrent_searches"] = threads
        number: list[int] = []
        docno: list[str] = []
        score: list[float] = []
        for first in range(0, len(searches), _SEARCHES_AT_ONCE):
            some = searches[first : first + _SEARCHES_AT_ONCE]
            body = [line for search in some for line in (header, {**_ANSWER, **search})]
            what = f"searching the index {index!r}"
            responses = self.ask(self.client.msearch, what, body=body, index=index, params=params)["responses"]
            for position, response in enumerate(responses, start=first):
                for hit in response.get("hits", {}).get("hits", []):
                    number.append(position)
                    score.append(hit["sort"][0])
                    docno.append(hit["sort"][1])
        return Hits(np.array(number, np.int64), np.array(docno, dtype=object), np.array(score, np.float64))

    def send(self, index: str, parts: Iterable[Part]) -> None:
        """Send parts to an index, reading only a few batches ahead of the cluster.

        A part that the index has already with the same terms, from a build that stopped or a try whose answer was lost,
        stays as it is; one that it has with others is replaced.
        """
        waiting: deque[Future[None]] = deque()
        with ThreadPoolExecutor(_SENDERS) as pool:
            try:
                for batch in cut_into_batches(parts, _BATCH_PARTS, _measure_part, _BATCH_BYTES):
                    while len(waiting) > _SENDERS:
                        waiting.popleft().result()
                    waiting.append(pool.submit(self._send_batch, index, batch))
                while waiting:
                    waiting.popleft().result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _send_batch(self, index: str, batch: list[Part]) -> None:
        body = "".join(map(_write_lines, batch))
        params = {"filter_path": "took,items.*.status,items.*.error"}
        self.ask(self.client.bulk, f"sending parts to the index {index!r}", body=body, index=index, params=params)

    def __str__(self) -> str:
        return f"OpenSearch at {', '.join(self.hosts)}"


@dataclass(frozen=True)
class Part:
    """A part as it goes into the index: its docno, its terms with spaces between, its vector if there is one."""

    docno: str
    terms: str
    vector: tuple[float, ...] = ()


def _write_lines(part: Part) -> str:
    """Write a part as two lines of a bulk request; terms are letters and digits of ASCII."""
    docno = json.dumps(part.docno)
    vector = f',"vector":{json.dumps(part.vector)}' if part.vector else ""
    document = f'{{"docno":{docno},"terms":"{part.terms}"{vector}}}'
    return f'{{"update":{{"_id":{docno}}}}}\n{{"doc":{document},"doc_as_upsert":true}}\n'


def _measure_part(part: Part) -> int:
    return len(part.terms) + _NUMBER_BYTES * len(part.vector)
