"""PISA's own work on an index, run as a program of its own: its log lines stay with the output of this process.

    python pisa_process.py EXTENSION index DIRECTORY STEMMER ENCODING SCORER BATCH THREADS [name=value ...] < one
        "docno text" a line
    python pisa_process.py EXTENSION prepare DIRECTORY STEMMER ENCODING SCORER [name=value ...]

It indexes documents, and makes the files of a scoring model; of one that is indexed already with `prepare`. It imports
nothing but PISA's native module, so it starts at once, and a crash of native code ends this process alone.
"""

import importlib.util
import sys


def main(extension: str, task: str, directory: str, stemmer: str, *arguments: str) -> None:
    spec = importlib.util.spec_from_file_location("_pisathon", extension)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{extension} is no Python extension module")
    pisa = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pisa)
    encoding, scorer, *settings = arguments
    if task == "index":
        batch, threads, *settings = settings
        pisa.index("/dev/stdin", directory, stemmer, int(batch), int(threads))
    parameters = {name: float(value) for name, _, value in (setting.partition("=") for setting in settings)}
    pisa.prepare_index(pisa.RetrievalContext(), directory, encoding, scorer, stemmer, **parameters)


if __name__ == "__main__":
    main(*sys.argv[1:])
