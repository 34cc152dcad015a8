"""What a cluster's errors mean: whether the same request may do later, and what a reader is told."""

from __future__ import annotations

from collections.abc import Iterator

_FULL_DISK = "index.blocks.read_only_allow_delete"
_BUSY = frozenset({408, 429, 502, 503, 504})
# Errors of nodes that left or are not ready, which come with status 404 or 500 when a request was under way.
_LOST = frozenset(
    f"{name}_exception"
    for name in (
        # a node does not answer another one
        "connect_transport",
        "node_closed",
        "node_disconnected",
        "node_not_connected",
        "node_should_not_connect",
        "receive_timeout_transport",
        "send_request_transport",
        # a node that left took the hits of a search along
        "search_context_missing",
        # a shard is about to be elsewhere
        "already_closed",
        "illegal_index_shard_state",
        "index_shard_closed",
        "index_shard_not_recovering",
        "index_shard_not_started",
        "index_shard_recovering",
        "index_shard_relocated",
        "index_shard_started",
        "no_longer_primary_shard",
        "no_shard_available_action",
        "primary_shard_closed",
        "shard_lock_obtain_failed",
        "shard_not_found",
        "shard_not_in_primary_mode",
        "unavailable_shards",
        # the nodes elect another manager
        "cluster_manager_not_discovered",
        "cluster_manager_throttling",
        "failed_to_commit_cluster_state",
        "master_not_discovered",
        "not_cluster_manager",
        "not_master",
        "process_cluster_event_timeout",
    )
)


def may_do_later(status: object, error: object) -> bool:
    """Tell whether a request that failed may do if it is made again: nodes are busy or gone."""
    if is_blocked(error):
        return False
    return status in _BUSY or any(cause.get("type") in _LOST for cause in walk_causes(error))


def walk_causes(error: object) -> Iterator[dict[str, object]]:
    """Yield an error and all that caused it: the failures of shards, their causes, and the causes of these."""
    if isinstance(error, list):
        for cause in error:
            yield from walk_causes(cause)
    elif isinstance(error, dict):
        yield error
        for key in ("root_cause", "failed_shards", "caused_by", "reason"):
            yield from walk_causes(error.get(key))


def is_blocked(error: object) -> bool:
    """Tell whether an index takes nothing until somebody changes it, which the cluster may call busy.

    A cluster that has no manager or reads its state blocks requests too, for a while.
    """
    return any(
        cause.get("type") == "cluster_block_exception" and "SERVICE_UNAVAILABLE/" not in str(cause.get("reason"))
        for cause in walk_causes(error)
    )


def list_failures(answer: object) -> list[object]:
    """List what failed in an answer that is no error as a whole: shards that did not answer, parts not read."""
    if not isinstance(answer, dict):
        return []
    shards = answer.get("_shards")
    shards = shards if isinstance(shards, dict) else {}
    failures = list(shards.get("failures", ()))
    if shards.get("failed") and not failures:
        failures.append({"type": "no_shard_available_action_exception", "reason": f"{shards['failed']} shards failed"})
    parts = answer.get("docs")
    if isinstance(parts, list):
        failures += [part["error"] for part in parts if isinstance(part, dict) and "error" in part]
    return failures


def explain(error: Exception) -> str:
    """Return what a cluster says of an error, with the remedy if it is known."""
    info = getattr(error, "info", None)
    cause = info.get("error", info) if isinstance(info, dict) else None
    text = read_reason(cause) or str(getattr(error, "error", "") or error).partition("\n")[0][:300]
    if getattr(error, "status_code", None) in (401, 403) and "block" not in text:
        text += "; credentials come from the address or from OPENSEARCH_USERNAME and OPENSEARCH_PASSWORD"
    return text


def read_reason(error: object) -> str:
    """Return the reason in a cluster's answer, its first cause if that is told, and the remedy if it is known."""
    if not isinstance(error, dict):
        return str(error or "")[:300]
    causes = [*walk_causes(error.get("root_cause")), *walk_causes(error)]
    reasons = [reason for cause in causes if isinstance(reason := cause.get("reason"), str) and reason]
    text = (reasons or [str(error.get("type") or "")])[0][:300]
    return f"{text}; free disk space, then set {_FULL_DISK} to null" if is_blocked(error) else text
