"""The command: what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import crediblenet as cn
from crediblenet.cli.main import run

COMMAND = [sys.executable, "-m", "crediblenet"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


class Outcome(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run the command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return Cli(capsys)


class Cli:
    """Runs the command and catches what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object) -> Outcome:
        """Run the command with these arguments."""
        self.capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = self.capsys.readouterr()
        return Outcome(code, captured.out, captured.err)


def is_one_error_line(text: str) -> bool:
    """Return whether this is the one line that an error may print."""
    return bool(re.fullmatch(r"crediblenet: error: [^\n]+\n", text))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a CSV file with data of a known network."""
    return cn.example("cancer", rows=2000).write_csv(tmp_path / "cancer.csv")


def test_version_and_help(cli: Cli) -> None:
    """Each prints to stdout and succeeds."""
    assert cli("--version") == (0, f"crediblenet {cn.__version__}\n", "")
    for arguments in (["--help"], ["find", "--help"], ["score", "-h"], ["demo", "--help"]):
        outcome = cli(*arguments)
        assert outcome.code == 0
        assert "Usage: crediblenet" in outcome.out
        assert outcome.err == ""
    assert "crediblenet find data.csv --k-classes 100" in cli("find", "--help").out
    for command in ("find", "score", "report", "verify", "demo"):
        assert f"crediblenet {command}" in cli(command, "--help").out.split("Examples")[1]


def test_no_arguments_show_the_help(cli: Cli) -> None:
    """Someone who types the bare name learns what there is."""
    outcome = cli()
    assert outcome.code == 2
    assert "demo" in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fnid"], "fnid"),
        (["find"], "SOURCE"),
        (["find", "cancer.csv", "--wrong"], "--wrong"),
        (["find", "cancer.csv", "--k", "many"], "--k"),
        (["find", "cancer.csv", "--score", "best"], "--score"),
        (["find", "cancer.csv", "--k", "3", "--epsilon", "1"], "epsilon"),
        (["find", "cancer.csv", "--k", "0"], "k must be"),
        (["find", "cancer.csv", "--bayes-factor", "0.5"], "bayes_factor"),
        (["find", "cancer.csv", "--bayes-factor", "nan"], "bayes_factor"),
        (["find", "cancer.csv", "--forbid", "Smoker->Cancre"], "Cancre"),
        (["find", "cancer.csv", "--require", "Smoker"], "Smoker"),
        (["find", "cancer.csv", "--time-limit", "-1"], "time_limit"),
        (["find", "cancer.csv", "--threads", "0"], "threads"),
        (["find", "cancer.csv", "--memory-limit", "0"], "memory_limit"),
        (["find", "cancer.csv", "--tiers", "nowhere.txt"], "nowhere.txt"),
        (["find", "nowhere.csv"], "nowhere.csv"),
        (["find", "."], "."),
        (["find", "ragged.csv"], "'ragged.csv', line 3"),
        (["find", "twice.csv"], "twice.csv"),
        (["find", "gaps.csv"], "--missing"),
        (["find", "latin.csv"], "line 3, column 2: byte 0xe9"),
        (["find", "latin.csv"], "--encoding latin-1"),
        (["find", "gaps.csv", "--missing-values", "2"], "4 missing values"),
        (["find", "cancer.csv", "--states", "nowhere.json"], "nowhere.json"),
        (["find", "empty.csv"], "empty.csv"),
        (["find", "broken.jkl"], "broken.jkl"),
        (["score", "cancer.csv", "-o", "scores.txt"], ".jkl"),
        (["score", "cancer.csv"], "--out"),
        (["report", "nowhere"], "nowhere"),
        (["verify", "nowhere", "cancer.csv"], "nowhere"),
        (["demo", "unknown"], "unknown"),
    ],
)
@pytest.mark.usefixtures("data")
def test_every_mistake_gets_one_clear_line(cli: Cli, arguments: list[str], words: str) -> None:
    """Exit code 2, one line on stderr that names the culprit, nothing on stdout."""
    Path("ragged.csv").write_text("a,b\n1,2\n1\n")
    Path("twice.csv").write_text("a,a\n1,2\n")
    Path("gaps.csv").write_text("a,b\n1,2\n,3\n2,2\n")
    Path("latin.csv").write_bytes("a,b\n1,x\n2,\u00e9\n".encode("latin-1"))
    Path("empty.csv").write_text("")
    Path("broken.jkl").write_text("3\na 2\n-1.5 0\n")
    outcome = cli(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert is_one_error_line(outcome.err), outcome.err
    assert words in outcome.err


def test_debug_shows_the_traceback(cli: Cli) -> None:
    """Only when asked for."""
    assert "Traceback" not in cli("find", "nowhere.csv").err
    assert "Traceback" in cli("find", "nowhere.csv", "--debug").err


def test_json_is_all_that_stdout_gets(cli: Cli, data: Path) -> None:
    """One object with the promised members; log lines go to stderr, or nowhere."""
    outcome = cli("find", data, "--json")
    summary = json.loads(outcome.out)
    assert outcome.out.count("\n") == 1
    assert outcome.code == 0
    assert outcome.err.startswith("crediblenet: Reading the data")
    assert summary["variables"] == 5
    assert summary["rows"] == 2000
    assert summary["score"] == "bic"
    assert summary["epsilon"] == pytest.approx(2.995732, abs=1e-6)
    assert summary["complete"] is True
    assert summary["stopped_by"] is None
    result = cn.find(data)
    assert summary["networks"] == result.n_networks
    assert summary["classes"] == result.n_classes
    assert summary["optimal_cost"] == pytest.approx(result.optimal_cost, abs=1e-9)
    assert summary["candidate_parent_sets"] == len(result.table)
    stages = {"data", "scores", "bounds", "enumeration", "averages", "total"}
    assert stages <= summary["seconds"].keys()
    assert summary["peak_memory_mb"] > 10
    assert not list(Path().glob("crediblenet-run*")), "scripts get files only where they ask"
    assert cli("find", data, "--json", "--quiet").err == ""
    assert cli("find", data, "--json", "--no-progress").err == ""


def test_find_leaves_a_complete_run_directory(cli: Cli, data: Path) -> None:
    """Files, a summary that says what was found, and a free name each time."""
    outcome = cli("find", data)
    assert outcome.code == 0
    for words in ("Complete", "best network", "agree", "crediblenet verify", "report.html"):
        assert words in outcome.out
    run_dir = Path("crediblenet-run")
    names = {path.name for path in run_dir.iterdir()}
    assert {
        "summary.json",
        "classes.parquet",
        "edges.csv",
        "optimal.bif",
        "optimal.dot",
        "scores.jkl",
        "report.html",
    } <= names
    assert json.loads((run_dir / "summary.json").read_text())["complete"] is True
    assert cli("find", data, "--quiet") == (0, "", "")
    assert Path("crediblenet-run-2").is_dir()
    assert cli("verify", run_dir, data).code == 0
    (run_dir / "report.html").unlink()
    assert cli("report", run_dir).code == 0
    assert (run_dir / "report.html").stat().st_size > 1000


def test_a_taken_directory_is_refused_before_the_search(cli: Cli, data: Path) -> None:
    """Nothing is lost: neither what is there, nor the hours of a search."""
    Path("taken").mkdir()
    Path("taken/thesis.tex").write_text("years of work")
    mistake = cli("find", data, "--out", "taken", "--overwrite")
    assert mistake.code == 2
    assert is_one_error_line(mistake.err)
    assert Path("taken/thesis.tex").read_text() == "years of work"
    assert cli("find", data, "--out", "run", "--quiet").code == 0
    again = cli("find", data, "--out", "run")
    assert again.code == 2
    assert "--overwrite" in again.err
    assert cli("find", data, "--out", "run", "--overwrite", "--quiet").code == 0


def test_plots_are_saved(cli: Cli, data: Path) -> None:
    """Four pictures, for print and for slides."""
    pytest.importorskip("matplotlib")
    assert cli("find", data, "--out", "run", "--plots", "--quiet").code == 0
    for name in ("consensus", "edges", "scores", "levels"):
        assert Path(f"run/{name}.pdf").read_bytes().startswith(b"%PDF")
        assert Path(f"run/{name}.png").read_bytes().startswith(b"\x89PNG")


def test_verify_notices_other_data(cli: Cli, data: Path) -> None:
    """A result that does not follow from the data is refused."""
    assert cli("find", data, "--out", "run", "--quiet").code == 0
    other = cn.example("cancer", rows=2000, seed=99).write_csv("other.csv")
    outcome = cli("verify", "run", other)
    assert outcome.code == 2
    assert is_one_error_line(outcome.err)


def test_score_then_find(cli: Cli, data: Path) -> None:
    """Searching a score file gives what searching the data gives."""
    direct = json.loads(cli("find", data, "--json").out)
    for name in ("scores.jkl", "scores.pss"):
        scored = json.loads(cli("score", data, "-o", name, "--json").out)
        assert scored["candidate_parent_sets"] == direct["candidate_parent_sets"]
        found = json.loads(cli("find", name, "--json").out)
        assert found["networks"] == direct["networks"]
        assert found["optimal_cost"] == pytest.approx(direct["optimal_cost"], abs=1e-6)


def test_few_rows_are_said(cli: Cli) -> None:
    """What the report warns of is in the summary too."""
    Path("few.csv").write_text("a,b\nx,y\ny,x\nx,x\n")
    shown = cli("find", "few.csv", "--out", "few").out
    assert "Few rows: 3 rows for the" in " ".join(shown.split())


def test_demo_needs_no_argument(cli: Cli) -> None:
    """It finds networks, writes the data too, and compares with the truth."""
    outcome = cli("demo")
    assert outcome.code == 0
    assert "truth" in outcome.out
    assert Path("crediblenet-run/asia.csv").is_file()
    assert cli("verify", "crediblenet-run", "crediblenet-run/asia.csv").code == 0


def test_hostile_names_are_printed_as_text(cli: Cli) -> None:
    """No markup is obeyed, and no control character reaches the terminal."""
    sample = cn.example("cancer", rows=2000)
    hostile = ["[red]x[/red]", "\x1b[31mred", "=cmd|' /C calc'!A0", "\u202egnp.exe", "a" * 300]
    rows = ["\t".join(row) for row in zip(*sample.columns.values(), strict=True)]
    Path("bad.tsv").write_text("\n".join(["\t".join(hostile), *rows]) + "\n", encoding="utf-8")
    outcome = cli("find", "bad.tsv")
    assert outcome.code == 0
    assert "\x1b" not in outcome.out + outcome.err
    assert "\u202e" not in outcome.out + outcome.err
    assert "[red]x[/red]" in outcome.out
    assert r"\x1b[31mred" in outcome.out
    mistake = cli("find", "\x1b[31m\nnowhere.csv")
    assert is_one_error_line(mistake.err)
    assert "\x1b" not in mistake.err


def large_data(directory: Path) -> Path:
    """Write data that keep the search busy for far longer than a test may take."""
    import numpy as np

    values = np.random.default_rng(5).integers(0, 3, size=(60, 45))
    path = directory / "large.csv"
    np.savetxt(path, values, fmt="%d", delimiter=",", header=HEADER, comments="")
    return path


HEADER = ",".join(f"v{i}" for i in range(45))


def test_a_limit_ends_with_a_partial_result(cli: Cli, tmp_path: Path) -> None:
    """Exit code 3, and the result says that it is not complete, and why."""
    arguments = ("find", large_data(tmp_path), "--time-limit", "2", "--bayes-factor", "1e6")
    outcome = cli(*arguments, "--json", "--quiet", "--out", "run")
    assert outcome.code == 3, outcome
    summary = json.loads(outcome.out)
    assert (summary["complete"], summary["stopped_by"]) == (False, "time")
    assert summary["networks"] >= 1
    assert cn.load("run").complete is False
    shown = cli(*arguments)
    assert shown.code == 3
    assert "Not complete, stopped by the time limit" in shown.out


# A process that was started in the background ignores Ctrl-C, and so do its children.
LISTENING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from crediblenet.cli import main
main()
"""


