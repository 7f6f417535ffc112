"""A run on disk: whole, readable by others, and never taken for what it is not."""

from __future__ import annotations

import csv
import json
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crediblenet.run_directory
from crediblenet.credible_set import CredibleSet
from crediblenet.data import as_dataset
from crediblenet.exceptions import FormatError, ParameterError, RunDirectoryError
from crediblenet.fitted_network import FittedNetwork
from crediblenet.network import Network
from crediblenet.network_set import ListedSet
from crediblenet.run_directory import load
from crediblenet.score_table import ScoreTable
from crediblenet.verification import verify
from fitted import HOSTILE
from instances import random_data
from listed import bic_table, listed_set, random_results

#: A user without any rights, on every system.
NOBODY = 65534


@pytest.fixture(scope="module")
def result() -> CredibleSet:
    """Four columns with data, a set of some dozens of networks."""
    instance = random_data(4, variables=(4, 4), rows=(60, 200))
    columns = zip(*instance.rows, strict=True)
    data = as_dataset({f"V{v}": list(column) for v, column in enumerate(columns)})
    table = bic_table(instance.rows)
    listed, _ = listed_set(table, math.log(20))
    return CredibleSet(
        table,
        listed,
        math.log(20),
        data=data,
        seconds={"total": 1.5},
        statistics={"nodes": np.int64(7), "ratio": math.inf},
        notes=["a note"],
    )


def test_files_of_a_run(result: CredibleSet, tmp_path: Path) -> None:
    """Everything that the interface promises is there."""
    place = result.save(tmp_path / "run")
    assert sorted(path.name for path in place.iterdir()) == [
        "classes.parquet",
        "edges.csv",
        "networks-listed.parquet",
        "optimal.bif",
        "optimal.dot",
        "report.html",
        "scores.jkl",
        "scores.parquet",
        "summary.json",
    ]
    assert list(tmp_path.iterdir()) == [place]  # nothing is left beside it


def test_summary_says_what_was_found(result: CredibleSet, tmp_path: Path) -> None:
    """The keys of the interface, exact integers, no infinity."""
    about = json.loads((result.save(tmp_path / "run") / "summary.json").read_text())
    assert about["variables"] == 4
    assert about["networks"] == result.n_networks
    assert about["classes"] == result.n_classes
    assert about["optimal_cost"] == result.optimal_cost
    assert about["rows"] == result.n_rows
    assert about["candidate_parent_sets"] == len(result.table)
    assert about["complete"] is True
    assert about["stopped_by"] is None
    assert about["seconds"] == {"total": 1.5}
    assert about["statistics"] == {"nodes": 7, "ratio": None}
    assert about["notes"] == ["a note"]
    assert about["format"] == {"name": "crediblenet run", "version": 1}


def test_others_can_read_it(result: CredibleSet, tmp_path: Path) -> None:
    """Pandas finds classes, edges and scores without this package."""
    place = result.save(tmp_path / "run")
    classes = pd.read_parquet(place / "classes.parquet")
    assert classes.weight.sum() == pytest.approx(1.0)
    assert classes.networks.map(int).sum() == result.n_networks
    assert classes.cost.is_monotonic_increasing
    assert classes.bayes_factor.iloc[0] == 1.0
    first = next(result.classes())
    expected = [list(parents) for parents in first.representative.parents.values()]
    assert [list(parents) for parents in classes.parents.iloc[0]] == expected
    edges = pd.read_csv(place / "edges.csv")
    assert list(edges.columns[:3]) == ["source", "target", "probability"]
    assert edges.probability.to_list() == [e.probability for e in result.edge_probabilities()]
    scores = pd.read_parquet(place / "scores.parquet")
    assert len(scores) == len(result.table)
    assert scores.cost.to_list() == result.table.costs.tolist()


