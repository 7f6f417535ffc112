"""What is shipped is complete, consistent, and works without a compiler."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, PackagePath, distribution
from pathlib import Path

import pytest

import crediblenet
from crediblenet import _core

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def code_lines(markdown: Path) -> list[str]:
    """Return the lines inside the fenced code blocks of a file."""
    parts = re.split(r"^```.*$", markdown.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [line for block in parts[1::2] for line in block.splitlines() if line]


HOLDER = """
import threading
import crediblenet as cn
holds = threading.Event()
def hold(result):
    holds.set()
    threading.Event().wait()
threading.Thread(target=hold, args=(cn.find(cn.example().data),), daemon=True).start()
holds.wait()
"""


def test_a_result_may_outlive_the_interpreter() -> None:
    """A thread that never ends, as a notebook has some, holds a result: no word about it."""
    ended = subprocess.run(
        [sys.executable, "-c", HOLDER], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout == ended.stderr == ""


def test_the_core_includes_no_python_header() -> None:
    """Only bindings.cpp knows Python."""
    includes = re.compile(r"#\s*include\s*[<\"](Python\.h|nanobind/|pybind11/)")
    sources = [*ROOT.glob("cpp/**/*.h"), *ROOT.glob("cpp/**/*.cpp")]
    guilty = [
        str(path.relative_to(ROOT))
        for path in sources
        if includes.search(path.read_text(encoding="utf-8"))
    ]
    assert guilty == ["cpp/bindings.cpp"]


def members(body: list[ast.stmt], prefix: str = "") -> dict[str, set[tuple[str, ...]]]:
    """Return the names a stub declares, each with the parameter lists it may be called with."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            arguments = node.args
            names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
            names += [a.arg for a in arguments.kwonlyargs]
            found.setdefault(prefix + node.name, set()).add(tuple(names))
        elif isinstance(node, ast.ClassDef):
            found[prefix + node.name] = set()
            found |= members(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[prefix + node.target.id] = set()
    return found


def parameters(signature: str) -> tuple[str, ...]:
    """Return the parameter names of a signature as nanobind writes it.

    It is not Python: array types look like ``ndarray[dtype=uint64, shape=(*, *)]``.
    """
    parts, depth = [""], 0
    for character in signature[signature.index("(") + 1 :]:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    names = (re.split("[:=]", part)[0].strip() for part in parts)
    return tuple(name for name in names if name and name not in ("/", "*"))


def signatures(function: object) -> set[tuple[str, ...]]:
    """Return the parameter lists of a compiled function."""
    return {parameters(entry[0]) for entry in getattr(function, "__nb_signature__", ())}


def compiled_members(owner: object, prefix: str = "") -> dict[str, set[tuple[str, ...]]]:
    """Return what `members` should find, from the compiled module itself."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for name, value in vars(owner).items():
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(value, property):
            found[prefix + name] = {("self",)}
        else:
            found[prefix + name] = signatures(value)
        if isinstance(value, type):
            found |= compiled_members(value, f"{prefix}{name}.")
    return found


def test_the_stub_says_what_the_core_has() -> None:
    """Each name and parameter of _core is in _core.pyi, which is written by hand."""
    stub = ast.parse((ROOT / "src/crediblenet/_core.pyi").read_text(encoding="utf-8"))
    declared = {
        name: lists
        for name, lists in members(stub.body).items()
        if not name.rpartition(".")[2].startswith("_") or name.endswith(".__init__")
    }
    compiled = compiled_members(_core)
    for names in (declared, compiled):
        # A constructor without arguments need not be declared.
        for name in [n for n, lists in names.items() if n.endswith(".__init__")]:
            if names[name] == {("self",)}:
                del names[name]
    assert declared == compiled


def test_public_names_exist_and_are_documented() -> None:
    """Everything in __all__ can be imported and says what it is."""
    for name in crediblenet.__all__:
        value = getattr(crediblenet, name)
        assert name == "__version__" or value.__doc__, name
    assert set(crediblenet.__all__) <= set(dir(crediblenet))


def test_the_version_is_the_same_everywhere() -> None:
    """The citation and the change log know the version."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^version: {re.escape(crediblenet.__version__)}$", citation, re.MULTILINE)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[Unreleased\]$", changes, re.MULTILINE)


def test_hooks_use_the_versions_of_the_continuous_integration() -> None:
    """A commit that passes the hooks is formatted as .ci/run wants it."""
    pinned = {tool for tool in PYPROJECT["dependency-groups"]["lint"] if "==" in tool}
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    used = set(re.findall(r"additional_dependencies: \[(.*)\]", hooks))
    assert used
    assert used <= pinned


def test_readme_begins_with_the_two_commands() -> None:
    """One sets up and runs the demo, one sets up and runs the tests."""
    first, second = code_lines(ROOT / "README.md")[:2]
    assert first.startswith("python3 -m venv ")
    assert first.endswith("crediblenet demo")
    assert second.startswith("python3 -m venv ")
    assert second.endswith("-m pytest -n auto")


