"""Networks there and back: our own readers, and the real programs."""

from __future__ import annotations

import errno
import re
import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from crediblenet.exceptions import FormatError, ParameterError
from crediblenet.fitted_network import FittedNetwork
from crediblenet.network import Network
from crediblenet.network_formats.bif import bif_text, read_bif
from crediblenet.network_formats.dot import dot_text
from crediblenet.network_formats.safe_names import safe_labels, safe_names
from crediblenet.network_formats.xmlbif import read_xmlbif, xmlbif_text
from fitted import HOSTILE, assert_same, hostile_fitted, random_fitted
from listed import random_results


def pgmpy_readers() -> Any:
    """Return pgmpy's readers, or skip."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pgmpy.readwrite", reason="pgmpy is not installed")


def pyagrum() -> Any:
    """Return pyAgrum, or skip."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pyagrum", reason="pyAgrum is not installed")


def renamed(fitted: FittedNetwork) -> FittedNetwork:
    """Return the network with the names that other programs are given."""
    return FittedNetwork(
        Network(tuple(safe_names(fitted.names)), fitted.network.parent_sets),
        tuple(tuple(safe_labels(labels)) for labels in fitted.states),
        fitted.tables,
    )


@pytest.mark.parametrize("seed", range(20))
def test_bif_there_and_back(seed: int) -> None:
    """Every number and every name is the same again, hostile ones too."""
    for fitted in (random_fitted(seed), hostile_fitted(seed)):
        assert_same(read_bif(bif_text(fitted)), fitted)


@pytest.mark.parametrize("seed", range(20))
def test_xmlbif_there_and_back(seed: int) -> None:
    """XML holds all names that are not control characters."""
    for fitted in (random_fitted(seed), hostile_fitted(seed)):
        assert_same(read_xmlbif(xmlbif_text(fitted)), fitted)


