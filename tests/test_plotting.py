"""The matplotlib pictures: what is drawn is what the set says, and nothing is shown."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.patches import ArrowStyle
from matplotlib.text import Annotation

import report_examples as examples
from crediblenet import ParameterError, plotting
from crediblenet.credible_set import CredibleSet
from crediblenet.plotting.network import _bend, _Box, _Link
from crediblenet.plotting.style import number
from listed import bic_table, listed_set


@pytest.fixture(scope="module")
def result() -> CredibleSet:
    """Return a credible set of five variables at Bayes factor 150."""
    return examples.five_variables_set()


def words(picture: plotting.Picture) -> list[str]:
    """Return all texts in the first axes."""
    return [t.get_text() for t in picture.axes[0].texts if t.get_text()]


def arrows(picture: plotting.Picture) -> list[Any]:
    """Return the lines between the boxes."""
    texts = picture.axes[0].texts
    return [t.arrow_patch for t in texts if isinstance(t, Annotation) and t.arrow_patch]


@pytest.mark.parametrize("kind", ["directed", "adjacent"])
@pytest.mark.parametrize("threshold", [0.02, 0.3, 0.75, 1.0])
def test_network_has_every_variable_and_the_edges_above_the_threshold(
    result: CredibleSet, kind: Any, threshold: float
) -> None:
    """Boxes for all variables; one line per edge, or per pair whose direction is open."""
    picture = plotting.plot(result, threshold, kind=kind)
    edges = result.edge_probabilities()
    reached = edges.matrix >= threshold - 1e-9
    pairs = np.triu(edges.adjacent.values >= threshold - 1e-9)
    either = reached | reached.T
    expected = (
        int(pairs.sum()) if kind == "adjacent" else int(reached.sum() + (pairs & ~either).sum())
    )
    assert len(arrows(picture)) == expected
    assert set(result.names) <= set(words(picture))


def test_compelled_edges_are_drawn_with_arrows_only(result: CredibleSet) -> None:
    """One arrow for each edge that is compelled with at least that probability."""
    compelled = result.edge_probabilities().compelled
    assert compelled is not None
    lines = arrows(plotting.plot(result, 0.05, kind="compelled"))
    assert len(lines) == (compelled.values >= 0.05).sum() > 0
    assert all(isinstance(line.get_arrowstyle(), ArrowStyle.CurveFilledB) for line in lines)


def test_network_refuses_what_makes_no_sense(result: CredibleSet) -> None:
    """A threshold outside (0, 1] or an unknown kind is named in the message."""
    for threshold in (0.0, -1.0, 1.5, math.nan):
        with pytest.raises(ParameterError, match="threshold"):
            plotting.plot(result, threshold)
    with pytest.raises(ParameterError, match="one of directed, adjacent, compelled"):
        plotting.plot(result, kind="sideways")  # type: ignore[arg-type]


def test_edge_bends_around_a_box_in_its_way() -> None:
    """A straight line is kept when free, and left when a box lies on it."""
    link = _Link(0, 1, 0.5, arrow=True)
    free = {0: _Box(0, 0, 1), 1: _Box(0, -2, 1), 2: _Box(3, -1, 0.4)}
    assert _bend(free, link, (0.0, 0.3, -0.3)) == 0.0
    blocked = {**free, 2: _Box(0, -1, 0.4)}
    assert _bend(blocked, link, (0.0, 0.3, -0.3)) != 0.0


def test_no_line_leaves_the_page(result: CredibleSet) -> None:
    """Even at the lowest threshold, with every bend, all lies inside the axes."""
    picture = plotting.plot(result, 0.001)
    picture.savefig(io.BytesIO(), format="png")
    frame = picture.axes[0].bbox
    for line in arrows(picture):
        extent = line.get_path().get_extents(line.get_transform())
        assert frame.x0 <= extent.x0
        assert extent.x1 <= frame.x1
        assert frame.y0 <= extent.y0
        assert extent.y1 <= frame.y1


def test_heat_map_shows_the_matrix_in_the_best_networks_order(result: CredibleSet) -> None:
    """The picture's squares are the edge probabilities, its own edges above the diagonal."""
    axes = plotting.plot_edges(result).axes[0]
    squares: Any = axes.images[0].get_array()
    shown = squares.filled(0.0)
    order = [result.names.index(t.get_text()) for t in axes.get_yticklabels()]
    np.testing.assert_array_equal(shown, result.edge_probabilities().matrix[np.ix_(order, order)])
    for child, parents in enumerate(result.optimal.parent_sets):
        assert all(order.index(parent) < order.index(child) for parent in parents)


