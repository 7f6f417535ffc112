"""A credible set in words."""

from __future__ import annotations

import math

from crediblenet.credible_set import CredibleSet
from crediblenet.description import doubt
from crediblenet.network_set import ListedSet
from crediblenet.score_table import ScoreTable
from listed import random_results


def test_text_says_what_it_is() -> None:
    """Score, epsilon, Bayes factor, counts, completeness, best network, edges."""
    found = next(r for _, r, _ in random_results(range(3, 40)) if r.n_networks > 20)
    text = repr(found)
    for part in (
        f"{found.n_networks:,} networks",
        "Bayes factor of",
        "complete",
        "best network",
        "most certain",
        "most uncertain",
        str(found.optimal)[:20],
    ):
        assert part in text
    assert f"in {found.n_classes} class" in repr(found)  # counted now, so it is said


def test_incomplete_sets_say_so() -> None:
    """A partial set never looks whole."""
    _, found, _ = next(random_results(range(10, 11)))
    part = CredibleSet(found.table, found.network_set, 1.0, complete=False, stopped_by="time")
    assert "incomplete, stopped by the time limit: there may be more" in repr(part)
    assert "incomplete, stopped by the time limit" in part._repr_html_()


def test_what_an_unproved_optimum_means() -> None:
    """Within epsilon less the gap a network is credible, however good the optimum is."""
    _, found, _ = next(random_results(range(10, 11)))

    def words(gap: float) -> str:
        part = CredibleSet(
            found.table, found.network_set, 1.0, complete=False, stopped_by="time", gap=gap
        )
        assert f"better ones by up to {gap} nats" in repr(part)
        return doubt(part)

    assert "up to 0.25 nats better" in words(0.25)
    assert words(0.25).endswith(
        "only those within 0.75 nats of the best one found are sure to be credible"
    )
    assert words(1.5).endswith("may not be credible at all")


def test_priors_are_named() -> None:
    """Which weights the numbers stand for."""
    _, found, _ = next(random_results(range(10, 11)))
    assert "prior over networks" in repr(found)
    assert "prior over classes" in repr(found.with_prior("classes"))
    assert "on parent sets" in repr(found.with_prior(per_edge=-1.0))


def test_names_are_text_in_notebooks() -> None:
    """Markup in a name is shown, not run."""
    names = ["<script>alert(1)</script>", '"&']
    table = ScoreTable.from_candidates(
        names, [{frozenset(): 1.0}, {frozenset(): 1.0, frozenset({0}): 0.5}]
    )
    found = CredibleSet(table, ListedSet(table, [[0, 1], [0, 2]]), math.log(3))
    page = found._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.startswith("<table>")