def test_duckdb_can_read_it(result: CredibleSet, tmp_path: Path) -> None:
    """SQL on the files answers what the result says."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    place = result.save(tmp_path / "run")
    database = duckdb.connect()

    def ask(query: str) -> Any:
        return database.sql(query.format(place=place)).fetchall()[0]

    total, weight = ask("select sum(networks::hugeint), sum(weight) from '{place}/classes.parquet'")
    assert int(total) == result.n_networks
    assert weight == pytest.approx(1.0)
    source, target, probability = ask(
        "select source, target, probability from '{place}/edges.csv' order by probability desc,"
        " source, target limit 1"
    )
    assert float(result.edge_probabilities()[source, target]) == probability
    (least,) = ask("select min(cost) from '{place}/scores.parquet'")
    assert least == result.table.costs.min()
    (cost,) = ask("select optimal_cost from read_json('{place}/summary.json')")
    assert cost == result.optimal_cost


def test_network_files(result: CredibleSet, tmp_path: Path) -> None:
    """The best network with its probabilities, for other programs."""
    place = result.save(tmp_path / "run")
    fitted = FittedNetwork.from_bif(place / "optimal.bif")
    assert fitted.network == result.optimal
    assert Network.from_dot((place / "optimal.dot").read_text()) == result.optimal
    jkl = ScoreTable.from_jkl(place / "scores.jkl")
    assert jkl.names == result.names
    assert np.array_equal(jkl.costs, result.table.costs)


def test_there_and_back(tmp_path: Path) -> None:
    """A loaded result answers every question as before."""
    for number, (instance, found, _) in enumerate(random_results(range(16))):
        again = load(found.save(tmp_path / f"run{number}"))
        assert again.epsilon == found.epsilon
        assert again.complete == found.complete
        assert again.n_networks == found.n_networks, instance
        assert again.n_classes == found.n_classes, instance
        assert again.names == found.names
        assert again.score == found.score
        assert list(again) == list(found), instance
        assert [g.cost for g in again] == [g.cost for g in found]
        assert np.array_equal(again.edge_probabilities().matrix, found.edge_probabilities().matrix)
        assert again.notes == found.notes
        assert np.array_equal(again.table.parents, found.table.parents)
        assert again.table.score_equivalent == found.table.score_equivalent


def test_incomplete_results_stay_incomplete(result: CredibleSet, tmp_path: Path) -> None:
    """Why a search ended, and how sure the optimum is, is kept."""
    part = CredibleSet(
        result.table,
        result.network_set,
        math.inf,
        complete=False,
        stopped_by="memory",
        gap=0.25,
    )
    again = load(part.save(tmp_path / "run"))
    assert (again.complete, again.stopped_by, again.gap) == (False, "memory", 0.25)
    assert again.epsilon == math.inf
    assert not (tmp_path / "run" / "optimal.bif").exists()  # there are no data


def test_hostile_names(tmp_path: Path) -> None:
    """Names are data: never a path, never a formula, never markup."""
    names = ["../../escape", "=cmd|' /C calc'!A0", "+1", "-1", "@x", "a\nb", 'q"uote', *HOSTILE]
    table = ScoreTable.from_candidates(
        names,
        [{frozenset(): 1.0, frozenset({(v + 1) % len(names)}): 0.5} for v in range(len(names))],
    )
    rows = [[int(table.offsets[v]) + (v == 1) for v in range(len(names))]]
    found = CredibleSet(table, ListedSet(table, rows), 0.0)
    place = found.save(tmp_path / "deep" / "run")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep"]
    assert load(place).names == tuple(names)
    with (place / "edges.csv").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in list(csv.reader(file))[1:] for cell in row[:2]]
    assert cells
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\n", "\r")) for cell in cells)
    assert {cell.removeprefix("'") for cell in cells} <= set(names)


def test_a_place_that_is_taken(result: CredibleSet, tmp_path: Path) -> None:
    """Nothing is overwritten by accident, and foreign directories never."""
    place = result.save(tmp_path / "run")
    before = (place / "summary.json").read_bytes()
    with pytest.raises(RunDirectoryError, match="not empty"):
        result.save(place)
    assert (place / "summary.json").read_bytes() == before
    result.at(bayes_factor=3).save(place, overwrite=True)
    assert load(place).bayes_factor == pytest.approx(3)
    foreign = tmp_path / "home"
    foreign.mkdir()
    (foreign / "letter.txt").write_text("dear")
    with pytest.raises(RunDirectoryError, match="not empty"):
        result.save(foreign, overwrite=True)
    assert [p.name for p in foreign.iterdir()] == ["letter.txt"]
    (tmp_path / "empty").mkdir()
    result.save(tmp_path / "empty")
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="not a directory"):
        result.save(tmp_path / "file")


def test_failures_leave_nothing_behind(
    result: CredibleSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error halfway keeps the earlier run, and no scratch directory stays."""
    place = result.save(tmp_path / "run")

    def broken(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(crediblenet.run_directory, "edges_csv", broken)
    with pytest.raises(RunDirectoryError, match="No space left on device"):
        result.save(place, overwrite=True)
    assert list(tmp_path.iterdir()) == [place]
    assert load(place).n_networks == result.n_networks


def test_places_that_cannot_be_written(result: CredibleSet) -> None:
    """No permission is a clear error."""
    administrator = os.geteuid() == 0  # may write anywhere, and so becomes somebody else
    with tempfile.TemporaryDirectory() as name:  # pytest's own are closed to others
        place = Path(name)
        place.chmod(0o555)
        if administrator:
            os.seteuid(NOBODY)
        try:
            with pytest.raises(RunDirectoryError, match=r"cannot be .*: Permission denied"):
                result.save(place / "run")
            with pytest.raises(FormatError, match="cannot be written: Permission denied"):
                result.table.to_jkl(place / "scores.jkl")
        finally:
            if administrator:
                os.seteuid(0)
            place.chmod(0o755)
        assert list(place.iterdir()) == []


def damaged(place: Path, name: str, change: bytes | None) -> None:
    """Replace or remove a file of a run."""
    if change is None:
        (place / name).unlink()
    else:
        (place / name).write_bytes(change)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("summary.json", None, "has no summary.json"),
        ("summary.json", b"{", "is damaged"),
        ("summary.json", b'{"a": 1}', "is foreign"),
        ("summary.json", b"[]", "is foreign"),
        (
            "summary.json",
            b'{"format": {"name": "crediblenet run", "version": 99}}',
            "has format version 99.* install a newer one",
        ),
        (
            "summary.json",
            b'{"format": {"name": "crediblenet run", "version": 1}}',
            "does not say bayes_factor, candidate_parent_sets, classes",
        ),
        ("scores.parquet", None, "scores.parquet is missing"),
        ("scores.parquet", b"PAR1", "scores.parquet is damaged"),
        ("networks-listed.parquet", b"", "networks-listed.parquet is damaged"),
        ("classes.parquet", b"x", "classes.parquet is damaged"),
    ],
)
def test_damaged_runs_are_refused(
    result: CredibleSet, tmp_path: Path, name: str, change: bytes | None, message: str
) -> None:
    """Missing, cut off, foreign and newer files end in one clear error."""
    place = result.save(tmp_path / "run")
    damaged(place, name, change)
    with pytest.raises(RunDirectoryError, match=message):
        load(place)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("networks_kind", "telepathic", "'telepathic' are not known"),
        ("files", {"../../x": {"bytes": 0, "sha256": ""}}, "is not the name of a file here"),
        ("epsilon", "much", 'epsilon must be a number, at least 0, not "much"'),
    ],
)
def test_forged_summaries_are_refused(
    result: CredibleSet, tmp_path: Path, key: str, value: Any, message: str
) -> None:
    """A summary that names other files or nonsense is refused."""
    place = result.save(tmp_path / "run")
    about = json.loads((place / "summary.json").read_text())
    about[key] = value
    (place / "summary.json").write_text(json.dumps(about))
    with pytest.raises(RunDirectoryError, match=message):
        load(place)


