"""Score files: what is written reads back the same, and bad files are refused with a reason."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import crediblenet as cn
from crediblenet import reference
from crediblenet.exceptions import FormatError
from crediblenet.formats.score_file import file_name_of, variable_name_of
from crediblenet.score_table import ScoreTable
from instances import random_table

Writer = Callable[[ScoreTable, Path], None]
Reader = Callable[[Path], ScoreTable]

FORMATS: dict[str, tuple[Writer, Reader]] = {
    "jkl": (ScoreTable.to_jkl, ScoreTable.from_jkl),
    "pss": (ScoreTable.to_pss, ScoreTable.from_pss),
}

# Each example gets a file of its own name, so that the directory may be shared.
fuzz = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=FORMATS)
def suffix(request: pytest.FixtureRequest) -> str:
    """Both formats in turn."""
    return str(request.param)


def assert_same(found: ScoreTable, expected: ScoreTable) -> None:
    """Two tables have the same names and candidates, bit for bit."""
    assert found.names == expected.names
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    np.testing.assert_array_equal(found.parents, expected.parents)
    np.testing.assert_array_equal(found.costs, expected.costs)
    assert found.parents.dtype == np.uint64
    assert found.offsets.dtype == np.int64


def read_text(tmp_path: Path, suffix: str, text: str | bytes) -> ScoreTable:
    """Write a file and read it."""
    path = tmp_path / f"scores.{suffix}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return FORMATS[suffix][1](path)


# What is written reads back ------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_round_trip(tmp_path: Path, suffix: str, seed: int) -> None:
    """A table comes back as it was, every number the same."""
    table = random_table(seed).table
    write, read = FORMATS[suffix]
    write(table, tmp_path / "scores")
    assert_same(read(tmp_path / "scores"), table)


@fuzz
@given(
    costs=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2),
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, unique=True),
)
@example(costs=[0.1 + 0.2, -0.0], names=["sepal length", ""])
@example(costs=[5e-324, 1 / 3], names=["#", "%"])
@example(costs=[1.0, 2.0], names=["1", "0"])
@example(costs=[1.0, 2.0], names=["VAR", "META"])
def test_any_name_and_number(
    tmp_path: Path, suffix: str, costs: list[float], names: list[str]
) -> None:
    """Names of any characters and numbers of any size survive."""
    empty: dict[frozenset[int], float] = {frozenset(): costs[0]}
    with_parent = {frozenset[int](): costs[0], frozenset({len(names) - 1}): costs[1]}
    table = ScoreTable.from_candidates(names, [with_parent] + [empty] * (len(names) - 1))
    write, read = FORMATS[suffix]
    write(table, tmp_path / "scores")
    found = read(tmp_path / "scores")
    assert sorted(found.names) == sorted(names)
    by_name = [
        {frozenset(t.names[p] for p in parents): cost for parents, cost in t.candidates(row)}
        for t in (found, table)
        for row in [t.names.index(names[0])]
    ]
    assert by_name[0] == by_name[1]


@pytest.mark.parametrize("n", [63, 64, 65, 200])
def test_many_variables(tmp_path: Path, suffix: str, n: int) -> None:
    """Parent sets wider than a machine word survive."""
    rng = random.Random(n)
    candidates = [
        {
            frozenset(rng.sample([v for v in range(n) if v != child], size)): rng.random()
            for size in range(5)
        }
        for child in range(n)
    ]
    table = ScoreTable.from_candidates([f"gene{v}" for v in range(n)], candidates)
    write, read = FORMATS[suffix]
    write(table, tmp_path / "scores")
    assert_same(read(tmp_path / "scores"), table)
    assert reference.costs_of_table(table) == candidates


@pytest.mark.parametrize("name", ["plain", "two words", "tab\there", "", "#1", "50%", "é", "\x00"])
def test_names_are_one_word(name: str) -> None:
    """A name in a file has no white space, is not empty and does not begin a comment."""
    word = file_name_of(name)
    assert len(word.split()) == 1
    assert not word.startswith("#")
    assert variable_name_of(word) == name


def test_pss_keeps_what_the_table_promises(tmp_path: Path) -> None:
    """Our own META lines carry epsilon, score equivalence and the grid."""
    table = ScoreTable.from_candidates(
        ["a", "b"],
        [{frozenset(): 1.25}, {frozenset(): 2.5}],
        score="bdeu",
        epsilon=math.log(20),
        score_equivalent=True,
        grid_bits=33,
        metadata={"ess": 1.0, "rows": 178, "arities": [2, 3]},
    )
    table.to_pss(tmp_path / "scores.pss")
    found = ScoreTable.from_pss(tmp_path / "scores.pss")
    assert (found.score, found.epsilon, found.score_equivalent, found.grid_bits) == (
        "bdeu",
        math.log(20),
        True,
        33,
    )
    assert found.metadata["file"]["num_records"] == "178"
    assert found.metadata["file"]["ess"] == "1.0"
    assert found.metadata["variables"] == [{"arity": "2"}, {"arity": "3"}]


def test_a_foreign_file_promises_nothing(tmp_path: Path, suffix: str) -> None:
    """Without our own lines, equivalence is not assumed and nothing is known of pruning."""
    foreign = {"jkl": "1\n0 1\n-3.5 0\n", "pss": "META score_type=BIC\nVAR x\n-3.5\n"}
    table = read_text(tmp_path, suffix, foreign[suffix])
    assert not table.score_equivalent
    assert table.epsilon == math.inf
    assert table.score == {"jkl": "file", "pss": "bic"}[suffix]
    assert list(table.candidates(0)) == [((), 3.5)]


# What other programs write -------------------------------------------------------------


def test_jkl_with_numbers_in_any_order(tmp_path: Path) -> None:
    """Variables 0, 1, 2 are column numbers, in whatever order they come."""
    table = read_text(
        tmp_path, "jkl", "3\n2 1\n-1 1 0\n0 2\n-2.5 0\n-1.5 2 1 2\n1 1\n-2.772589 0\n"
    )
    assert table.names == ("0", "1", "2")
    assert [list(table.candidates(v)) for v in range(3)] == [
        [((1, 2), 1.5), ((), 2.5)],
        [((), 2.772589)],
        [((0,), 1.0)],
    ]


def test_jkl_with_names_comments_and_windows_line_ends(tmp_path: Path) -> None:
    """Names are numbered as they come; parents are named before they have their turn."""
    text = "# made by hand\r\n2\r\n\r\nwet 2\r\n-1.5 1 rain\r\n  -3e0 0 \r\nrain 1\r\n-4.25\t0"
    table = read_text(tmp_path, "jkl", b"\xef\xbb\xbf" + text.encode())
    assert table.names == ("wet", "rain")
    assert list(table.candidates(0)) == [((1,), 1.5), ((), 3.0)]


def test_pss_as_urlearning_writes_it(tmp_path: Path) -> None:
    """META lines of the file and of a variable are kept as text."""
    table = read_text(
        tmp_path,
        "pss",
        "META pss_version = 0.1\nMETA input_file=/data/a b.csv\nMETA ess=1.000000\n\n"
        "VAR Variable_0\nMETA arity=2\nMETA values=no yes \n-4.250000 \n-3.000000 Variable_1 \n\n"
        "# a comment\nvar Variable_1\nMETA arity=3\n-1.500000 Variable_0 \n-2 \n\n",
    )
    assert table.names == ("Variable_0", "Variable_1")
    assert list(table.candidates(0)) == [((1,), 3.0), ((), 4.25)]
    assert table.metadata["file"]["input_file"] == "/data/a b.csv"
    assert table.metadata["variables"][0] == {"arity": "2", "values": "no yes"}
    assert reference.optimal_cost(table) == 5.0


# What is refused -----------------------------------------------------------------------


BAD_JKL = [
    ("", 1, "the file is empty"),
    ("# nothing\n", 1, "the file is empty"),
    ("x\n", 1, "begins with a line that holds the number of variables"),
    ("2 3\n", 1, "number of variables"),
    ("0\n", 1, "number of variables"),
    ("-1\n", 1, "number of variables"),
    ("1.5\n", 1, "number of variables"),
    ("99999999999999999999999999\n", 1, "number of variables"),
    ("513\n0 1\n", 1, "513 variables are too many"),
    ("1\n0\n-1 0\n", 2, "expected a variable's name and the number of its parent sets"),
    ("1\n0 1 1\n-1 0\n", 2, "expected a variable's name"),
    ("1\n0 one\n-1 0\n", 2, "expected a variable's name"),
    ("1\n0 0\n", 2, "'0' has no parent sets"),
    ("1\n0 100000000000000000\n-1 0\n", 3, "should have 100000000000000000 parent sets, but has 1"),
    ("2\n0 1\n-1 0\n", 3, "should have 2 variables, but has 1; the file may be truncated"),
    ("1\n0 1\n-1 0\n-2 0\n", 4, "more follows after the last of 1 variables"),
    ("2\n0 1\n-1 0\n0 1\n-1 0\n", 4, "'0' is already in line 2"),
    ("2\na 1\n-1 0\n%61 1\n-1 0\n", 4, "two variables are called 'a'"),
    ("1\n0 1\n-1\n", 3, "expected a score, the number of parents"),
    ("1\n0 1\n-1 one\n", 3, "expected a score, the number of parents"),
    ("2\n0 1\n-1 2 1\n1 1\n-1 0\n", 3, "expected a score, the number of parents"),
    ("2\n0 1\n-1 0 1\n1 1\n-1 0\n", 3, "expected a score, the number of parents"),
    ("1\n0 1\nnan 0\n", 3, "the score 'nan' is not a finite number"),
    ("1\n0 1\n-inf 0\n", 3, "the score '-inf' is not a finite number"),
    ("1\n0 1\n-1e999 0\n", 3, "'-1e999' is not a finite number"),
    ("1\n0 1\n-1_0 0\n", 3, "'-1_0' is not a finite number"),
    ("1\n0 1\n-1,5 0\n", 3, "'-1,5' is not a finite number"),
    ("2\n0 1\n-1 1 2\n1 1\n-1 0\n", 3, "the parent '2' is not a variable"),
    ("2\n0 1\n-1 1 -1\n1 1\n-1 0\n", 3, "the parent '-1' is not a variable"),
    ("2\n0 1\n-1 1 0\n1 1\n-1 0\n", 3, "'0' is its own parent"),
    ("2\n0 1\n-1 2 1 1\n1 1\n-1 0\n", 3, "the parent '1' is named twice"),
    ("2\n0 2\n-1 1 1\n-2 1 1\n1 1\n-1 0\n", 4, "'0' has this parent set already in line 3"),
    ("3\n0 2\n-1 2 1 2\n-1 2 2 1\n1 1\n-1 0\n2 1\n-1 0\n", 4, "already in line 3"),
]

BAD_PSS = [
    ("", 1, "needs a VAR line for each variable"),
    ("META a=b\n", 1, "needs a VAR line for each variable"),
    ("META ab\nVAR x\n-1\n", 1, "expected META key=value"),
    ("META =b\nVAR x\n-1\n", 1, "expected META key=value"),
    ("-1\nVAR x\n", 1, "expected a META line or the first VAR line"),
    ("VAR\n-1\n", 1, "expected VAR and one name"),
    ("VAR x y\n-1\n", 1, "expected VAR and one name"),
    ("VAR x\n", 1, "'x' has no parent sets"),
    ("VAR x\n-1\nVAR y\n", 3, "'y' has no parent sets; the file may be truncated"),
    ("VAR x\n-1\nVAR x\n-1\n", 3, "two variables 'x'"),
    ("VAR x\nNaN\n", 2, "'NaN' is not a finite number"),
    ("VAR x\ny -1\nVAR y\n-1\n", 2, "'y' is not a finite number"),
    ("VAR x\n-1 y\n", 2, "the parent 'y' is not a variable"),
    ("VAR x\n-1 x\n", 2, "'x' is its own parent"),
    ("VAR x\n-1 y y\nVAR y\n-1\n", 2, "the parent 'y' is named twice"),
    ("VAR x\n-1\n-2\n", 3, "already in line 2"),
    ("META crediblenet_candidates=2\nVAR x\n-1\n", 1, "2 parent sets are announced, but 1 follow"),
    ("META crediblenet_candidates=1\nVAR x\n-1", 3, "the last line does not end"),
    ("META crediblenet_epsilon=-1\nVAR x\n-1\n", 1, "'-1' is not a number that makes sense"),
    ("META crediblenet_epsilon=nan\nVAR x\n-1\n", 1, "'nan' is not a number that makes sense"),
    ("META crediblenet_score_equivalent=yes\nVAR x\n-1\n", 1, "either true or false"),
    ("META crediblenet_grid_bits=2.5\nVAR x\n-1\n", 1, "whole number from 0 to 52"),
    ("META crediblenet_grid_bits=inf\nVAR x\n-1\n", 1, "whole number from 0 to 52"),
    (
        "META crediblenet_grid_bits=3\nVAR x\n-1.1\n",
        1,
        "not every sum of scores is an exact multiple of 2^-3",
    ),
    ("META crediblenet_grid_bits=50\nVAR x\n-1024\n", 1, "not every sum of scores is an exact"),
    ("".join(f"VAR v{k}\n-1\n" for k in range(513)), 1025, "more than 512 variables"),
]

BAD = [("jkl", *bad) for bad in BAD_JKL] + [("pss", *bad) for bad in BAD_PSS]


@pytest.mark.parametrize(("suffix", "text", "line", "problem"), BAD)
def test_bad_files(tmp_path: Path, suffix: str, text: str, line: int, problem: str) -> None:
    """The error names the file, the line and what is wrong with it."""
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, suffix, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'scores'}.{suffix}, line {line}: ")
    assert problem in message


@pytest.mark.parametrize("huge", ["-1e10", "1e300", "-1.7e308"])
def test_scores_that_hide_differences(tmp_path: Path, suffix: str, huge: str) -> None:
    """Scores so large that rounding would decide membership are refused."""
    text = {"jkl": f"2\na 1\n{huge} 0\nb 1\n{huge} 0\n", "pss": f"VAR a\n{huge}\nVAR b\n{huge}\n"}
    with pytest.raises(FormatError, match="the scores are too large"):
        read_text(tmp_path, suffix, text[suffix])


def test_not_text(tmp_path: Path, suffix: str) -> None:
    """A file in another encoding is refused at the line where that shows."""
    with pytest.raises(FormatError, match="line 2: is not text in UTF-8"):
        read_text(tmp_path, suffix, "# first\n# caf\xe9\n".encode("latin-1"))


def test_no_such_file(tmp_path: Path, suffix: str) -> None:
    """A missing file, or a directory, is an error of the format's own kind."""
    read = FORMATS[suffix][1]
    with pytest.raises(FormatError, match="nothing here: cannot be read: No such file"):
        read(tmp_path / "nothing here")
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        read(tmp_path)