def test_ctrl_c_ends_with_130(tmp_path: Path) -> None:
    """The process ends soon, with a partial result that says so, and without a traceback."""
    arguments = ["find", str(large_data(tmp_path)), "--bayes-factor", "1e6"]
    with subprocess.Popen(
        [sys.executable, "-c", LISTENING, *arguments],
        cwd=tmp_path,
        env=ENVIRONMENT,
        text=True,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            while "Finding all networks" not in (line := process.stderr.readline()):
                assert line, "ended before the search began"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    saved = json.loads((tmp_path / "crediblenet-run" / "summary.json").read_text())
    assert (saved["complete"], saved["stopped_by"]) == (False, "interrupted")


def test_a_terminal_gets_live_progress(tmp_path: Path, data: Path) -> None:
    """On a terminal the stages move; the summary comes after them."""
    main, other = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [*COMMAND, "find", str(data)], cwd=tmp_path, env=environment, stdout=other, stderr=other
    ) as process:
        os.close(other)
        shown = b""
        while True:
            try:
                block = os.read(main, 65536)
            except OSError:  # the other side was closed
                break
            if not block:
                break
            shown += block
    os.close(main)
    assert process.returncode == 0
    assert b"\x1b[" in shown
    assert b"Scoring parent sets" in shown
    assert b"What next" in shown


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, data: Path) -> None:
    """``crediblenet find ... | head -0`` says nothing about pipes, and ends as always."""
    for options in (["--json", "--quiet"], ["--no-progress"]):
        command = " ".join([*COMMAND, "find", str(data), *options]) + " | true; exit $PIPESTATUS"
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_shells_can_complete_it() -> None:
    """Commands, options, scores and examples are completed."""
    for words, expected in {
        "ve": ["verify"],
        "find --bayes": ["--bayes-factor"],
        "find data.csv --score bd": ["bdeu", "bds"],
        "demo ca": ["cancer"],
    }.items():
        assert completions(words) == expected, words


def completions(words: str) -> list[str]:
    """Return what bash is told for a command line that ends in these words."""
    environment = {
        **ENVIRONMENT,
        "_CREDIBLENET_COMPLETE": "complete_bash",
        "COMP_WORDS": f"crediblenet {words}",
        "COMP_CWORD": str(len(words.split())),
    }
    code = "import sys; sys.argv[0] = 'crediblenet'; from crediblenet.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.split()