@pytest.mark.parametrize("seed", range(4))
def test_pgmpy_reads_our_bif(seed: int, tmp_path: Path) -> None:
    """The real pgmpy finds the same structure and numbers, under the safe names."""
    reader = pgmpy_readers().BIFReader
    for fitted in (random_fitted(seed), hostile_fitted(seed, HOSTILE[seed : seed + 6])):
        fitted.to_bif(tmp_path / "n.bif")
        found = FittedNetwork.from_pgmpy(reader(str(tmp_path / "n.bif")).get_model())
        assert_same(found, renamed(fitted), rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_pgmpy_reads_our_xmlbif(seed: int, tmp_path: Path) -> None:
    """The real pgmpy finds the same in the XML form."""
    fitted = random_fitted(seed)
    fitted.to_xmlbif(tmp_path / "n.xml")
    model = pgmpy_readers().XMLBIFReader(str(tmp_path / "n.xml")).get_model()
    assert_same(FittedNetwork.from_pgmpy(model), fitted, rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_we_read_pgmpys_bif(seed: int, tmp_path: Path) -> None:
    """What the real pgmpy writes is read back."""
    fitted = random_fitted(seed)
    pgmpy_readers().BIFWriter(fitted.to_pgmpy()).write(str(tmp_path / "n.bif"))
    assert_same(FittedNetwork.from_bif(tmp_path / "n.bif"), fitted, rtol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_pgmpy_there_and_back(seed: int) -> None:
    """A pgmpy model has our structure and tables, checks out, and comes back."""
    pgmpy_readers()
    for fitted in (random_fitted(seed), hostile_fitted(seed)):
        model = fitted.to_pgmpy()
        assert model.check_model()
        assert_same(FittedNetwork.from_pgmpy(model), fitted)
        assert set(Network.from_pgmpy(fitted.network.to_pgmpy()).edges) == set(fitted.network.edges)


def test_pgmpy_model_without_tables_is_refused() -> None:
    """A structure alone has no probabilities to take over."""
    pgmpy_readers()
    with pytest.raises(FormatError, match="no probabilities for 'a'"):
        FittedNetwork.from_pgmpy(Network(("a", "b"), ((), (0,))).to_pgmpy())


@pytest.mark.parametrize("seed", range(12))
def test_pyagrum_there_and_back(seed: int) -> None:
    """A pyAgrum network has our structure and tables, and comes back."""
    pyagrum()
    for fitted in (random_fitted(seed), hostile_fitted(seed)):
        model = fitted.to_pyagrum()
        assert_same(FittedNetwork.from_pyagrum(model), fitted)
        assert set(Network.from_pyagrum(model).edges) == set(fitted.network.edges)


@pytest.mark.parametrize("seed", range(12))
def test_pyagrum_reads_our_files(seed: int, tmp_path: Path) -> None:
    """The real pyAgrum finds the same tables in BIF and XMLBIF."""
    gum = pyagrum()
    fitted = random_fitted(4 * seed + 1)  # it refuses variables with a single state
    fitted.to_bif(tmp_path / "n.bif")
    fitted.to_xmlbif(tmp_path / "n.bifxml")
    for name in ("n.bif", "n.bifxml"):
        found = FittedNetwork.from_pyagrum(gum.loadBN(str(tmp_path / name)))
        assert_same(found, fitted, rtol=1e-6)
    hostile = hostile_fitted(4 * seed + 1)
    hostile.to_bif(tmp_path / "h.bif")
    found = FittedNetwork.from_pyagrum(gum.loadBN(str(tmp_path / "h.bif")))
    assert_same(found, renamed(hostile), rtol=1e-6)


def bnlearn_names(text: str) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Find variables, tables and parents in a BIF text by the patterns of R's bnlearn.

    Its reader takes the word characters after ``probability (`` as the variable, wants
    blanks inside the parentheses, and splits the parents at blanks.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [re.sub(r"//.*", "", line) for line in lines]
    lines = [re.sub(r"^\s*property[^;]*;", "", line) for line in lines]
    nodes = [
        re.sub(r"variable\s+(.+)\s+\{", r"\1", line) for line in lines if line[:9] == "variable "
    ]
    heads = [line for line in lines if line.startswith("probability")]
    tables = [re.sub(r"probability\s*\(\s*(\w+).*", r"\1", line) for line in heads]
    parents = {}
    for line in heads:
        if "|" in line:
            match = re.fullmatch(r"probability\s+\(\s+(.+)\s+\|(.+)\)\s+\{", line)
            assert match is not None
            words = [w.replace(",", "") for w in match.group(2).split(" ")]
            parents[match.group(1)] = [w for w in words if w.strip()]
    return nodes, tables, parents


@pytest.mark.parametrize("seed", range(12))
def test_bif_follows_bnlearns_rules(seed: int) -> None:
    """R's bnlearn would find the variables, their tables, parents and states."""
    fitted = hostile_fitted(seed)
    text = bif_text(fitted)
    names = safe_names(fitted.names)
    nodes, tables, parents = bnlearn_names(text)
    assert nodes == names == tables
    # Names are used as regular expressions there, and as R variables by users.
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in names)
    for v, members in enumerate(fitted.network.parent_sets):
        assert parents.get(names[v], []) == [names[p] for p in members]
    for labels in re.findall(r"type\s+discrete\s*\[\s*\d+\s*\]\s+\{\s+(.+)\s*\};", text):
        stripped = [label.strip() for label in labels.split(",")]
        assert len(set(stripped)) == len(stripped)
        assert not any(re.search(r"[,{}()#%]|//", label) for label in stripped)


def test_bif_is_ascii_and_one_statement_a_line() -> None:
    """No encoding, no line break and no comment sign can come in through a name."""
    text = bif_text(hostile_fitted(3))
    assert text.isascii()
    assert "//" not in text
    statement = r"(network|variable|probability) .*\{|  (type|property|table|\() ?.*;|\}"
    assert all(re.fullmatch(statement, line) for line in text.splitlines())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("hello", "line 1: 'hello' begins no part"),
        ("variable a {\n type discrete [ 3 ] { x, y };\n}", "line 2: 'a' should have '3' states"),
        ("variable a { type continuous; }", "'continuous' stands where 'discrete'"),
        ("variable a { type discrete [ 1 ] { x }; }", "'a' has no probabilities"),
        ('variable "a', "line 1: a quote is not closed"),
        ("variable a { type discrete [ 1 ] { x }; } variable a { }", "declared twice"),
        ("variable a { }", "has no states"),
        (
            "variable a { type discrete [ 2 ] { x, y }; }\nprobability ( a ) { table 0.5; }",
            "line 2: there are 1 probabilities where 2",
        ),
        (
            "variable a { type discrete [ 2 ] { x, y }; }\nprobability ( a ) { table 0.5, 0.6; }",
            "no probabilities in it",
        ),
        (
            "variable a { type discrete [ 2 ] { x, y }; }\nprobability ( a ) { table 1, x; }",
            "line 2: could not convert",
        ),
        ("variable a { type discrete [ 1 ] { x }; }\nprobability ( b ) { }", "'b' is not declared"),
        (
            "variable a { type discrete [ 1 ] { x }; }\nprobability ( a | a ) { (x) 1; }",
            "no cycle",
        ),
        (
            "variable a { type discrete [ 1 ] { x }; }\n"
            "variable b { type discrete [ 1 ] { x }; }\n"
            "probability ( a | b ) { (z) 1; }",
            "line 3: 'z' is not a state",
        ),
        (
            "".join(f"variable v{i} {{ type discrete [ 2 ] {{ x, y }}; }}\n" for i in range(60))
            + f"probability ( v0 | {', '.join(f'v{i}' for i in range(1, 60))} ) {{ }}",
            "line 61: the table of 'v0' would have 1,152,921,504,606,846,976 entries",
        ),
    ],
)
def test_bad_bif_says_where(text: str, message: str) -> None:
    """Malformed files end in one clear error."""
    with pytest.raises(FormatError, match=re.escape(message)):
        read_bif(text)


def test_bif_of_others() -> None:
    """Comments, quoted names, flat tables, defaults and foreign properties are read."""
    text = """
    network "Dog-Problem" { property "author = me; you" ; }
    variable "light-on" { // two values
      type discrete[2] { "true" "false" };
      property position = (1, 2);
    }
    variable b { type discrete [2] { t, f }; }
    /* flat: b's states change
       slowest */
    probability ( b "light-on" ) { table 0.1, 0.2, 0.9, 0.8; }
    probability ( "light-on" ) { default 0.5, 0.5; }
    """.replace('b "light-on"', 'b | "light-on"')
    fitted = read_bif(text)
    assert fitted.names == ("light-on", "b")
    np.testing.assert_array_equal(fitted.tables[1], [[0.1, 0.9], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<BIF", "not XML"),
        ("<html></html>", "begins with <html>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><BIF/>', "entities"),
        ("<BIF><NETWORK><VARIABLE></VARIABLE></NETWORK></BIF>", "no <NAME>"),
        (
            "<BIF><NETWORK><VARIABLE><NAME>a</NAME><OUTCOME>x</OUTCOME></VARIABLE></NETWORK></BIF>",
            "'a' has no probabilities",
        ),
    ],
)
def test_bad_xmlbif_is_refused(text: str, message: str) -> None:
    """Malformed and dangerous files end in one clear error."""
    with pytest.raises(FormatError, match=re.escape(message)):
        read_xmlbif(text)


def test_control_characters_do_not_go_into_xml() -> None:
    """There is no way to write them, so the error says to rename."""
    fitted = random_fitted(1, ("a\x01", "b", "c", "d", "e"))
    for write in (xmlbif_text, lambda f: f.network.to_graphml()):
        with pytest.raises(FormatError, match="rename it"):
            write(fitted)


@pytest.mark.parametrize("seed", range(12))
def test_structures_there_and_back(seed: int) -> None:
    """DOT, GraphML and networkx keep every name and edge."""
    network = hostile_fitted(seed).network
    assert Network.from_dot(network.to_dot()) == network
    assert Network.from_graphml(network.to_graphml()) == network
    assert Network.from_networkx(network.to_networkx()) == network


def test_dot_of_others() -> None:
    """Chains, attributes, comments and graph settings are read or skipped."""
    text = """strict digraph "G" { rankdir=LR; node [shape=box] # settings
      a -> "b c" -> d [color=red, weight=2]; e
      d [label="D"; style=filled] }"""
    assert Network.from_dot(text).edges == (("a", "b c"), ("b c", "D"))
    assert Network.from_dot(text).names == ("a", "b c", "D", "e")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph { a -- b }", "digraph"),
        ("digraph { a -- b }", "directed"),
        ("digraph { a -> ; }", "not the end of an edge"),
        ("digraph { a -> b; b -> a }", "no cycle"),
        ("digraph { a -> b", "not closed"),
        ("digraph { subgraph x { a } }", "subgraphs"),
        ('digraph { a [label="x"]; b [label="x"] }', "same label"),
        ("digraph { a } b", "follows the graph"),
        ("digraph { a [x] }", "has no value"),
    ],
)
def test_bad_dot_is_refused(text: str, message: str) -> None:
    """Malformed graphs end in one clear error."""
    with pytest.raises(FormatError, match=message):
        Network.from_dot(text)


