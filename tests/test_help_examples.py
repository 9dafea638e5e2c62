"""Every example that a command's ``--help`` shows is run as it is written."""

import pytest
from shown import help_examples, run_for_a_while, write_files_of_examples

from chinese_poker.cli import COMMANDS

EXAMPLES = help_examples()
SECONDS = 2
"""After which an example that serves, or plays millions of deals, is stopped."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for all: the ledger's examples are a night."""
    folder = tmp_path_factory.mktemp("examples")
    write_files_of_examples(folder)
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example, folder):
    port = " --port 0" if " serve" in example else ""  # somebody may be on the usual one
    done = run_for_a_while(example + port, folder, SECONDS)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


def test_every_command_has_one():
    assert {example.partition("chinese-poker ")[2].split()[0] for example in EXAMPLES} == set(COMMANDS)
