"""`pt-focused inex-eval --release 3.1` against what the official program printed, and its rules one by one."""

import contextlib
import io
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import seeds

from pyterrier_focused.cli import main
from pyterrier_focused.commands.official.inex_files import SHIFT, read_official_qrels
from pyterrier_focused.commands.official.inex_report import tolerance_to_irrelevance

OFFICIAL = [
    "run-1-bic.b-c", "run-1-bic.b", "run-1.f-c", "run-1.f", "run-1.i-c", "run-1.i-irr1000-c", "run-1.i", "run-1.r-c",
    "run-1.r", "run-1.t-c", "run-1.t", "run-2.f-c", "run-2.f", "run-2.t-c",
]  # fmt: skip


@pytest.mark.parametrize("name", OFFICIAL)
def test_lines_equal_the_official_program(name, shared_data, monkeypatch, capsys):
    monkeypatch.chdir(shared_data / "inex-2010")
    run, _, task = name.partition(".")
    options = [f"-{task[0]}", "-q", *(["-c"] if task.endswith("-c") else [])]
    options += ["-irr", "1000"] if "irr1000" in task else []
    assert main(["inex-eval", "--release", "3.1", *options, "qrels.txt", f"{run}.txt"]) == 0
    printed = capsys.readouterr().out.replace(f'file="{run}.txt"', 'file="run"')
    assert printed.splitlines() == (shared_data / "inex-2010" / "official" / f"{name}.txt").read_text().splitlines()


SAMPLE = {
    "focused": "-f -q qrels.txt focused.run", "focused_c": "-f -q -c qrels.txt focused.run",
    "thorough_c": "-t -q -c qrels.txt focused.run", "ric": "-r -q qrels.txt ric.run",
    "ric_c_beta1": "-r -q -c -beta 1 qrels.txt ric.run", "t2i": "-i -q qrels.txt ric.run",
    "t2i_c_irr1000": "-i -irr 1000 -q -c qrels.txt ric.run", "bic": "-b -q qrels.txt bic.run",
    "bic_n1000_c": "-b -n 1000 -q -c qrels.txt bic.run", "two_runs": "-f qrels.txt focused.run ric.run",
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLE)
def test_lines_of_the_sample_equal_the_official_program(name, inex_sample, monkeypatch, capsys):
    monkeypatch.chdir(inex_sample)
    assert main(["inex-eval", "--release", "3.1", *SAMPLE[name].split()]) == 0
    assert capsys.readouterr().out == (inex_sample / "release_3.1" / f"{name}.out").read_text()


@pytest.mark.parametrize("option", ["-c", ""])
def test_release_1_has_the_same_values_for_a_divided_topic(option, shared_data, monkeypatch, capsys):
    monkeypatch.chdir(shared_data / "inex-2010")
    assert main(["inex-eval", "-f", *option.split(), "qrels.txt", "run-2.txt"]) == 0
    printed = capsys.readouterr()
    assert "the lines of a topic are not together" in printed.err
    ours = printed.out.splitlines()
    official = (shared_data / "inex-2010" / "official" / f"run-2.f{option}.txt").read_text().splitlines()
    new = ("art_", "char_", "num_rel\t", "rel_size")  # release 1.0 adds these up over all topics of the qrels
    assert [line for line in ours if not line.startswith(("<", *new))] == [
        line for line in official if ("\tall\t" in line or line.startswith("Imp")) and not line.startswith(new)
    ]


QRELS = "1 Q0 a 50 300 0 0:50\n1 Q0 b 30 60 10 10:20 40:10\n2 Q0 a 10 100 0 0:10\n2 Q0 c 0 40\n"


@pytest.fixture
def evaluate(tmp_path, monkeypatch, capsys):
    """Evaluate a run, given as text: (exit code, what was printed)."""
    monkeypatch.chdir(tmp_path)

    def evaluate(options, run, qrels=QRELS):
        (tmp_path / "qrels").write_text(qrels)
        (tmp_path / "run").write_text(run)
        code = main(["inex-eval", "--release", "3.1", *options.split(), "qrels", "run"])
        return code, capsys.readouterr().out

    return evaluate


# what the official program, release 3.1, printed for each of these
@pytest.mark.parametrize(
    ("task", "run", "printed"),
    [
        ("-r", "1 Q0 a 1 1 t 0 5\n1 Q0 b 1 1 t 0 5\n1 Q0 a 1 1 t 9 5\n",
         "ERROR *** (run) article results are interleaved in topic 1\tarticle id: a\n"
         "\tinterleaved results not allowed in inContext tasks!\n"),
        ("-b", "1 Q0 a 1 1 t 0 5\n1 Q0 a 1 1 t 9 5\n",
         "ERROR *** (run) multiple results from single article in topic 1\tarticle id: a\tin line: 2\n"),
        ("-i", "1 Q0 a 1 1 t 0 5\n1 Q0 a 1 1 t 3 5\n",
         "ERROR *** (run) passage overlaps with previously retrieved passages in topic 1\tarticle id: a\tin line: 2\n"),
        ("-t", "1 Q0 a 1 1 t 5 -3\n", "ERROR *** (run) negative passage size 1: 1 Q0 a 1 1 t 5 -3\n"),
        ("-f", "1 Q0 a 1 1 t 5\n", "Error *** (run) fields missing in line 1: 1 Q0 a 1 1 t 5\n"),
        ("-f", "1 Q0 a 1 1 t 5 6 7\n", "Error *** (run) too many fields in line 1: 1 Q0 a 1 1 t 5 6 7\n"),
    ],
)  # fmt: skip
def test_a_rejected_run_is_told_in_the_words_of_the_official_program(evaluate, task, run, printed):
    assert evaluate(task, run) == (2, printed)


