"""Building a collection: plan the blocks, make a shard of each, then the index of docnos and the manifest.

A build can be killed at any moment: the same call again keeps the shards that are complete and makes the others. The
manifest is written last, so a folder with a manifest is a whole collection.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CollectionError, import_extra
from .shard import names, read_errors, write_shard
from .sources import Block, blocks

VERSION = 1
MANIFEST, PLAN, INDEX, ERRORS = "pt_meta.json", "build.json", "docnos.arrow", "errors.jsonl"


def build(
    source: str | Path,
    path: str | Path,
    *,
    format: str = "auto",
    workers: int = 1,
    engine: str = "local",
    verbose: bool = True,
    **options: Any,
) -> dict[str, Any]:
    """Build, or go on building, the collection at *path* from *source*; returns the manifest."""
    import_extra("pyarrow", "retrieval")
    if engine not in ("local", "ray"):
        raise ValueError(f"engine={engine!r}; choose 'local' or 'ray'")
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers={workers!r}; give a whole number of at least 1")
    folder = Path(path)
    format, work = blocks(source, format)
    if format == "mediawiki":
        import_extra("mwparserfromhell", "retrieval")
    plan = _plan(work, format, options)
    if (folder / MANIFEST).exists():
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if manifest.get("plan") == plan["fingerprint"]:
            return manifest
        raise CollectionError(
            f"{folder} holds a collection of another source or of other options; open it with "
            f"Collection({str(folder)!r}), or build into another folder"
        )
    _begin(folder, plan)
    done = {number for number in range(len(work)) if (folder / names(number)[3]).exists()}
    if done and verbose:
        print(f"{folder}: {len(done)} of {len(work)} blocks are there already; going on with the others")
    todo = [(number, block) for number, block in enumerate(work) if number not in done]
    _run(todo, folder, format, options, workers, engine, verbose)
    return _finish(folder, work, plan, format)


def _plan(work: list[Block], format: str, options: dict[str, Any]) -> dict[str, Any]:
    """What is to be done, and a fingerprint of it: files with sizes and times of change, cuts, options."""
    files = sorted({Path(block.file, name) for block in work for name in (block.names or ("",))})
    facts = {
        "version": VERSION,
        "format": format,
        "options": {key: options[key] for key in sorted(options)},
        "blocks": [[block.kind, Path(block.file).name, block.start, block.stop, len(block.names)] for block in work],
        "files": [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files],
    }
    text = json.dumps(facts, sort_keys=True)
    return {
        "fingerprint": hashlib.sha256(text.encode()).hexdigest(),
        "options": facts["options"],
        "format": format,
        "blocks": len(work),
        "source": sorted({block.file for block in work})[:10],
    }


def _begin(folder: Path, plan: dict[str, Any]) -> None:
    """Make the folder and write the plan; an unfinished build of another plan is refused."""
    if (folder / PLAN).exists():
        there = json.loads((folder / PLAN).read_text(encoding="utf-8"))
        if there["fingerprint"] != plan["fingerprint"]:
            changed = [key for key in ("options", "format", "source") if there[key] != plan[key]] or [
                "the source's files"
            ]
            raise CollectionError(
                f"{folder} holds an unfinished build that does not fit: changed {', '.join(changed)} (there: "
                f"{there['source']}, {there['format']}, {there['options']}); delete the folder, or repeat the old call"
            )
    elif folder.exists() and any(folder.iterdir()):
        raise CollectionError(f"{folder} is not empty and holds no collection; give a folder that is new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    for part in folder.glob("*.part"):  # of workers that were killed
        part.unlink(missing_ok=True)
    _write(folder / PLAN, json.dumps(plan))


def _run(
    todo: list[tuple[int, Block]],
    folder: Path,
    format: str,
    options: dict[str, Any],
    workers: int,
    engine: str,
    verbose: bool,
) -> None:
    from tqdm import tqdm

    total = sum(block.size for _, block in todo)
    with tqdm(total=total, unit="B", unit_scale=True, desc="building", disable=not verbose) as bar:
        if engine == "ray":
            for _, block in _on_ray(todo, str(folder), format, options):
                bar.update(block.size)
        elif workers == 1 or len(todo) < 2:
            for number, block in todo:
                # the size is of packed input, and what is read is not: the bar moves in proportion
                factor = _packed(block)
                before = bar.n
                write_shard(block, number, str(folder), format, options, _mover(bar, before + block.size, factor))
                bar.update(before + block.size - bar.n)
        else:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(min(workers, len(todo)), mp_context=context) as pool:
                tasks = {
                    pool.submit(write_shard, block, number, str(folder), format, options): block
                    for number, block in todo
                }
                for task in as_completed(tasks):
                    task.result()
                    bar.update(tasks[task].size)


def _mover(bar: Any, limit: int, factor: float) -> Callable[[int], None]:
    def move(read: int) -> None:
        bar.update(min(int(read * factor), max(limit - bar.n, 0)))

    return move


def _packed(block: Block) -> float:
    """Bytes of input for each byte of article, about."""
    return 0.27 if block.file.endswith((".bz2", ".gz", ".tgz")) else 1.0


def _on_ray(
    todo: list[tuple[int, Block]], folder: str, format: str, options: dict[str, Any]
) -> Iterator[tuple[int, Block]]:
    """Run one Ray task a block on the cluster that is there; Ray repeats tasks of workers that are lost."""
    ray = import_extra("ray", "ray")
    if not ray.is_initialized():
        ray.init(address=os.environ.get("RAY_ADDRESS"), log_to_driver=False)
    task = ray.remote(max_retries=5)(write_shard)
    waiting = {task.remote(block, number, folder, format, options): (number, block) for number, block in todo}
    while waiting:
        (ready, *_), _ = ray.wait(list(waiting), num_returns=1)
        ray.get(ready)
        yield waiting.pop(ready)


def _finish(folder: Path, work: list[Block], plan: dict[str, Any], format: str) -> dict[str, Any]:
    """Index the docnos, collect what was rejected, and write the manifest."""
    pa = import_extra("pyarrow", "retrieval")
    counts = [json.loads((folder / names(number)[3]).read_text()) for number in range(len(work))]
    kept, duplicates = _index(pa, folder, len(work))
    rejected = list(read_errors(folder, len(work))) + duplicates
    _write(folder / ERRORS, "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in rejected))
    manifest = {
        "type": "collection",
        "format": "focused",
        "package_hint": "pyterrier-focused",
        "version": VERSION,
        "source_format": format,
        "plan": plan["fingerprint"],
        "options": plan["options"],
        "shards": len(work),
        "articles": kept,
        "elements": sum(count["elements"] for count in counts),
        "rejected": len(rejected),
    }
    for part in folder.glob("*.part"):  # of a worker that died, whose block another one made
        part.unlink(missing_ok=True)
    _write(folder / MANIFEST, json.dumps(manifest, indent=1))
    (folder / PLAN).unlink()
    return manifest


def _index(pa: Any, folder: Path, shards: int) -> tuple[int, list[dict[str, Any]]]:
    """Write the hashes of all docnos, sorted, with where their articles are; later ones of one docno are rejected."""
    docnos: list[str] = []
    place: list[tuple[int, int]] = []
    seen: set[str] = set()
    duplicates = []
    for number in range(shards):
        with pa.memory_map(str(folder / names(number)[0])) as file:
            column = pa.ipc.open_file(file).read_all().column("docno")
            for row, docno in enumerate(column.to_pylist()):
                if docno in seen:
                    reason = "another article of this id came before"
                    duplicates.append({"file": names(number)[0], "position": row, "name": docno, "reason": reason})
                    continue
                seen.add(docno)
                docnos.append(docno)
                place.append((number, row))
    key = hash_docnos(docnos)
    order = np.argsort(key, kind="stable")
    places = np.array(place, dtype=np.int64).reshape(-1, 2)[order]
    table = pa.table({"hash": key[order], "shard": places[:, 0], "row": places[:, 1], "position": order})
    working = folder / f"{INDEX}.{os.getpid()}.part"
    with pa.OSFile(str(working), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    os.replace(working, folder / INDEX)
    return len(docnos), duplicates


def hash_docnos(docnos: Iterable[str]) -> np.ndarray[Any, Any]:
    """A 64-bit number for each docno, the same everywhere."""
    digests = b"".join(hashlib.blake2b(docno.encode(), digest_size=8).digest() for docno in docnos)
    return np.frombuffer(digests, dtype="<i8").astype(np.int64)


def _write(path: Path, text: str) -> None:
    working = path.with_name(f"{path.name}.{os.getpid()}.part")
    working.write_text(text, encoding="utf-8")
    os.replace(working, path)
