"""The options that name a corpus and the evidence in it, which several commands share."""

from __future__ import annotations

import argparse


def add_evidence_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--corpus",
        required=True,
        metavar="DIR",
        help="documents: a folder of text files, a text file, or a file of JSON lines",
    )
    parser.add_argument(
        "--evidence",
        required=True,
        metavar="FILE",
        help="questions with the passages that answer them, as spans or quotes (CSV, JSON, ...)",
    )
    parser.add_argument(
        "--skip", action="store_true", help="leave out evidence that is not found in the corpus, with a warning"
    )
