"""INEX's formats of runs and qrels, and how the beginning of a file tells them."""

from ..base import Format, Head
from .assessments import read_inex_assessments
from .fol import FOL_FIELDS, parse_passages, read_fol, write_fol
from .path_run import parse_path_run, read_path_run
from .qrels import QRELS_FIELDS, read_inex_qrels, write_inex_qrels
from .xml_run import parse_submission, read_xml_run
from .xml_run_writer import write_xml_run


def _looks_like_assessments(head: Head) -> bool:
    return head.is_folder or (head.is_xml and b"<inex-submission" not in head.data)


def _looks_like_fol(fields: list[bytes]) -> bool:
    is_path_or_highlight = len(fields) < 7 or fields[6].startswith(b"/") or b":" in fields[6]
    return len(fields) == 8 and not is_path_or_highlight


def _looks_like_path(fields: list[bytes]) -> bool:
    return len(fields) in (7, 8) and fields[6].startswith(b"/")


def _looks_like_qrels(head: Head) -> bool:
    # Lines that have the article in place of `Q0` are of another format.
    return not head.is_table and not head.numbers_differ(1) and head.has_rows(_looks_like_judgment)


def _looks_like_judgment(fields: list[bytes]) -> bool:
    return len(fields) >= 5 and (len(fields) < 7 or b":" in fields[6])


FORMATS = (
    Format(
        name="inex-xml",
        kind="qrels",
        layout="<assessments> of <file>s, or a folder of them",
        looks_like=_looks_like_assessments,
        read=read_inex_assessments,
    ),
    Format(
        name="fol",
        kind="run",
        layout=FOL_FIELDS,
        looks_like=lambda head: head.has_rows(_looks_like_fol),
        read=read_fol,
        write=write_fol,
        parse=parse_passages,
        endings=("", "run", "fol", "txt", "res"),
    ),
    Format(
        name="paths",
        kind="run",
        layout="topic Q0 article rank score tag path [path]",
        looks_like=lambda head: head.has_rows(_looks_like_path),
        read=read_path_run,
        parse=parse_path_run,
    ),
    Format(
        name="inex",
        kind="qrels",
        layout=QRELS_FIELDS,
        looks_like=_looks_like_qrels,
        read=read_inex_qrels,
        write=write_inex_qrels,
        endings=("", "qrels", "txt", "fol"),
    ),
    Format(
        name="inex-xml",
        kind="run",
        layout="<inex-submission> of <topic>s of <result>s",
        looks_like=lambda head: head.is_xml and b"<assessments" not in head.data,
        read=read_xml_run,
        write=write_xml_run,
        parse=parse_submission,
        endings=("xml",),
    ),
)
