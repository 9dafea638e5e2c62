"""Every command under every setting of a machine: what it says is the same, or one line that says why not.

``everything.EVERYTHING`` names each command with arguments; one that is added and not named there fails here.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from commanding import lines
from everything import EVERYTHING, NAMES, ONE_EACH, QUICK, REFUSED, TEXT, Said, run_all

from chinese_poker.cli import COMMANDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork")

Answers = Mapping[tuple[str, ...], Said]
FILES = (("rules", "fujian", "--toml"), ("docs", "tutorial"), ("ledger", "export", "--data", "nights.db"))
"""Calls that write what is kept as a file: the same bytes everywhere."""
_MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT?\s*\d\d:\d\d(:\d\dZ)?")
_SECONDS = re.compile(rb'"seconds":[^,]*')


def without_time(text: bytes) -> bytes:
    return _SECONDS.sub(b"", _MOMENT.sub(b"", text))


def same(one: Answers, other: Answers) -> None:
    for call, said in other.items():
        assert (call, said.status, said.err) == (call, one[call].status, one[call].err)
        assert (call, without_time(said.out)) == (call, without_time(one[call].out))


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    return run_all(tmp_path_factory.mktemp("usual"))


def test_every_command_is_here_and_does_well(usual: Answers) -> None:
    assert EVERYTHING.keys() == COMMANDS.keys()
    for call, said in usual.items():
        assert (call, bool(said.status)) == (call, call in REFUSED)
        assert (call, bool(said.err)) == (call, call in REFUSED)
        assert said.out or call in REFUSED or "-o" in call
    for name in NAMES:
        assert name.encode() in usual["ledger", "standings", "--data", "nights.db"].out


SETTINGS: dict[str, dict[str, str | None]] = {
    "another hash seed": {"PYTHONHASHSEED": "4242"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "LANGUAGE": "tr"},
    "far east, development mode": {"TZ": "Pacific/Kiritimati", "PYTHONDEVMODE": "1", "PYTHONWARNINGS": "default"},
    "no home": {"HOME": "/dev/null/none", "XDG_CACHE_HOME": None, "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None},
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_answer_is_the_same_under_every_setting(usual: Answers, setting: str, tmp_path: Path) -> None:
    if setting == "Turkish" and not knows("tr_TR.UTF-8"):
        pytest.skip("this system has no Turkish")
    same(usual, run_all(tmp_path, QUICK, environment=SETTINGS[setting]))


def knows(name: str) -> bool:
    """Whether the system has this locale."""
    code = f"import locale; locale.setlocale(locale.LC_ALL, {name!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


# ----------------------------------------------------------------------------------------------------
# Windows code pages


def words(text: bytes, page: str) -> str:
    """Letters, digits and escapes: not the lines of tables, which are drawn with what the page has."""
    return "".join(each for each in without_time(text).decode(page) if each.isalnum() or each == "\\")


def same_in_data(call: tuple[str, ...], said: Said, was: Said) -> bool:
    """Whether this is a call whose output is for programs; if so it has to be the same, however it is spelt."""
    assert (call, said.status) == (call, was.status)
    if call in FILES:
        assert (call, without_time(said.out)) == (call, without_time(was.out))
    elif "--json" in call or call[0] == "convert":
        assert said.out.isascii()
        assert lines(without_time(said.out)) == lines(without_time(was.out))
    else:
        return False
    return True


@pytest.mark.parametrize("page", ["cp437", "cp850", "cp932", "cp936", "cp1251", "cp1252", "cp1254"])
def test_a_windows_code_page(usual: Answers, page: str, tmp_path: Path) -> None:
    """Text is in the page, what is not in it escaped; JSON says the same; files are UTF-8; and errors are one line."""
    for call, said in run_all(tmp_path, TEXT, environment={"PYTHONIOENCODING": page, "PYTHONUTF8": "0"}).items():
        if not same_in_data(call, said, usual[call]):
            drawn = re.sub("[\u2500-\u257f]", "", usual[call].out.decode()).encode(page, "backslashreplace")
            assert (call, words(said.out, page)) == (call, words(drawn, page))


def test_locale_c(usual: Answers, tmp_path: Path) -> None:
    """Where Python takes the terminal to know ASCII alone, text is UTF-8 or escaped, and no letter is lost."""
    ascii_alone = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": None}
    for call, said in run_all(tmp_path, TEXT, environment=ascii_alone).items():
        if not same_in_data(call, said, usual[call]):
            told = re.sub(rb"\\(?:x..|u....|U.{8})", lambda found: found[0].decode("unicode_escape").encode(), said.out)
            assert (call, words(told, "utf-8")) == (call, words(usual[call].out, "utf-8"))


def test_what_is_written_under_a_code_page_is_read_back(tmp_path: Path) -> None:
    page = "cp1252"
    calls = [call for call in TEXT if call[:2] in (("ledger", "new"), ("ledger", "add")) or call in FILES]
    said = run_all(tmp_path, calls, environment={"PYTHONIOENCODING": page})
    (tmp_path / "mine.toml").write_bytes(said[FILES[0]].out)
    (tmp_path / "night.jsonl.export").write_bytes(said[FILES[2]].out)
    calls = [
        ("score", "--example", "--json", "--rules", "mine.toml"),
        ("score", "--example", "--json", "--rules", "fujian"),
        ("ledger", "import", "night.jsonl.export", "--data", "other.db"),
        ("ledger", "standings", "--json", "--data", "other.db"),
        ("ledger", "standings", "--json", "--data", "nights.db"),
    ]
    again = run_all(tmp_path, calls, environment={"PYTHONIOENCODING": page})
    assert {(each.status, each.err) for each in again.values()} == {(0, "")}
    one, other, _, there, here = (each.out for each in again.values())
    assert [line["players"] for line in lines(one)] == [line["players"] for line in lines(other)]
    assert there == here
    assert {row["name"] for row in json.loads(there)["standings"]} >= set(NAMES)


def test_names_in_a_code_page_are_refused_by_line(tmp_path: Path) -> None:
    """What another program has saved under a code page is told line by line, never read as something else."""
    for name, page in zip(NAMES, ("cp936", "cp1252", "cp1251", "cp1254"), strict=True):
        (tmp_path / "theirs.jsonl").write_bytes(f'{{"name": "{name}"}}\n'.encode(page) * 2)
        calls = [(command, "theirs.jsonl") for command in ("score", "check", "suggest", "review", "convert")]
        for said in run_all(tmp_path, calls, environment={"PYTHONIOENCODING": page}).values():
            assert said.status == 1
            assert [line.partition(" byte ")[0] for line in said.err.splitlines() if "not_utf8" in line] == [
                "theirs.jsonl:1: not_utf8:",
                "theirs.jsonl:2: not_utf8:",
            ]


# ----------------------------------------------------------------------------------------------------
# Clocks

JUMPING = """
import datetime, itertools, time
times = itertools.cycle([0.0, 2e9, 1e9, 4e9, 1e9 - 1, 253402300799.0])
time.time = lambda: next(times)
time.time_ns = lambda: int(next(times) * 1e9)
class Jumping(datetime.datetime):
    @classmethod
    def now(cls, zone=None):
        return datetime.datetime.fromtimestamp(next(times), zone)
