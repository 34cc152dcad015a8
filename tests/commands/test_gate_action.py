"""The steps of the GitHub action, played in a shell as its runner plays them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="needs pyyaml")

ACTION = Path(__file__).resolve().parents[2] / ".github" / "actions" / "gate" / "action.yml"
QUESTIONS = range(10)


def sentence(i):
    return f"Sentence number {i} stands here."


@pytest.fixture
def play(tmp_path):
    """Play the action with the hits of ten questions; returns the exit code and the summary."""
    (tmp_path / "a.txt").write_text(" ".join(map(sentence, QUESTIONS)))
    rows = [f"q {i},a,{sentence(i)}" for i in QUESTIONS]
    (tmp_path / "e.csv").write_text("\n".join(["question,document,quote", *rows]) + "\n")
    # the command that would be on the path after the installation
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "pt-focused"
    main = "import sys; from pyterrier_focused.cli import main; sys.exit(main())"
    command.write_text(f'#!/usr/bin/env bash\nexec "{sys.executable}" -c "{main}" "$@"\n')
    command.chmod(0o755)
    action = yaml.safe_load(ACTION.read_text())

    def call(hits, **options):
        rows = [f"q {i},{sentence(i) if hit else sentence((i + 1) % 10)}" for i, hit in enumerate(hits)]
        (tmp_path / "mine.csv").write_text("\n".join(["question,text", *rows]) + "\n")
        given = {name: of.get("default", "") for name, of in action["inputs"].items()}
        given |= {"results": "*ne.csv", "corpus": "a.txt", "evidence": "e.csv", "package": "", **options}
        summary = tmp_path / "summary.md"
        summary.write_text("# Before\n")
        for step in action["runs"]["steps"]:
            if "package" in step.get("if", "") and not given["package"]:
                continue
            inputs = {
                name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], value)
                for name, value in step["env"].items()
            }
            env = {**os.environ, **inputs, "GITHUB_STEP_SUMMARY": str(summary)}
            env |= {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{env['PATH']}"}
            env |= {"PYTHONPATH": os.pathsep.join([str(ACTION.parents[3]), env.get("PYTHONPATH", "")])}
            shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            code = subprocess.run(shell, cwd=tmp_path, env=env, check=False).returncode
        return code, summary.read_text()

    return call


@pytest.mark.parametrize(("package", "installed"), [(None, ACTION.parents[3]), ("git+address", "git+address")])
def test_the_package_is_installed_from_the_repository_of_the_action(tmp_path, package, installed):
    action = yaml.safe_load(ACTION.read_text())
    (python := tmp_path / "python").write_text('#!/usr/bin/env bash\nprintf %s "${@: -1}"\n')
    python.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ACTION.parent),
    }
    env["PACKAGE"] = package or action["inputs"]["package"]["default"]
    printed = subprocess.check_output(["bash", "-e", "-c", action["runs"]["steps"][0]["run"]], env=env, text=True)
    assert os.path.normpath(printed) == str(installed)


def test_a_gate_that_is_passed(play):
    code, summary = play([1] * 10, require="SpanHit@5 >= 0.8\nplaced >= 1", measures="SpanHit@5 CharR", save="main.zip")
    assert code == 0
    assert summary.startswith("# Before\n## Retrieval: the gate is passed\n")
    assert "| name | questions | texts | placed | SpanHit@5 | CharR |" in summary
    assert summary.count("| pass | mine |") == 2


@pytest.mark.long
def test_a_gate_that_is_not_passed(play):
    play([1] * 10, save="main.zip")
    code, summary = play([0] * 9 + [1], main="main.zip", **{"no-worse-than": "SpanHit@5 SpanRR", "margin": "0.1"})
    assert code == 1
    assert "## Retrieval: the gate is not passed" in summary
    assert "| mine | 10 | 10 | 1.0000 | 0.1000 |" in summary
    assert summary.count("**FAIL**") == 2


@pytest.mark.long
def test_a_gate_that_cannot_be_run(play):
    code, summary = play([1] * 10, require="Nothing >= 1")
    assert code == 2
    assert "## Retrieval: the gate could not be run" in summary
    assert "no measure is called 'Nothing'" in summary
