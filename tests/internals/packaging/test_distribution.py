"""The sdist, the wheel made from it, and an install of that wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import anabranch

ROOT = Path(__file__).resolve().parents[3]
HALVES = ("runtime", "transpile")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the checkout joins its halves by symlinks")


@dataclass(frozen=True, slots=True)
class Distribution:
    """One build: where it lies and what is in it."""

    wheel: Path
    wheel_names: frozenset[str]
    sdist_names: frozenset[str]
    metadata: Message


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distribution(tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    """Build the sdist, and the wheel from what the sdist holds."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT)
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        sdist_names = frozenset(name.partition("/")[2] for name in archive.getnames())
    with zipfile.ZipFile(wheel) as archive:
        wheel_names = frozenset(archive.namelist())
        (metadata,) = (name for name in wheel_names if name.endswith(".dist-info/METADATA"))
        parsed = Parser().parsestr(archive.read(metadata).decode())
    return Distribution(wheel, wheel_names, sdist_names, parsed)


def modules_in(folder: Path) -> set[str]:
    """Name every module under a folder, symlinks not followed."""
    found = set()
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        found |= {(Path(here) / name).relative_to(folder).as_posix() for name in files if name.endswith(".py")}
    return found


def expected_modules() -> set[str]:
    """Name every module of the checkout as the wheel must name it."""
    face = {f"anabranch/{name}" for name in modules_in(ROOT / "src" / "anabranch")}
    return face.union(*({f"anabranch/{half}/{name}" for name in modules_in(ROOT / half)} for half in HALVES))


@pytest.mark.parametrize("half", HALVES)
def test_checkout_joins_its_halves_by_relative_symlinks(half):
    assert os.readlink(ROOT / "src" / "anabranch" / half) == f"../../{half}"


def test_wheel_has_one_top_level_name(distribution):
    version = distribution.metadata["Version"]
    assert {name.partition("/")[0] for name in distribution.wheel_names} == {
        "anabranch",
        f"anabranch-{version}.dist-info",
    }


def test_wheel_holds_every_module_and_no_other(distribution):
    assert {name for name in distribution.wheel_names if name.endswith(".py")} == expected_modules()


def test_wheel_is_typed_and_licensed(distribution):
    assert "anabranch/py.typed" in distribution.wheel_names
    assert any(name.endswith("/licenses/LICENSE") for name in distribution.wheel_names)
    assert distribution.metadata["License-Expression"] == "Apache-2.0"
    assert distribution.metadata["Version"] == anabranch.__version__
    assert "Typing :: Typed" in distribution.metadata.get_all("Classifier", [])


def test_sdist_holds_each_module_once(distribution):
    modules = {name for name in distribution.sdist_names if name.endswith(".py")}
    halves = {f"{half}/{name}" for half in HALVES for name in modules_in(ROOT / half)}
    assert modules == halves | {f"src/anabranch/{name}" for name in modules_in(ROOT / "src" / "anabranch")}


def test_metadata_requires_no_peer(distribution):
    required = [line for line in distribution.metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    names = {line.partition(";")[0].strip().rstrip("<>=!~.,0123456789") for line in required}
    assert names == {"jaxlib", "numpy", "libcst", "llvmlite"}
    assert distribution.metadata["Requires-Python"] == ">=3.11"


def test_installed_wheel_imports(distribution, tmp_path):
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", distribution.wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # The dependencies come from this environment, behind the new one's own packages.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    program = (
        "from anabranch import __file__ as face, runtime, transpile; print(face, runtime.__file__, transpile.__file__)"
    )
    for origin in run(python, "-I", "-c", program).split():
        assert Path(origin).is_relative_to(site / "anabranch")
