"""Files that are written whole or not at all."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from chinese_poker.errors import ChinesePokerError
from chinese_poker.files import check_writable, faults_of, replacing
from chinese_poker.texts import quote


def written(path: Path, then: Callable[[BinaryIO], object] = lambda file: None) -> BinaryIO:
    """The file that took the place of another, when something else has been done, too."""
    with replacing(path) as file:
        file.write(b"new")
        then(file)
    return file


def refusal(path: Path, then: Callable[[BinaryIO], object] = lambda file: None) -> str:
    with pytest.raises(ChinesePokerError) as caught:
        written(path, then)
    assert caught.value.code == "unwritable"
    return caught.value.message


def interrupted(path: Path, then: Callable[[BinaryIO], object] = lambda file: None) -> BinaryIO:
    """The file when something was done with it that did not end well."""
    files: list[BinaryIO] = []

    def interrupt(file: BinaryIO) -> None:
        files.append(file)
        then(file)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(path, interrupt)
    return files[0]


@pytest.mark.parametrize("name", ["results.json", "x" * 200 + ".json", "y" * 255])
def test_a_file_is_there_when_the_block_has_ended_well(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for old, new in ((None, b"one"), (b"one", b"two")):
        with replacing(path) as file:
            file.write(new)
            file.flush()
            assert (path.read_bytes() if path.exists() else None) == old
            [beside] = [each.name for each in tmp_path.iterdir() if each != path]
            assert beside.startswith(f".{name[:200]}.")
            assert beside.endswith(".tmp")
            assert len(beside) <= 255
        assert file.closed
        assert path.read_bytes() == new
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("old", [None, b"old"])
def test_nothing_changes_when_the_block_does_not_end_well(tmp_path: Path, old: bytes | None) -> None:
    path = tmp_path / "results.json"
    if old:
        path.write_bytes(old)
    assert interrupted(path).closed
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([old] if old else [])
    assert interrupted(path, lambda file: Path(file.name).unlink()).closed
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([old] if old else [])


def test_two_who_write_the_same_file_are_not_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with replacing(path) as one:
        with replacing(path) as other:
            one.write(b"one")
            other.write(b"other")
        assert path.read_bytes() == b"other"
    assert path.read_bytes() == b"one"


def test_a_file_that_happens_to_have_its_name_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "0")
    (tmp_path / ".a.0.tmp").write_bytes(b"theirs")
    assert refusal(tmp_path / "a").endswith(" cannot be written: File exists; name another file")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"theirs"]


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/results.json")
    written(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "results.json").read_bytes() == b"new"
    assert len(list(tmp_path.rglob("*"))) == 3


def test_what_cannot_be_written_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fault = "cannot be written: No such file or directory; make its folder first"
    assert refusal(Path("no/results.json")) == f"'no/results.json' {fault}"
    fits, longer = Path("no", "x" * 147), Path("no", "x" * 148)
    assert refusal(fits) == f"'{fits}' {fault}"
    assert refusal(longer) == f"'{str(longer)[:150]}...' {fault}"
    Path("old").write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert refusal(Path("old")) == "'old' cannot be written: Permission denied; name a file in a folder of yours"
    written(Path("new"))
    assert [path.read_bytes() for path in sorted(Path().iterdir())] == [b"new", b"old"]


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        (errno.ENOTDIR, "name a file in a folder"),
        (errno.EISDIR, "name a file in it"),
        (errno.EPERM, "name a file in a folder of yours"),
        (errno.EROFS, "name a file in a folder of yours"),
        (errno.ENOSPC, "make room, or name another disk"),
        (errno.EFBIG, "make room, or name another disk"),
        (errno.ENAMETOOLONG, "give it a shorter name"),
    ],
)
def test_each_fault_has_its_remedy(fault: int, remedy: str) -> None:
    with pytest.raises(ChinesePokerError) as caught, faults_of(Path("a")):
        raise OSError(fault, "told by the system")
    assert caught.value.message == f"'a' cannot be written: told by the system; {remedy}"


def test_whether_a_file_could_be_written_is_asked_without_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "a"
    check_writable(path)
    assert not list(tmp_path.iterdir())
    path.write_bytes(b"old")
    check_writable(path)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"old"]
    with pytest.raises(ChinesePokerError, match="Is a directory; name a file in it"):
        check_writable(tmp_path)


def test_a_fault_without_words() -> None:
    with pytest.raises(ChinesePokerError) as caught, faults_of(Path("a")):
        raise OSError
    assert caught.value.code == "unwritable"
    assert caught.value.message == "'a' cannot be written: the system refuses; name another file"
    with pytest.raises(KeyError), faults_of(Path("a")):
        raise KeyError


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_regular_file_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    assert written(path).closed
    assert os.read(reader, 9) == b"new"
    assert interrupted(path).closed
    assert path.is_fifo()
    fault = f"{quote(str(path), 150)} cannot be written: Broken pipe; name another file"
    assert refusal(path, lambda file: os.close(reader)) == fault
    assert list(tmp_path.iterdir()) == [path]
    assert path.is_fifo()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_who_reads_a_pipe_is_not_disturbed_by_the_question(tmp_path: Path) -> None:
    """To open and close it would be its end."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    check_writable(path)  # would wait for a reader, if it opened it
