"""Every developer command by name: ``nox -l`` lists them, ``nox -s NAME`` runs one."""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
nox.options.sessions = ["lint", "typing", "tests", "native"]

ROOT = Path(__file__).parent


def native_sources() -> list[str]:
    """Return the C++ files that are formatted and checked."""
    return sorted(str(path) for path in (ROOT / "cpp").rglob("*.[ch]*") if path.is_file())


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests of the installed package; further arguments go to pytest."""
    session.install(".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style of Python and C++ without changing a file."""
    session.install(*nox.project.dependency_groups(pyproject(), "lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("clang-format", "--dry-run", "--Werror", *native_sources())


@nox.session(name="format")
def format_(session: nox.Session) -> None:
    """Put Python and C++ into the project's style."""
    session.install(*nox.project.dependency_groups(pyproject(), "lint"))
    session.run("ruff", "check", "--fix")
    session.run("ruff", "format")
    session.run("clang-format", "-i", *native_sources())


@nox.session
def typing(session: nox.Session) -> None:
    """Check the types, strictly."""
    session.install(".[test]", *nox.project.dependency_groups(pyproject(), "lint"))
    session.run("mypy")


@nox.session
@nox.parametrize("preset", ["release", "sanitize", "thread"])
def native(session: nox.Session, preset: str) -> None:
    """Build and run the core's own tests: as shipped, then under each sanitizer."""
    session.install(*nox.project.dependency_groups(pyproject(), "native"))
    session.run("cmake", "--preset", preset)
    session.run("cmake", "--build", "--preset", preset)
    session.run("ctest", "--preset", preset)


@nox.session
def tidy(session: nox.Session) -> None:
    """Look for bugs in the core with clang-tidy."""
    session.install("clang-tidy", *nox.project.dependency_groups(pyproject(), "native"))
    session.run("cmake", "--preset", "debug")
    sources = [path for path in native_sources() if path.endswith(".cpp")]
    own = [path for path in sources if "bindings" not in path and "tests" not in path]
    session.run("clang-tidy", "--quiet", "-p", "build/debug", *own)


@nox.session
def develop(session: nox.Session) -> None:
    """Build the extension into src/, for work with ``PYTHONPATH=src``."""
    session.install("numpy", *nox.project.dependency_groups(pyproject(), "native"))
    build = ROOT / "build" / "develop"
    session.run("cmake", "-S", ".", "-B", str(build), "-G", "Ninja", "-DCREDIBLENET_WERROR=ON")
    session.run("cmake", "--build", str(build))
    for extension in build.glob("_core*.so"):
        shutil.copy(extension, ROOT / "src" / "crediblenet")


@nox.session
def wheels(session: nox.Session) -> None:
    """Build wheels for every supported Python with cibuildwheel (needs containers)."""
    session.install("cibuildwheel")
    session.run("cibuildwheel", "--output-dir", "wheelhouse", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Fuzz every reader for a while, or one: ``nox -s fuzz -- csv -runs=1000000``."""
    session.install(".[test]", "atheris")
    readers = sorted(path.name for path in Path("fuzz/corpus").iterdir())
    chosen = [session.posargs] if session.posargs else [[name, "-runs=5000"] for name in readers]
    for arguments in chosen:
        session.run("python", "-m", "fuzz", *arguments)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Run the benchmarks, which assert their answers too."""
    session.install(".[test]")
    session.run("python", "-m", "pytest", "benchmarks", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation into site/, running its notebooks; a warning is an error."""
    session.install(".[test]", *nox.project.dependency_groups(pyproject(), "docs"))
    session.run("mkdocs", "build", "--strict", env={"NO_MKDOCS_2_WARNING": "1"})


@nox.session
def hooks(session: nox.Session) -> None:
    """Install the checks that run at every commit."""
    session.install("pre-commit")
    session.run("pre-commit", "install")


@nox.session(venv_backend="none")
def ci(session: nox.Session) -> None:
    """Do all that the continuous integration does."""
    session.run("bash", ".ci/run", external=True)


def pyproject() -> dict[str, object]:
    """Return the project's settings."""
    return dict(nox.project.load_toml(ROOT / "pyproject.toml"))