def test_cannot_write(tmp_path: Path, suffix: str) -> None:
    """A place that cannot be written to is named."""
    with pytest.raises(FormatError, match="missing/scores: cannot be written: No such file"):
        FORMATS[suffix][0](random_table(0).table, tmp_path / "missing" / "scores")


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is replaced as a whole or not at all, and nothing is left lying about."""
    path = tmp_path / "scores"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"crediblenet.formats.{suffix}.score_lines", fail)
    with pytest.raises(KeyboardInterrupt):
        FORMATS[suffix][0](random_table(0).table, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# Anything at all -----------------------------------------------------------------------


def assert_table_or_format_error(path: Path, suffix: str, content: bytes) -> None:
    """Read a table that stands up to writing and reading, or get a FormatError."""
    write, read = FORMATS[suffix]
    path.write_bytes(content)
    try:
        table = read(path)
    except FormatError as error:
        assert str(error).startswith(str(path))  # noqa: PT017
        return
    assert np.isfinite(table.costs).all()
    write(table, path)
    found = read(path)
    assert sorted(found.names) == sorted(table.names)
    assert len(found) == len(table)


@fuzz
@given(content=st.binary(max_size=200))
def test_random_bytes(tmp_path: Path, suffix: str, content: bytes) -> None:
    """Random bytes are a table or a FormatError."""
    assert_table_or_format_error(tmp_path / "scores", suffix, content)


WORDS = ["0", "1", "2", "3", "-1.5", "nan", "x", "y", "VAR", "META", "a=b", "#", "\n"]


@fuzz
@given(words=st.lists(st.sampled_from(WORDS)))
def test_random_words(tmp_path: Path, suffix: str, words: list[str]) -> None:
    """Random words of the formats are a table or a FormatError."""
    assert_table_or_format_error(tmp_path / "scores", suffix, " ".join(words).encode())


@fuzz
@given(seed=st.integers(0, 50), data=st.data())
def test_damaged_files(tmp_path: Path, suffix: str, seed: int, data: st.DataObject) -> None:
    """A valid file with bytes changed, cut out or repeated is a table or a FormatError."""
    path = tmp_path / "scores"
    FORMATS[suffix][0](random_table(seed).table, path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 20))
        content[start : start + length] = data.draw(
            st.one_of(
                st.just(b""),
                st.just(bytes(content[start : start + length]) * 2),
                st.binary(max_size=3),
                st.sampled_from([b"9", b"-", b"\n", b" ", b"e", b"inf", b"99999999999"]),
            )
        )
    assert_table_or_format_error(path, suffix, bytes(content))


def test_a_million_announced_is_nothing_allocated(tmp_path: Path) -> None:
    """Announced numbers cost nothing: the file ends, and that is the error."""
    with pytest.raises(FormatError, match="but has 1; the file may be truncated"):
        read_text(tmp_path, "jkl", "512\n0 999999999999999999\n-1 0\n")


def test_a_file_of_ours_is_not_asked_for_more_than_it_has(tmp_path: Path) -> None:
    """Both formats say what was pruned, so that no set looks complete that is not."""
    data = cn.example("cancer").data
    for suffix, (write, _) in FORMATS.items():
        path = tmp_path / f"scores.{suffix}"
        write(cn.score(data, bayes_factor=3), path)
        assert cn.find(path, bayes_factor=3).notes == ()
        with pytest.raises(cn.ParameterError, match=r"were pruned for epsilon 1\.09861"):
            cn.find(path, bayes_factor=20)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_of_others_promises_nothing(suffix: str, tmp_path: Path) -> None:
    """The result says so, whatever was asked."""
    text = {"jkl": "2\n0 1\n-3 0\n1 2\n-2 1 0\n-3 0\n", "pss": "VAR a\n-3\nVAR b\n-2 a\n-3\n"}
    path = tmp_path / f"scores.{suffix}"
    path.write_text(text[suffix])
    for question in ({"bayes_factor": 3.0}, {"k": 100}):
        result = cn.find(path, **question)
        assert "does not say which parent sets were left out" in result.notes[0]
    assert result.notes[1].startswith("these parent sets make fewer than 100 in all")
    other = tmp_path / f"again.{suffix}"
    FORMATS[suffix][0](result.table, other)  # nor does a copy of it
    assert "does not say which parent sets were left out" in cn.find(other, k=1).notes[0]
    assert result.epsilon == 1.0  # of the worst network, not of how far the search looked
    assert result.seconds["scores"] == 0.0


def test_a_forged_promise_is_an_error(tmp_path: Path) -> None:
    """The comment that says what was pruned is read with care."""
    for value in ("nan", "-1", "much"):
        with pytest.raises(FormatError, match=r"line 4: .* is not a number that makes sense"):
            read_text(tmp_path, "jkl", f"1\n0 1\n-3.5 0\n# crediblenet_epsilon={value}\n")