NESTED = "[" * 100_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gap": "x"}, 'gap must be a number, at least 0, not "x"'),
        ({"complete": "no"}, 'complete must be true or false, not "no"'),
        ({"classes": -1}, "classes must be a whole number, at least 1, not -1"),
        ({"stopped_by": 7}, "stopped_by must be one of time, memory"),
        ({"statistics": {"source": {}}}, "statistics.source must be a text, not an object"),
        ({"statistics": {"data_options": 5}}, "statistics.data_options must be an object, not 5"),
        ({"seconds": {"total": None}}, "seconds.total must be a finite number, not null"),
        ({"notes": ["\ud800"]}, r"notes\[0\] must be a text"),
        ({"names": ["a"]}, "have different variables"),
        ({"score": "k2"}, "have different scores"),
        ({"data": {"rows": 3, "states": [["x"]]}}, "the values of 1 variables, not of 4"),
        ({"candidate_parent_sets": 10**6}, "rows, not 1,000,000"),
        ({"more": json.loads("[" * 30 + "]" * 30)}, "more must be plain values, at most 20"),
    ],
)
def test_forged_values_are_refused(
    result: CredibleSet, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    """Whatever is taken over from the summary is checked when it is read, not when it is used."""
    place = result.save(tmp_path / "run")
    about = json.loads((place / "summary.json").read_text())
    (place / "summary.json").write_text(json.dumps({**about, **change}))
    with pytest.raises(RunDirectoryError, match=message) as caught:
        load(place)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (5, "it must be an object, not 5"),
        (NESTED, "it is nested too deeply"),
        ({"score": 5}, "score must be a text, not 5"),
        ({"grid_bits": 10**6}, "grid_bits must be a whole number from 0 to 64, not 1000000"),
        ({"grid_bits": -5}, "grid_bits must be a whole number from 0 to 64, not -5"),
        ({"grid_bits": 64}, "the costs are too large for 64 bits after the point"),
        ({"metadata": 5}, "metadata must be an object, not 5"),
        ({"metadata": {"ess": "x"}}, 'metadata.ess must be a number, at least 0, not "x"'),
        ({"metadata": {"arities": [2]}}, "1 numbers of states for 4 variables"),
        ({"names": ["V0", "V0", "V2", "V3"]}, "names of their own"),
        ({"names": ["V3", "V2", "V1", "V0"]}, "out of order"),
        ({"names": ["V0", "V1", "V2", "W"]}, "is none of the 4"),
    ],
)
def test_forged_descriptions_are_refused(
    result: CredibleSet, tmp_path: Path, change: Any, message: str
) -> None:
    """The same of what the table of scores says of itself."""
    place = result.save(tmp_path / "run")

    def forge(stored: pa.Table) -> pa.Table:
        about = json.loads(stored.schema.metadata[b"crediblenet"])
        forged = {**about, **change} if isinstance(change, dict) else change
        text = change if isinstance(change, str) else json.dumps(forged)
        return stored.replace_schema_metadata({"crediblenet": text})

    replace_table(place, "scores.parquet", forge)
    with pytest.raises(RunDirectoryError, match=message) as caught:
        load(place)
    assert str(caught.value).isprintable()