chinese_poker.ledger.datetime = Jumping
"""


def test_a_clock_that_jumps_is_no_matter(usual: Answers, tmp_path: Path) -> None:
    """Forwards and backwards, by years, with each look at it: nothing is ordered by it, and no time is negative."""
    jumped = run_all(tmp_path, (*QUICK, ("train", "--json")), prelude=JUMPING)
    same(usual, jumped)
    (document,) = lines(jumped["train", "--json"].out)
    assert document["seconds"] >= 0
    history = lines(jumped["ledger", "export", "--data", "nights.db"].out)[1:]
    assert [line["version"] for line in history] == list(range(1, len(history) + 1))
    moments = [line["recorded"] for line in history]
    assert moments != sorted(moments), "the clock did jump"


# ----------------------------------------------------------------------------------------------------
# Streams


def test_a_closed_standard_output(tmp_path: Path) -> None:
    """One line and status 1."""
    prelude = "os.close(1); sys.stdout = None"
    for call, said in run_all(tmp_path, [call for call in ONE_EACH if call in QUICK], prelude=prelude).items():
        if call not in REFUSED:
            assert (call, said.err) == (call, "chinese-poker: cannot write: Bad file descriptor\n")
            assert said.status == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_standard_output(tmp_path: Path) -> None:
    prelude = "os.dup2(os.open('/dev/full', os.O_WRONLY), 1)"
    for call, said in run_all(tmp_path, ONE_EACH, prelude=prelude).items():
        if call not in REFUSED:
            assert (call, said.err) == (call, "chinese-poker: cannot write: No space left on device\n")
            assert said.status == 1


def test_all_streams_closed(usual: Answers, tmp_path: Path) -> None:
    """Nobody hears of it but by the status."""
    prelude = "[os.close(each) for each in range(3)]; sys.stdin = sys.stdout = sys.stderr = None"
    for call, said in run_all(tmp_path, [call for call in ONE_EACH if call in QUICK], prelude=prelude).items():
        assert (call, said.status, said.out, said.err) == (call, usual[call].status or 1, b"", "")


# ----------------------------------------------------------------------------------------------------
# Memory


OUT_OF_MEMORY = "chinese-poker: out of memory\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
@pytest.mark.parametrize("more", [4, 12])
def test_too_little_memory_is_one_line(tmp_path: Path, more: int) -> None:
    """So many megabytes more than a command has when it begins; where a library ends the process, Python cannot say.

    Commands that start threads are left out: one for which there is no memory may never begin, and is waited for.
    """
    prelude = f"""
