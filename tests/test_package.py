"""What is shipped is complete, consistent, and works without a compiler."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import crediblenet
from crediblenet import _core

if sys.version_info >= (3, 11):
    import tomllib
else:  # a dependency of `build` in the extra "test"
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


#: What is tested is what a wheel has in it, not how fast that is, or for how many variables.
QUICKLY = (
    "-Ccmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0",
    "-Ccmake.define.CREDIBLENET_MOST_WORDS=1",
)


def build_wheel(out: Path) -> Path:
    """Build a source distribution, and from nothing else a wheel."""
    requires = PYPROJECT["build-system"]["requires"]
    probe = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(out)]
    if subprocess.run([*probe, *requires], capture_output=True, check=False).returncode:
        pytest.skip("building in isolation needs a package index, and none can be reached")
    run(sys.executable, "-m", "build", *QUICKLY, "--outdir", out, ".")
    (sdist,) = out.glob("crediblenet-*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"cpp/bindings.cpp", "LICENSE", "README.md", "tests/test_package.py"} <= names
    (built,) = out.glob("crediblenet-*.whl")
    return built


def check_the_wheel_is_complete(wheel: Path) -> None:
    """One compiled module, the stub and the marker for type checkers."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"crediblenet/_core.pyi", "crediblenet/py.typed"} <= set(names)
    assert len([name for name in names if name.endswith((".so", ".pyd"))]) == 1
    assert not [name for name in names if name.startswith(("tests/", "cpp/", "benchmarks/"))]
    stable = sys.version_info >= (3, 12)
    assert ("-cp312-abi3-" in wheel.name) == stable, wheel.name


def test_the_wheel_is_complete_and_works_without_a_compiler(tmp_path: Path) -> None:
    """It installs with its dependencies into a fresh environment, and runs there.

    One test, so that the wheel is built once however many processes share the tests.
    """
    wheel = build_wheel(tmp_path)
    check_the_wheel_is_complete(wheel)
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", venv)
    no_compiler = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PATH": str(venv / "bin"),
        "CC": "false",
        "CXX": "false",
    }
    for compiler in ("cc", "c++", "gcc", "g++", "clang", "cmake", "ninja"):
        assert shutil.which(compiler, path=no_compiler["PATH"]) is None
    run(
        venv / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        wheel,
        env=no_compiler,
    )
    command = venv / "bin/crediblenet"
    version = run(command, "--version", env=no_compiler)
    assert version.strip() == f"crediblenet {crediblenet.__version__}"
    where = run(
        venv / "bin/python",
        "-c",
        "import crediblenet._core as core; print(core.max_nodes, core.__file__)",
        env=no_compiler,
    )
    widest, _, core = where.strip().partition(" ")
    assert widest == "64"
    assert Path(core).is_relative_to(venv)


def test_light_imports() -> None:
    """Importing the package loads none of the optional libraries."""
    code = "import sys, crediblenet; print([m for m in sys.argv[1:] if m in sys.modules])"
    optional = ["matplotlib", "sklearn", "pandas", "polars", "distributed", "pgmpy"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    assert run(sys.executable, "-c", code, *optional, env=env).strip() == "[]"
