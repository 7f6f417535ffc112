"""The built-in data are what they claim to be, on every machine."""

from __future__ import annotations

import gzip
import itertools
import warnings
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import crediblenet as cn
from crediblenet.examples import EXAMPLES

EXPECTED_ROWS = [
    ("low", "true", "false", "positive", "false"),
    ("low", "true", "false", "positive", "false"),
    ("low", "true", "false", "negative", "true"),
    ("low", "false", "false", "negative", "false"),
]


def test_the_same_rows_everywhere() -> None:
    """The rows depend on the seed alone."""
    first = cn.example("cancer", rows=4, seed=7)
    assert [*zip(*first.columns.values(), strict=True)] == EXPECTED_ROWS
    assert cn.example("cancer", rows=4, seed=7).columns == first.columns
    assert cn.example("cancer", rows=400, seed=8).columns != cn.example("cancer", 400, 7).columns


@pytest.mark.parametrize("name", EXAMPLES)
def test_frequencies_follow_the_tables(name: str) -> None:
    """In a large sample each conditional frequency is near its probability."""
    sample = cn.example(name, rows=40_000, seed=3)
    columns = {v: np.array(values) for v, values in sample.columns.items()}
    for variable, family in EXAMPLES[name].families.items():
        for number, probability in enumerate(family.first):
            chosen = np.ones(40_000, dtype=bool)
            for digit, parent in enumerate(reversed(family.parents)):
                state = EXAMPLES[name].families[parent].states[number >> digit & 1]
                chosen &= columns[parent] == state
            count = chosen.sum()
            frequency = (columns[variable][chosen] == family.states[0]).mean() if count else 0.0
            # Five standard errors: one false alarm in a million.
            assert abs(frequency - probability) * count**0.5 <= 5 * 0.5 + 1e-9, (variable, number)


def test_the_truth_is_the_network_it_was_drawn_from() -> None:
    """The parents are those of the published network."""
    truth = cn.example("earthquake", rows=10).truth
    assert truth.parents["Alarm"] == ("Burglary", "Earthquake")
    assert len(truth.edges) == 4


def test_csv_gives_the_same_data(tmp_path: Path) -> None:
    """What is written can be read back."""
    sample = cn.example("asia")
    read = cn.as_dataset(sample.write_csv(tmp_path / "asia.csv"))
    assert read.names == sample.data.names
    assert read.states == sample.data.states
    np.testing.assert_array_equal(read.codes, sample.data.codes)
    np.testing.assert_array_equal(read.weights, sample.data.weights)


@pytest.mark.parametrize(("name", "rows"), [("alarm-clock", None), ("asia", 0)])
def test_nonsense_is_refused(name: str, rows: int | None) -> None:
    """Unknown examples and empty samples are errors."""
    with pytest.raises(cn.ParameterError):
        cn.example(name, rows)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tables_are_the_published_ones(name: str) -> None:
    """Structure, states and every probability are those of the copy that pgmpy ships."""
    pytest.importorskip("pgmpy", reason="needs pgmpy")
    from pgmpy.readwrite import BIFReader

    packed = resources.files("pgmpy") / "utils" / "example_models" / f"{name}.bif.gz"
    if not packed.is_file():
        pytest.skip("this version of pgmpy does not ship the networks of the bnlearn repository")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pgmpy's own
        model = BIFReader(string=gzip.decompress(packed.read_bytes()).decode()).get_model()
    families = EXAMPLES[name].families
    assert set(model.nodes()) == set(families)
    for variable, family in families.items():
        published = model.get_cpds(variable)
        assert set(published.get_evidence()) == set(family.parents)
        labels = {v: {x.lower(): x for x in published.state_names[v]} for v in published.variables}
        assert set(labels[variable]) == set(family.states)  # some write True, some true
        configurations = itertools.product(*(families[p].states for p in family.parents))
        for states, probability in zip(configurations, family.first, strict=True):
            given = dict(zip(family.parents, states, strict=True))
            asked = {v: labels[v][state] for v, state in given.items()}
            found = published.get_value(**{variable: labels[variable][family.states[0]]}, **asked)
            assert found == pytest.approx(probability, abs=1e-9), (variable, given)