def test_dot_with_probabilities() -> None:
    """Edges carry their probability, and the text is still the same network."""
    network = Network(("a", "b"), ((), (0,)))
    text = dot_text(network, {("a", "b"): 0.25})
    assert 'label="0.250"' in text
    assert Network.from_dot(text) == network


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a/>", "GraphML"),
        ("nothing", "not XML"),
        ("\n".join(nx.generate_graphml(nx.path_graph(2))), "not directed"),
        ("\n".join(nx.generate_graphml(nx.DiGraph([("a", "b"), ("b", "a")]))), "no cycle"),
    ],
)
def test_bad_graphml_is_refused(text: str, message: str) -> None:
    """Other XML, undirected graphs and cycles end in one clear error."""
    with pytest.raises(FormatError, match=message):
        Network.from_graphml(text)


def test_networkx_graph_must_be_directed() -> None:
    """An undirected graph is no network."""
    with pytest.raises(ParameterError, match="directed"):
        Network.from_networkx(nx.path_graph(3))


def test_model_strings_there_and_back() -> None:
    """As bnlearn writes them: parents before children, parents joined by colons."""
    for seed in range(12):
        network = random_fitted(seed).network
        found = Network.from_model_string(network.to_model_string())
        assert found.names == network.topological_order()
        assert set(found.edges) == set(network.edges)
    asia = Network.from_model_string("[A][S][T|A][L|S][B|S][D|B:E][E|T:L][X|E]")
    assert asia.parents["D"] == ("B", "E")
    assert asia.to_model_string() == "[A][S][T|A][L|S][B|S][E|T:L][D|B:E][X|E]"