def test_score_curve_is_each_networks_deviation(result: CredibleSet) -> None:
    """Rank k of the curve is the k-th network's distance from the optimum."""
    line = plotting.plot_scores(result).axes[0].lines[0]
    ranks, deviations = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    for k, network in enumerate(result.networks(), 1):
        assert network.cost is not None
        step = np.flatnonzero(ranks <= k)[-1]
        assert deviations[step] == pytest.approx(network.cost - result.optimal_cost, abs=1e-12)
    dashed = plotting.plot_scores(result).axes[0].lines[1:]
    heights = [float(np.asarray(d.get_ydata())[0]) for d in dashed]
    assert np.exp(heights) == pytest.approx([3, 20, 150])


def test_score_curve_of_a_subset_ends_with_it(result: CredibleSet) -> None:
    """A smaller Bayes factor shows its own networks and its own lines."""
    subset = result.at(bayes_factor=20)
    axes = plotting.plot_scores(subset).axes[0]
    assert np.asarray(axes.lines[0].get_xdata())[-1] == subset.n_networks
    assert len(axes.lines) == 3


def test_levels_are_the_probabilities_at_each_level(result: CredibleSet) -> None:
    """Each level has a mark per edge, where its own edge probabilities say."""
    axes = plotting.plot_levels(result, [3, 150], edges=4).axes[0]
    assert len(axes.collections) == 2
    labels = [t.get_text() for t in axes.get_yticklabels()]
    for marks, factor in zip(axes.collections, (3, 150), strict=True):
        edges = result.at(bayes_factor=factor).edge_probabilities()
        for (x, _), edge in zip(np.asarray(marks.get_offsets()), labels, strict=True):
            source, target = edge.split(" → ")
            assert x == pytest.approx(float(edges[source, target]))
    with pytest.raises(ParameterError, match="search again"):
        plotting.plot_levels(result, [3, 1000])
    with pytest.raises(ParameterError, match="at least one"):
        plotting.plot_levels(result, [])


def test_pictures_of_the_smallest_set() -> None:
    """One variable, one network, nothing to draw: every picture still comes out."""
    table = bic_table(((0,), (1,), (1,)))
    listed, _ = listed_set(table, 0.0)
    lonely = CredibleSet(table, listed, 0.0)
    for make in (plotting.plot, plotting.plot_edges, plotting.plot_scores, plotting.plot_levels):
        make(lonely).savefig(io.BytesIO(), format="png")


def test_names_are_never_read_as_mathematics(result: CredibleSet) -> None:
    """Dollar signs, markup and very long names are drawn as they are."""
    names = ("$x$", "a_b^{c", "\\frac", "<b>", "long " * 30)
    table = replace(result.table, names=names)
    wild = CredibleSet(table, result.network_set, result.epsilon)
    for make in (plotting.plot, plotting.plot_edges, plotting.plot_levels):
        make(wild).savefig(io.BytesIO(), format="png")


def test_notebook_displays_a_picture_by_itself(result: CredibleSet) -> None:
    """The picture offers itself as PNG, without pyplot having been imported."""
    assert plotting.plot_scores(result)._repr_png_().startswith(b"\x89PNG")
    script = "import sys, crediblenet.plotting; print('matplotlib.pyplot' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"


def test_numbers_stand_for_exactly_one_only_when_it_is() -> None:
    """Two places never round to certainty or to nothing."""
    assert [number(p) for p in (1.0, 0.999, 0.5, 0.001)] == ["1", ">.99", ".50", "<.01"]