def test_a_topic_that_goes_on_has_the_articles_of_the_topic_before(evaluate):
    code, out = evaluate("-f -q", "1 Q0 a 1 1 t 0 50\n2 Q0 c 1 1 t 0 10\n1 Q0 a 1 1 t 0 50\n")
    assert code == 0
    assert "Impossible recall point: 125\n" in out
    assert "num_ret\t\t1\t2\n" in out  # article a counts twice


def test_zeros_before_a_number_change_nothing(evaluate):
    zeros = "0" * 5000
    assert evaluate("-f", f"1 Q0 a 1 1 t {zeros}10 +{zeros}5\n") == evaluate("-f", "1 Q0 a 1 1 t 10 5\n")
    assert evaluate("-f", f"1 Q0 a 1 1 t -{zeros}3 {zeros}\n") == evaluate("-f", "1 Q0 a 1 1 t -3 0\n")


def test_in_context_a_topic_may_go_on_where_the_official_program_stops(evaluate):
    code, out = evaluate("-r", "1 Q0 a 1 1 t 0 5\n2 Q0 a 1 1 t 0 5\n2 Q0 c 1 1 t 0 5\n1 Q0 b 1 1 t 0 5\n")
    assert code == 2
    assert "the lines of topic 1 are not together" in out


def test_thorough_text_that_was_returned_before_does_not_count_again(evaluate):
    _, once = evaluate("-t", "1 Q0 a 1 1 t 0 50\n1 Q0 b 1 1 t 0 60\n")
    _, again = evaluate("-t", "1 Q0 a 1 1 t 0 50\n1 Q0 a 1 1 t 10 20\n1 Q0 b 1 1 t 0 60\n")
    assert once == again


def test_release_1_knows_neither_thorough_nor_t2i(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    assert main(["inex-eval", "-i", "qrels", "qrels"]) == 2
    assert "add --release 3.1" in capsys.readouterr().err


def read_article(passages, highlights, length, irr):
    """Read character by character, as the overview of the INEX 2010 Ad Hoc Track describes its reader."""
    relevant = {at for start, end in highlights for at in range(start, end)}
    returned = [at for start, end in passages for at in range(start, end)]
    rest = [at for at in range(length) if at not in set(returned)]
    found = missed = 0
    for at in [*returned, *rest]:
        if missed == irr:
            break
        found, missed = found + (at in relevant), missed + (at not in relevant)
    return found / (found + missed) if found + missed else 0.0


@pytest.mark.parametrize("seed", seeds(200))
def test_t2i_is_a_reader_who_reads_character_by_character(seed):
    source = random.Random(seed)
    length = source.randint(1, 60)
    cuts = sorted(source.sample(range(length + 1), min(length + 1, source.choice([2, 4, 6]))))
    passages = list(zip(cuts[::2], cuts[1::2], strict=False))
    marks = sorted(source.sample(range(length + 1), min(length + 1, source.choice([2, 4, 8]))))
    highlights = list(zip(marks[::2], marks[1::2], strict=False))
    irr = source.choice([1, 2, 5, 10, 1000])
    expected = read_article(passages, highlights, length, irr)
    assert tolerance_to_irrelevance(passages, highlights, length, irr) == pytest.approx(expected, abs=1e-12)


def test_highlights_are_in_order_over_all_lines_of_an_article(tmp_path):
    (tmp_path / "qrels").write_text("1 Q0 a 9 99 0 20:5 10:3\n1 Q0 a 9 99 0 30:1 10:2 0:1\n")
    highlights = read_official_qrels(str(tmp_path / "qrels"), mended=False).highlights
    spans = sorted(zip(highlights.start - SHIFT, highlights.end - SHIFT, strict=True))
    assert spans == [(0, 1), (10, 12), (10, 13), (20, 25), (30, 31)]
    assert highlights.start.tolist() == sorted(highlights.start)


# An offset of -1 stands for a passage that does not exist.
OFFSETS = st.integers(-9, 9).filter(lambda offset: offset != -1)
SPANS = st.lists(st.tuples(OFFSETS, st.integers(0, 5)).map(lambda pair: (pair[0], sum(pair))), max_size=9)


def overlaps(earlier, later, mended):
    (first, last), (start, end) = earlier, later
    if mended and start == end:
        return False
    if mended and first == last:
        return start <= first <= end
    return first < end and last > start


def find_overlapping(spans, mended):
    """The number of the first line whose passage overlaps an earlier one, from 1; None if none does."""
    lines = range(1, len(spans) + 1)
    return next((n for n in lines if any(overlaps(spans[k], spans[n - 1], mended) for k in range(n - 1))), None)


@pytest.mark.parametrize("release", ["1.0", "3.1"])
@given(SPANS)
def test_the_first_passage_that_overlaps_an_earlier_one_is_told(release, tmp_path_factory, spans):
    """In release 1.0 entry points may lie in passages, but no later passage may cover or touch one."""
    folder = tmp_path_factory.mktemp("overlap")
    (folder / "qrels").write_text(QRELS)
    (folder / "run").write_text("".join(f"1 Q0 a 1 1 t {start} {end - start}\n" for start, end in spans))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        main(["inex-eval", "--release", release, "-f", str(folder / "qrels"), str(folder / "run")])
    told = re.search(r"overlaps .*in line: (\d+)", printed.getvalue())
    assert (int(told[1]) if told else None) == find_overlapping(spans, mended=release == "1.0")
