"""An environment with the wheel and its base dependencies alone, made by ``.ci/environments``."""

import os
import subprocess
from pathlib import Path

import pytest
from shown import blocks, check_console, help_examples, run_for_a_while, run_shell, write_files_of_examples

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif("BASE_ENVIRONMENT" not in os.environ, reason="run .ci/environments, which makes one"),
]

BINARIES = Path(os.environ.get("BASE_ENVIRONMENT", ""), "bin")
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
CORE = ("chinese-poker", "Score deals", "Rule sets", "Suggest an arrangement", "In Python")
"""The README's sections that need no extra."""
SECTIONS = {part.partition("\n")[0]: part for part in ("\n#" + README).split("\n## ")}
SECONDS = 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("base")
    write_files_of_examples(folder)
    return folder


def test_no_extra_is_there():
    listed = run_shell(f"{BINARIES}/python -c 'import {{0}}'".format("numba"), Path.cwd(), BINARIES)
    assert "ModuleNotFoundError" in listed.stderr


@pytest.mark.parametrize("title", CORE)
def test_section_of_the_readme(title, folder):
    found = blocks(SECTIONS[title])
    for block in found:
        if block.language == "console":
            check_console(block.body, folder, BINARIES)
    session = "\n".join(block.body for block in found if block.language == "pycon")
    (folder / "session.txt").write_text(session, encoding="utf-8")
    doctest = [BINARIES / "python", "-m", "doctest", "-o", "NORMALIZE_WHITESPACE", "session.txt"]
    done = subprocess.run(doctest, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("example", help_examples())
def test_help_example(example, folder):
    """It runs, or one line says which extra it needs."""
    done = run_for_a_while(example, folder, SECONDS, BINARIES)
    if done.returncode:
        assert done.stderr.count("\n") <= 4, done.stderr
        assert "pip install 'chinese-poker[" in done.stderr
    assert "Traceback" not in done.stderr
