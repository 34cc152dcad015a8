"""Files that no command can read, beside good ones, and what a command may do when it is given one."""

from pyterrier_focused.cli import main

GOOD = {
    "qrels": b"1 Q0 a 100 1000 50 50:100\n1 Q0 b 0 500\n",
    "run": b"1 Q0 a 1 1 tag 0 50\n",
    "topics": b"<t><topic id='1'><title>x</title></topic></t>",
    "gold": b"1\t2\t3\t4\ta\n",
    "submission": b'{"questions": [{"id": "q", "snippets": []}]}',
    "results": b'{"question": "q", "results": ["text"]}\n',
    "evidence": b'{"question": "q", "docno": "a.txt", "start": 0, "end": 2}\n',
}
BAD = {
    "empty": b"",
    "blank": b"\n\n \n",
    "nul": b"\0" * 5000,
    "binary": bytes(range(256)) * 20,
    "latin-1": "1 Q0 caf\xe9 1 1 t 0 5\n".encode("latin-1"),
    "utf-16": "1 Q0 a 1 1 t 0 5\n".encode("utf-16"),
    "bom": b"\xef\xbb\xbf1 Q0 a 1 1 tag 0 50\n",
    "text": b"This is a letter.\nIt has no fields.\n",
    "one-line": b"x" * 100000,
    "gzip-cut": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc",
    "bzip2-cut": b"BZh91AY&SYabc",
    "xml-cut": b"<inex-submission><topic topic-id='1'><result>",
    "xml-other": b"<a><b/></a>",
    "xml-deep": b"<a>" * 5000,
    "xml-entities": b"<!DOCTYPE t [<!ENTITY a 'b'>]><inex-submission task='&a;'>&a;<topic topic-id='1'/>&b;",
    "xml-encoding": b"<?xml version='1.0' encoding='none-such'?><t><topic id='1'/></t>",
    "json-deep": b"[" * 100000,
    "json-odd": b'{"data": [{"paragraphs": [{"context": 5, "qas": [null]}]}]}',
    "json-numbers": b'{"question": "q", "docno": "a", "start": 1e999, "end": NaN}\n',
    "numbers": b"1 Q0 a 1 1 t 99999999999999999999 99999999999999999999\n",
    "digits": b"1 Q0 a 1 " + b"9" * 20000 + b" t 0 5\n",
    "trec": b"1 Q0 a 1 2 t\n1 Q0 a#0-" + b"9" * 4400 + b" 1 2 t\n",
    "fields": b"1 " * 5000 + b"\n",
    "paths": b"1 Q0 a 1 1 t /article[1]/x /article\n",
    "csv": b'qid,query\n1,"x\n',
}
NOT_FILES = ("gone", "folder", "loop", "folder/gone", "run/below", "x\0y", "n" * 300)


def fill_folder(folder):
    """Write the files, and what is no file."""
    for name, data in {**GOOD, **BAD}.items():
        (folder / name).write_bytes(data)
    (folder / "corpus").mkdir()
    (folder / "corpus" / "a.txt").write_text("Some words of text.")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")


def outcome(arguments, capsys):
    """Run a command: its exit code and what it printed; any exception but argparse's own end is the test's failure."""
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def find_faults(call, bad, capsys):
    """What is not as a command should end when it is given a bad file."""
    code, out, error = outcome([word.format(bad) for word in call.split()], capsys)
    faults = {
        f"exit code {code}": code not in (0, 1, 2),
        "a traceback": "Traceback" in out + error,
        "nothing is said": code == 2 and not error,
        "an offset of a passage that does not exist": "1099511627776" in out + error,
    }
    return [fault for fault, found in faults.items() if found]
