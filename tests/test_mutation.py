"""The list of changes that change nothing is of the code as it is."""

from mutation import stale


def test_listed_changes_are_of_lines_that_are_there() -> None:
    assert stale() == []