def replace_table(place: Path, name: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change a table of a run, and its digest."""
    pq.write_table(change(pq.read_table(place / name)), place / name)
    about = json.loads((place / "summary.json").read_text())
    about["files"][name] = crediblenet.run_directory._about_file(place / name)
    (place / "summary.json").write_text(json.dumps(about))


def test_rows_are_counted_before_they_are_read(result: CredibleSet, tmp_path: Path) -> None:
    """A small file with millions of equal rows is refused at once, whatever the summary says."""
    place = result.save(tmp_path / "run")
    number = 2_000_000
    replace_table(place, "scores.parquet", lambda stored: stored.take([0] * number))
    with pytest.raises(RunDirectoryError, match=r"it has 2,000,000 rows, not"):
        load(place)
    about = json.loads((place / "summary.json").read_text())
    about["candidate_parent_sets"] = number
    (place / "summary.json").write_text(json.dumps(about))
    with pytest.raises(RunDirectoryError, match="4 variables cannot have 2,000,000 candidates"):
        load(place)


def test_forged_classes_are_refused(tmp_path: Path) -> None:
    """Classes have to be made of the candidates, and cost what these cost."""
    found = crediblenet.find(crediblenet.example("cancer").data)
    changes: dict[str, Callable[[pa.Table], pa.Table]] = {
        "no candidate of its variable": lambda t: with_column(
            t, "candidates", pa.array([[99] * 5] * len(t), pa.list_(pa.int32(), 5))
        ),
        "not 5 for each class": lambda t: with_column(
            t, "candidates", pa.array([[0]] * len(t), pa.list_(pa.int32(), 1))
        ),
        "not lists of whole numbers": lambda t: with_column(t, "candidates", t["cost"]),
        "not those of the scores": lambda t: with_column(
            t, "cost_units", pa.array([0] * len(t), pa.int64())
        ),
        "not int64 throughout": lambda t: with_column(t, "cost_units", t["cost"]),
    }
    for number, (message, change) in enumerate(changes.items()):
        place = found.save(tmp_path / f"run{number}")
        replace_table(place, "classes.parquet", change)
        with pytest.raises(RunDirectoryError, match=message):
            load(place)


def with_column(table: pa.Table, name: str, column: Any) -> pa.Table:
    """Return a table with another column under a name."""
    return table.set_column(table.column_names.index(name), name, column)


def test_scores_that_do_not_fit_are_refused(result: CredibleSet, tmp_path: Path) -> None:
    """Tables from elsewhere with the right digest still have to make sense."""
    place = result.save(tmp_path / "run")
    stored = pq.read_table(place / "scores.parquet")
    pq.write_table(stored.replace_schema_metadata({}), place / "scores.parquet")
    about = json.loads((place / "summary.json").read_text())
    about["files"]["scores.parquet"] = crediblenet.run_directory._digest(place / "scores.parquet")
    (place / "summary.json").write_text(json.dumps(about))
    with pytest.raises(RunDirectoryError, match=r"scores.parquet cannot be used"):
        load(place)


def test_no_such_directory(tmp_path: Path) -> None:
    """A directory that is not there is no run."""
    with pytest.raises(RunDirectoryError, match="not a finished run"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "prior",
    [
        {"prior": "classes"},
        {"per_edge": -0.5},
        {"log_prior": {("V0", "V1"): -math.inf, ("V2", "V1"): 0.25}, "prior": "classes"},
    ],
)
def test_the_prior_is_kept(result: CredibleSet, tmp_path: Path, prior: dict[str, Any]) -> None:
    """What was believed beforehand is part of the result, and of what is verified."""
    believed = result.with_prior(**prior)
    place = believed.save(tmp_path / "run")
    back = load(place)
    assert back.prior == believed.prior != result.prior
    np.testing.assert_array_equal(
        back.edge_probabilities().matrix, believed.edge_probabilities().matrix
    )
    assert result.data is not None
    assert verify(place, result.data).passed


def test_a_prior_that_cannot_be_kept(result: CredibleSet, tmp_path: Path) -> None:
    """A function is no text: an error says what to do, and nothing is written."""
    with pytest.raises(ParameterError, match="a prior that is a function cannot be saved"):
        result.with_prior(log_prior=lambda *_: 0.0).save(tmp_path / "run")
    assert not (tmp_path / "run").exists()
