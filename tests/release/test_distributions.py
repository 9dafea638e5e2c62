"""What ``.ci/release`` has put into ``dist``: all that belongs there, and nothing else."""

import subprocess
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from chinese_poker import __version__

pytestmark = pytest.mark.release

TOP = Path(__file__).parents[2]
SHARE = {
    "bash-completion/completions/chinese-poker",
    "fish/vendor_completions.d/chinese-poker.fish",
    "man/man1/chinese-poker.1",
    "zsh/site-functions/_chinese-poker",
}


@pytest.fixture(scope="module")
def wheel():
    (path,) = (TOP / "dist").glob("*.whl")
    assert path.name == f"chinese_poker-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def tracked(*folders: str) -> set[str]:
    """The files of a commit, and nothing that lies about."""
    listed = subprocess.run(["git", "ls-files", *folders], cwd=TOP, capture_output=True, text=True, check=True)
    return set(listed.stdout.splitlines())


def test_contents_of_the_wheel(wheel):
    about = f"chinese_poker-{__version__}"
    info = {"METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE", "RECORD"}
    assert set(wheel) == (
        tracked("chinese_poker")
        | {f"{about}.data/data/share/{name}" for name in SHARE}
        | {f"{about}.dist-info/{name}" for name in info}
    )
    assert sum(map(len, wheel.values())) < 8 << 20


def test_contents_of_the_sdist():
    (path,) = (TOP / "dist").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert names == tracked() | {f"build/share/{name}" for name in SHARE} | {"PKG-INFO"}


def test_metadata(wheel):
    metadata = message_from_string(wheel[f"chinese_poker-{__version__}.dist-info/METADATA"].decode())
    assert (metadata["Name"], metadata["Version"]) == ("chinese-poker", __version__)
    pythons = [c.rpartition(" ")[2] for c in metadata.get_all("Classifier") if "Python :: 3." in c]
    assert metadata["Requires-Python"] == f">={pythons[0]}"
    needed = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert all(">=" in line for line in needed), "a dependency without a lower bound"


def test_the_manual_names_every_command(wheel):
    from chinese_poker.cli import COMMANDS

    page = wheel[f"chinese_poker-{__version__}.data/data/share/man/man1/chinese-poker.1"].decode()
    sections = {line.removeprefix(".SS ").replace("\\-", "-") for line in page.splitlines() if line.startswith(".SS ")}
    assert sections >= set(COMMANDS)
    assert f'"chinese-poker {__version__.replace("-", "")}"' in page


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_files_ask_the_command(wheel, shell):
    (text,) = (text.decode() for name, text in wheel.items() if f"/{shell}" in name and "/share/" in name)
    assert f"_CHINESE_POKER_COMPLETE={shell}_complete" in text
