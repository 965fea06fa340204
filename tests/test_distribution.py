"""The distribution is evalstats-tally, the package evalstats; one named evalstats is refused, not mixed."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from evalstats._version import __version__
from evalstats.cli.conflict import refuse_other_distribution
from evalstats.errors import InputError

ROOT = Path(__file__).parents[1]


def _run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], check=False, capture_output=True, text=True, cwd=ROOT
    )


def _dummy_wheel(folder: Path, name: str) -> Path:
    """A wheel of a distribution `name` that installs one module evalstats/other.py."""
    info = f"{name}-0.3.3.dist-info"
    files = {
        "evalstats/other.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.3.3\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    wheel = folder / f"{name}-0.3.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        record = ""
        for path, text in files.items():
            archive.writestr(path, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(text)}\n"
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return wheel


def _install(python: Path | str, wheel: Path, *options: str | Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
    done = _run(*pip, "install", "--no-index", "--no-deps", *options, wheel)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["evalstats", "evalstats_extras"])
def test_only_a_distribution_named_evalstats_is_refused(tmp_path, monkeypatch, name):
    _install(sys.executable, _dummy_wheel(tmp_path, name), "--target", tmp_path / "site")
    monkeypatch.syspath_prepend(tmp_path / "site")
    if name == "evalstats_extras":
        refuse_other_distribution()
        return
    with pytest.raises(InputError) as refusal:
        refuse_other_distribution()
    sentence = str(refusal.value)
    assert "evalstats-tally (this program)" in sentence
    assert str(tmp_path / "site" / "evalstats-0.3.3.dist-info") in sentence
    assert "pip uninstall evalstats evalstats-tally" in sentence
    assert "\n" not in sentence


def test_old_style_metadata_is_found_too(tmp_path, monkeypatch):
    (tmp_path / "evalstats.egg-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match="evalstats-tally"):
        refuse_other_distribution()


def test_ours_alone_is_not_refused():
    refuse_other_distribution()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    built = _run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_holds_the_package_its_types_and_its_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = f"evalstats_tally-{__version__}.dist-info"
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
    assert wheel.name == f"evalstats_tally-{__version__}-py3-none-any.whl"
    assert {name.partition("/")[0] for name in names} == {"evalstats", info}
    package = [path for path in (ROOT / "src" / "evalstats").rglob("*") if path.is_file()]
    files = {str(path.relative_to(ROOT / "src")) for path in package if path.suffix != ".pyc"}
    assert {name for name in names if not name.startswith(info)} == files
    assert "evalstats/py.typed" in files
    assert "evalstats = evalstats.cli.main:main" in entry_points
    assert "Name: evalstats-tally\n" in metadata
    assert f"{info}/licenses/LICENSE" in names


@pytest.mark.slow
@pytest.mark.parametrize("ours_first", [True, False], ids=["ours first", "theirs first"])
def test_the_installed_command_refuses_to_run_beside_the_other(tmp_path, wheel, ours_first):
    venv.create(tmp_path / "venv", symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    site = Path(_run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    command = (python.with_name("evalstats"), "score", "360/500")
    wheels = [wheel, _dummy_wheel(tmp_path, "evalstats")]
    _install(python, wheel)
    assert _run(*command).returncode == 0
    for one in wheels if ours_first else reversed(wheels):
        _install(python, one, "--force-reinstall")
    refused = _run(*command)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "evalstats-tally (this program)" in refused.stderr
    assert "Traceback" not in refused.stderr
