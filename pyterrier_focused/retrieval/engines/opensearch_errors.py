"""A cluster's errors: whether the same request may succeed later, and the message for users."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...reading.json import JsonObject

_FULL_DISK = "index.blocks.read_only_allow_delete"


@dataclass(frozen=True)
class Failure:
    """The failure of a request, or of a part of it.

    status: of HTTP, None if it is not told, "N/A" if nobody answered. error: what the cluster says of it.
    """

    status: object
    error: Any

    @property
    def may_do_later(self) -> bool:
        """Whether the same request may succeed later: nodes are busy or gone."""
        if self.is_blocked:
            return False
        if self.status == 404:
            # a node that left took a shard or the hits of a search along; what is missing otherwise stays so
            types = [str(cause.get("type")) for cause in walk_causes(self.error)]
            return any("shard" in name or "search_context" in name for name in types)
        return not isinstance(self.status, int) or self.status in (408, 409, 429) or self.status >= 500

    @property
    def is_blocked(self) -> bool:
        """Whether an index takes nothing until somebody changes it, which the cluster may call busy.

        A cluster that has no manager or reads its state blocks requests too, for a while.
        """
        return any(
            cause.get("type") == "cluster_block_exception" and "SERVICE_UNAVAILABLE/" not in str(cause.get("reason"))
            for cause in walk_causes(self.error)
        )

    @property
    def reason(self) -> str:
        """The reason that the cluster tells, its first cause if that is told, and the remedy if it is known."""
        causes = list(walk_causes(self.error))
        reasons = [reason for cause in causes if isinstance(reason := cause.get("reason"), str) and reason]
        types = [str(cause["type"]) for cause in causes if cause.get("type")]
        text = (reasons or types or [str(self.error).partition("\n")[0]])[0][:300]
        if self.is_blocked:
            return f"{text}; free disk space, then set {_FULL_DISK} to null"
        if self.status in (401, 403):
            text += "; credentials come from the address or from OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD"
        return text


def find_failures(answer: Any) -> list[Failure]:
    """List the failures in an answer: of shards, documents, searches, parts that were sent."""
    if not isinstance(answer, dict):
        return []
    shards = answer.get("_shards") or {}
    failures = [Failure(None, shards.get("failures") or "a shard did not answer")] if shards.get("failed") else []
    rows: list[JsonObject] = [*answer.get("docs", ()), *answer.get("responses", ())]
    for item in answer.get("items", ()):
        rows += item.values()
    return failures + [Failure(row.get("status"), row["error"]) for row in rows if "error" in row]


def walk_causes(error: object) -> Iterator[JsonObject]:
    """Yield all that caused an error, the first cause first where it is told, and the error itself."""
    if isinstance(error, list):
        for cause in error:
            yield from walk_causes(cause)
    elif isinstance(error, dict):
        yield from walk_causes(error.get("root_cause"))
        yield error
        for key in ("failed_shards", "caused_by", "reason"):
            yield from walk_causes(error.get(key))