import resource
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + ({more} << 20),) * 2)
"""
    calls = [call for call in ONE_EACH if call in QUICK and call[0] != "duel"]
    answers = run_all(tmp_path, calls, prelude=prelude)
    assert OUT_OF_MEMORY in {said.err for said in answers.values()}
    for call, said in answers.items():
        assert "Traceback" not in said.err, call
        if said.status == 1:
            assert (call, said.err) == (call, OUT_OF_MEMORY)
        elif call not in REFUSED:
            ended_by_a_library = (-6, 127)
            assert said.status in (0, *ended_by_a_library), call


def test_no_room_for_a_thread_is_one_line(tmp_path: Path) -> None:
    prelude = """
import threading
def start(*_, **__):
    raise RuntimeError("can't start new thread")
for name in ("_start_new_thread", "_start_joinable_thread"):  # the latter from Python 3.13 on
    if hasattr(threading, name):
        setattr(threading, name, start)
"""
    calls = [
        ("simulate", "--deals", "64", "--strategy", "greedy", "--checkpoint", "run.ckpt", "-o", "out.json"),
        ("duel", "greedy", "heuristic", "--deals", "20", "--workers", "2"),
    ]
    for said in run_all(tmp_path, calls, prelude=prelude).values():
        assert said == Said(1, b"", OUT_OF_MEMORY)
    assert {path.name for path in tmp_path.iterdir()} == {"night.jsonl", "one.jsonl", "run.ckpt"}


# ----------------------------------------------------------------------------------------------------
# Nobody is called, and nothing foreign is run

WATCHED = """
def told(event, arguments):
    starts = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")
    if event.startswith("socket.") or event in starts:
        os.write(2, f"{event} {arguments}\\n".encode())
        os._exit(99)
sys.addaudithook(told)
"""


def test_no_command_opens_a_socket_or_starts_a_program(usual: Answers, tmp_path: Path) -> None:
    same(usual, run_all(tmp_path, prelude=WATCHED))
