"""Every code block of the documentation runs, and prints what the page says it does."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import crediblenet
from crediblenet.cli.main import run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "decisions" not in path.parts)
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))

# ```python runs as it is; ```pycon is compared with what it prints; of ```bash the lines
# that call crediblenet run, and installing is left to .ci/run; ```text is no code.
BLOCK = re.compile(r"^ *```([^\n]*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def page_id(path: Path) -> str:
    """Return a short name for a page."""
    return str(path.relative_to(DOCS))


def run_python(code: str, name: str, names: dict[str, Any]) -> None:
    """Run a block as it stands."""
    exec(compile(code, name, "exec"), names)  # noqa: S102 - our own text


def run_session(text: str, name: str, names: dict[str, Any]) -> None:
    """Run a block with prompts, and compare its output."""
    test = doctest.DocTestParser().get_doctest(text, names, name, name, 0)
    problems: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    runner.run(test, out=problems.append, clear_globs=False)
    assert not problems, "\n".join(problems)
    names.update(test.globs)


def run_commands(text: str) -> None:
    """Run the lines that call crediblenet."""
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if not words or words[:2] == ["pip", "install"]:
            continue
        assert words[0] == "crediblenet", f"not a command that is tested: {line}"
        assert run(words[1:]) == 0, line


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run in its order, in a directory with a data.csv."""
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    crediblenet.example("asia").write_csv("data.csv")
    names: dict[str, Any] = {"__name__": page_id(page)}
    for language, code in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            run_python(code, page_id(page), names)
        elif language == "pycon":
            run_session(code, page_id(page), names)
        elif language == "bash":
            run_commands(code)
        else:
            # Drawings have no language; anything else would be code that nobody runs.
            assert language in ("", "text"), f"{page_id(page)}: a block of {language!r}"


def test_there_are_pages_and_notebooks() -> None:
    """The tests look in the right place."""
    assert DOCS / "tutorial.md" in PAGES
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=page_id)
def test_notebooks_are_stored_without_results(notebook: Path) -> None:
    """What the site shows was made by the build that shows it."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=page_id)
def test_notebooks_run(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their cells run one after the other; the build of the site runs them in Jupyter."""
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": notebook.stem}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            run_python("".join(cell["source"]), notebook.name, names)


def test_every_page_can_be_reached() -> None:
    """The navigation of the site lists each page and notebook once."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- (?:.*: )?(\S+\.(?:md|ipynb))$", settings, re.MULTILINE)
    found = [page_id(path) for path in (*DOCS.rglob("*.md"), *NOTEBOOKS)]
    assert sorted(listed) == sorted(found)


def test_every_public_name_is_in_the_reference() -> None:
    """Nothing that can be imported from the package is left out."""
    pages = "\n".join(p.read_text(encoding="utf-8") for p in (DOCS / "reference").glob("*.md"))
    shown = set(re.findall(r"^::: crediblenet\.(\w+)$", pages, re.MULTILINE))
    assert shown >= set(crediblenet.__all__) - {"__version__"}