@pytest.mark.parametrize("text", ["", "a", "[a", "[a][a]", "[a|b]", "[a|b][b|a]", "[a]x[b]"])
def test_bad_model_strings_are_refused(text: str) -> None:
    """Unclosed brackets, doubled names, unknown parents, cycles, rubbish."""
    with pytest.raises(FormatError, match="model string"):
        Network.from_model_string(text)


def test_names_that_no_model_string_can_hold() -> None:
    """The four signs that separate names are refused."""
    with pytest.raises(FormatError, match="rename the variable"):
        Network(HOSTILE, ((),) * len(HOSTILE)).to_model_string()


def test_strength_table_of_bnlearn() -> None:
    """Strength is the adjacency, direction the share of one direction in it."""
    for instance, found, _ in random_results(range(20)):
        edges = found.edge_probabilities(compelled=False)
        table = found.strength_table().to_pylist()
        assert len(table) == len(found.names) * (len(found.names) - 1)
        for row in table:
            assert list(row) == ["from", "to", "strength", "direction"]
            a, b = found.names.index(row["from"]), found.names.index(row["to"])
            assert row["strength"] == edges.adjacent.values[a, b], instance
            product = row["strength"] * row["direction"]
            assert product == pytest.approx(edges.matrix[a, b], rel=1e-12, abs=1e-300), instance
            assert 0 <= row["direction"] <= 1


def test_safe_names_are_distinct_words() -> None:
    """Whatever the names, the words differ even without case, and plain ones stay."""
    assert safe_names(["a", "b_1"]) == ["a", "b_1"]
    words = safe_names(["x y", "x_y", "X-y", "", "1", "variable"])
    assert len({word.lower() for word in words}) == 6
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word) for word in words)


def test_fitted_networks_are_checked() -> None:
    """Tables must fit the states and hold probabilities."""
    network = Network(("a", "b"), ((), (0,)))
    states = (("x", "y"), ("u", "v"))
    good = (np.array([0.5, 0.5]), np.full((2, 2), 0.5))
    FittedNetwork(network, states, good)
    for bad, message in [
        ((good[0], good[0]), "does not fit"),
        ((np.array([0.5, 0.6]), good[1]), "no probabilities"),
        ((np.array([-0.5, 1.5]), good[1]), "no probabilities"),
        ((good[0],), "one entry per variable"),
    ]:
        with pytest.raises(ParameterError, match=message):
            FittedNetwork(network, states, bad)
    with pytest.raises(ParameterError, match="labels of their own"):
        FittedNetwork(network, (("x", "x"), ("u", "v")), good)


def test_files_appear_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that refuses is one clear error, and an earlier file is as it was."""
    fitted = random_fitted(1)
    for write in (fitted.to_bif, fitted.to_xmlbif):
        with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
            write(tmp_path / "nowhere" / "n")
        path = tmp_path / "n"
        path.write_text("earlier")
        with pytest.raises(FormatError, match="cannot be written: Not a directory"):
            write(path / "n")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", no_space)
            with pytest.raises(FormatError, match="n: cannot be written: No space left on device"):
                write(path)
        assert path.read_text() == "earlier"
        assert list(tmp_path.iterdir()) == [path]


def no_space(*_: object) -> None:
    """Stand in for a full disk."""
    raise OSError(errno.ENOSPC, "No space left on device")