def test_the_python_of_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example works as it stands, given some data."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    crediblenet.example("cancer").write_csv("data.csv")
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own text
    assert Path("report.html").is_file()
    assert Path("run/summary.json").is_file()


def test_contributing_lists_every_developer_command() -> None:
    """Each nox session is in the table of CONTRIBUTING.md, and nothing else is."""
    noxfile = ast.parse((ROOT / "noxfile.py").read_text(encoding="utf-8"))
    sessions = {
        node.name.rstrip("_")
        for node in noxfile.body
        if isinstance(node, ast.FunctionDef) and node.decorator_list
    }
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `nox -s (\w+)`", table, re.MULTILINE)) == sessions


def run(*command: str | Path, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it prints; show all of it if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed() -> Distribution:
    """Return what pip installed: the files of a wheel, with a record of them."""
    try:
        found = distribution("crediblenet")
    except PackageNotFoundError:
        pytest.skip("crediblenet is not installed but imported from its sources")
    if not Path(_core.__file__).samefile(str(found.locate_file(own_core(found)))):
        pytest.skip("crediblenet is installed, but imported from elsewhere")
    return found


def own_core(package: Distribution) -> PackagePath:
    """Return the one compiled module of an installed package."""
    (core,) = (file for file in package.files or () if file.suffix in {".so", ".pyd"})
    return core


def of_the_wheel(package: Distribution) -> list[PackagePath]:
    """Return the files that an installed package has from its wheel, and not from pip."""
    from_pip = {"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"}
    return [
        file
        for file in package.files or ()
        if file.suffix != ".pyc" and file.parts[0] != ".." and file.name not in from_pip
    ]


def test_the_wheel_is_complete(installed: Distribution) -> None:
    """It has the package, the stub and the marker for type checkers, and nothing else."""
    names = {str(file) for file in of_the_wheel(installed)}
    assert {"crediblenet/_core.pyi", "crediblenet/py.typed"} <= names
    sources = {
        file.relative_to(ROOT / "src").as_posix()
        for file in (ROOT / "src").rglob("*")
        if file.is_file() and file.suffix not in {".pyc", ".so"}
    }
    others = {name for name in names - sources if ".dist-info/" not in name}
    assert others == {str(own_core(installed))}
    assert sources <= names
    stable = sys.version_info >= (3, 12)
    assert ("cp312-abi3-" in tag(installed)) == stable, tag(installed)


def tag(package: Distribution) -> str:
    """Return which interpreters and machines the wheel of an installed package is for."""
    (found,) = re.findall(r"^Tag: (.*)$", package.read_text("WHEEL") or "", re.MULTILINE)
    return str(found)


def packed_again(package: Distribution, folder: Path) -> Path:
    """Return the wheel that a package was installed from, made of its installed files."""
    wheel = folder / f"{package.name}-{package.version}-{tag(package)}.whl"
    files = of_the_wheel(package)
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in files:
            archive.write(str(file.locate()), str(file))
        record = f"{package.name}-{package.version}.dist-info/RECORD"
        archive.writestr(record, "".join(f"{file},,\n" for file in [*files, record]))
    return wheel


def test_the_wheel_works_without_a_compiler(installed: Distribution, tmp_path: Path) -> None:
    """In a fresh environment with its own dependencies alone, the main job is done."""
    wheel, venv = packed_again(installed, tmp_path), tmp_path / "venv"
    run(sys.executable, "-m", "venv", venv)
    no_compiler = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PATH": str(venv / "bin"),
        "CC": "false",
        "CXX": "false",
    }
    for compiler in ("cc", "c++", "gcc", "g++", "clang", "cmake", "ninja"):
        assert shutil.which(compiler, path=no_compiler["PATH"]) is None
    pip: list[str | Path] = [venv / "bin/python", "-m", "pip"]
    needed = [*pip, "download", "--quiet", "--no-deps", "--dest", tmp_path, "typer"]
    if subprocess.run([str(part) for part in needed], capture_output=True, check=False).returncode:
        pytest.skip("dependencies come from a package index, and none can be reached")
    run(*pip, "install", "--quiet", "--no-compile", wheel, env=no_compiler)
    command = venv / "bin/crediblenet"
    version = run(command, "--version", env=no_compiler)
    assert version.strip() == f"crediblenet {crediblenet.__version__}"
    out = tmp_path / "run"
    figures = json.loads(run(command, "demo", "--json", "--out", out, env=no_compiler))
    assert figures["complete"] is True
    assert (out / "report.html").is_file()


def test_light_imports() -> None:
    """Importing the package loads none of the optional libraries."""
    code = "import sys, crediblenet; print([m for m in sys.argv[1:] if m in sys.modules])"
    optional = ["matplotlib", "sklearn", "pandas", "polars", "distributed", "pgmpy"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    assert run(sys.executable, "-c", code, *optional, env=env).strip() == "[]"
