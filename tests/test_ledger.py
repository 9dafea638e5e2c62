"""The ledger: what it keeps, what it takes back, and what may happen to it."""

import contextlib
import csv
import ctypes
import io
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from commanding import COMMAND, deal, json_lines, lines, run
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from machines import tried

from chinese_poker import DECK, ChinesePokerError, format_cards
from chinese_poker import ledger as ledger_module
from chinese_poker.documents import read_documents
from chinese_poker.ledger import Ledger, csv_rows
from chinese_poker.presets import kept_rules, load_rules, read_rules, rules_document
from chinese_poker.wire import dumps

EXAMPLE = Path(__file__).parents[1] / "chinese_poker" / "examples" / "club-night.jsonl"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "nights.db") as opened:
        yield opened


@pytest.fixture
def night(ledger: Ledger) -> str:
    return ledger.new(title="Friday", rules=load_rules("western"), unit=Decimal("0.25"), currency="EUR").id


def totals(ledger: Ledger, night: str) -> dict[str, int]:
    return {name: standing.units for name, standing in ledger.standings(night).by_player()}


def exported(ledger: Ledger, night: str) -> bytes:
    return b"".join(ledger.export(night))


def load(ledger: Ledger, text: bytes) -> list[str]:
    return [night.id for night in ledger.load(read_documents(io.BytesIO(text)))]


def code_of(function: Any, *arguments: Any, **options: Any) -> str:
    with pytest.raises(ChinesePokerError) as caught:
        function(*arguments, **options)
    assert "\n" not in str(caught.value)
    return caught.value.code


def test_a_night_with_a_correction_and_an_undo(ledger: Ledger, night: str) -> None:
    """North wins 2 under western as dealt; with the seats' hands exchanged South wins 2."""
    north, south = deal()["players"]
    for _ in range(5):
        ledger.add(night, deal())
    assert totals(ledger, night) == {"North": 10, "South": -10}
    exchanged = {"players": [{**south, "name": "North"}, {**north, "name": "South"}]}
    ledger.correct(night, 3, exchanged)
    assert totals(ledger, night) == {"North": 6, "South": -6}
    assert [entry.number for entry in ledger.deals(night)] == [1, 2, 3, 4, 5]
    assert [past.deal for past in ledger.history(night, 3)] == [deal(), exchanged]
    _, undone = ledger.undo(night)
    assert (undone.kind, undone.number) == ("correct", 3)
    assert totals(ledger, night) == {"North": 10, "South": -10}
    _, undone = ledger.undo(night)
    assert (undone.kind, undone.number) == ("add", 5)
    assert totals(ledger, night) == {"North": 8, "South": -8}
    assert [past.kind for past in ledger.history(night)] == [*["add"] * 5, "correct", "undo", "undo"]
    assert ledger.add(night, deal()).number == 6, "a number is never given twice"
    assert ledger.night(night).version == 9


def test_the_rules_stay_those_of_the_night(ledger: Ledger) -> None:
    """A house that pays 5 a segment, whatever a preset or the deal says."""
    rules = read_rules({"base": "units-only", "name": "ours", "revision": 7, "units": {"front": 5}})
    night = ledger.new(rules=rules).id
    result = ledger.add(night, deal(rules="mandarin")).result
    assert (result["rules"], result["revision"]) == ("ours", 7)
    assert [player["total"] for player in result["players"]] == [5 + 1 - 1, -5]
    with Ledger(ledger.path) as again:
        assert rules_document(again.night(night).rules) == rules_document(rules)
        assert again.deals(night)[0].result == result


def test_a_preset_that_is_revised_leaves_its_nights_as_they_were(ledger: Ledger) -> None:
    """Of an older version of the package, and in an export of one."""
    played = kept_rules({**rules_document(load_rules("western")), "foul": {"pays": "flat", "units": 9}})
    night = ledger.new(rules=played).id
    ledger.add(night, deal())
    assert ledger.night(night).rules.foul.units == 9
    assert [each.id for each in ledger.nights()] == [night]
    text = exported(ledger, night)
    ledger.delete(night)
    assert load(ledger, text) == [night]
    assert exported(ledger, night) == text


def test_the_result_stays_as_it_was_written(ledger: Ledger, night: str) -> None:
    ledger.add(night, deal())
    with sqlite3.connect(ledger.path) as raw:
        kept = json.loads(raw.execute("SELECT result FROM action").fetchone()[0])
        kept["players"][0]["total"], kept["players"][1]["total"] = 99, -99
        raw.execute("UPDATE action SET result = ?", [json.dumps(kept)])
    raw.close()
    assert totals(ledger, night) == {"North": 99, "South": -99}


def test_nights_are_listed_and_deleted(ledger: Ledger, night: str) -> None:
    other = ledger.new(rules=load_rules("basic"), players=["Ann", "Bo", "Ann"])
    assert other.players == ("Ann", "Bo")
    assert [each.id for each in ledger.nights()] == [other.id, night]
    ledger.add(night, deal({"name": "Cy"}))
    assert ledger.night(night).players == ("Cy", "South")
    ledger.delete(night)
    assert [each.id for each in ledger.nights()] == [other.id]
    assert code_of(ledger.deals, night) == "unknown_night"
    with sqlite3.connect(ledger.path) as raw:
        assert raw.execute("SELECT count(*) FROM action").fetchone() == (0,)
    raw.close()


def test_what_is_not_there(ledger: Ledger, night: str) -> None:
    assert code_of(ledger.night, "nobody") == "unknown_night"
    assert code_of(ledger.add, "nobody", deal()) == "unknown_night"
    assert code_of(ledger.correct, night, 1, deal()) == "unknown_deal"
    assert code_of(ledger.history, night, 1) == "unknown_deal"
    assert code_of(ledger.undo, night) == "nothing_to_undo"
    assert code_of(ledger.night, "' OR 1=1 --") == "unknown_night"


def test_a_bad_deal_is_not_kept(ledger: Ledger, night: str) -> None:
    assert code_of(ledger.add, night, deal({"front": "QhQdQh"})) == "duplicate_card"
    assert code_of(ledger.add, night, deal(_mine="x" * 70_000)) == "too_long"
    assert ledger.night(night).version == 0


def test_a_key_is_done_once(ledger: Ledger, night: str) -> None:
    first = ledger.add(night, deal(), key="a")
    assert ledger.add(night, deal(), key="a") == first
    assert code_of(ledger.add, night, deal(id=2), key="a") == "key_used"
    assert ledger.add(night, deal(), key="b").number == 2


def test_nobody_overwrites_what_he_has_not_seen(ledger: Ledger, night: str) -> None:
    seen = ledger.add(night, deal()).version
    ledger.correct(night, 1, deal(id="mine"), seen=seen)
    assert code_of(ledger.correct, night, 1, deal(id="yours"), seen=seen) == "changed_meanwhile"
    assert code_of(ledger.undo, night, seen=seen) == "changed_meanwhile"
    assert ledger.deals(night)[0].deal["id"] == "mine"
    ledger.undo(night, seen=2)
    assert "id" not in ledger.deals(night)[0].deal


MINE = [None, 1.5, 1e16, 2**80, "\ud800", {"a": [1e300]}, "陳", "<b>"]


def test_export_and_import_lose_nothing(ledger: Ledger, night: str, tmp_path: Path) -> None:
    ledger.add(night, deal({"_mine": MINE}, _table=MINE), key="k")
    ledger.correct(night, 1, deal())
    ledger.undo(night)
    ledger.add(night, {"players": [*deal()["players"], None]})
    text = exported(ledger, night)
    with Ledger(tmp_path / "other.db") as other:
        assert load(other, text) == [night]
        assert exported(other, night) == text
        assert other.night(night) == ledger.night(night)
        assert other.history(night) == ledger.history(night)
        assert load(other, text) == [night], "read twice, there once"
        ledger.undo(night)
        assert load(other, exported(ledger, night)) == [night], "what happened since is added"
        assert exported(other, night) == exported(ledger, night)
        assert load(other, text) == [night], "an older export takes nothing away"
        assert exported(other, night) == exported(ledger, night)
        other.add(night, deal())
        ledger.add(night, deal(id=5))
        assert code_of(load, other, exported(ledger, night)) == "night_differs"


def test_a_bad_import_keeps_nothing(ledger: Ledger, night: str, tmp_path: Path) -> None:
    for _ in range(3):
        ledger.add(night, deal())
    ledger.undo(night)
    good = exported(ledger, night).splitlines(keepends=True)
    values = [json.loads(line) for line in good]

    def with_line(at: int, **changes: Any) -> bytes:
        return b"".join([*good[:at], json.dumps({**values[at], **changes}).encode() + b"\n", *good[at + 1 :]])

    swapped = {**values[1]["result"], "players": values[1]["result"]["players"][::-1]}
    bad = {
        "nothing": b"",
        "no night": b"".join(good[1:]),
        "cut": b"".join(good)[:-20],
        "a gap": b"".join([*good[:2], *good[3:]]),
        "a wrong number": with_line(2, number=7),
        "an undo of what is not last": with_line(4, undoes=1),
        "a deal of one": with_line(1, deal={"players": []}),
        "another's result": with_line(1, result=swapped),
        "no result": with_line(1, result={}),
        "a result without fouls": with_line(
            1,
            result={
                **values[1]["result"],
                "players": [{k: v for k, v in p.items() if k != "foul"} for p in values[1]["result"]["players"]],
            },
        ),
        "units out of nothing": with_line(
            1, result={**values[1]["result"], "players": [{**p, "total": 9} for p in values[1]["result"]["players"]]}
        ),
        "an id that leads elsewhere": with_line(0, night={**values[0]["night"], "id": "../../x"}),
        "rules that are none": with_line(0, night={**values[0]["night"], "rules": {"name": 3}}),
        "a unit that is none": with_line(0, night={**values[0]["night"], "unit": "nan"}),
        "an unknown key": with_line(3, mine=1),
    }
    with Ledger(tmp_path / "other.db") as other:
        for text in bad.values():
            assert code_of(load, other, text)
            assert other.nights() == []
        assert load(other, b"".join(good)) == [night]


def test_csv_holds_no_formula(ledger: Ledger) -> None:
    night = ledger.new(title="=night", rules=load_rules("western"), unit=Decimal("0.5"))
    ledger.add(night.id, deal({"name": "=1+1"}, {"name": "@SUM(A1)"}))
    rows = list(csv_rows(night, ledger.deals(night.id)))
    assert [row[4] for row in rows] == ["'=1+1", "'@SUM(A1)"]
    assert [(row[0], row[5], row[6]) for row in rows] == [("'=night", 2, "1.0"), ("'=night", -2, "-1.0")]


def test_the_file_is_its_owners_alone_and_as_it_should_be(ledger: Ledger) -> None:
    assert ledger.path.stat().st_mode & 0o077 == 0
    raw = sqlite3.connect(ledger.path)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert raw.execute("PRAGMA user_version").fetchone() == (len(ledger_module._MIGRATIONS),)
    raw.close()
    assert ledger._pragma("foreign_keys") == 1
    assert ledger._pragma("synchronous") == 2


def test_an_older_schema_is_led_on(ledger: Ledger, night: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.add(night, deal())
    ledger.close()
    step = ("ALTER TABLE night ADD COLUMN place TEXT", "CREATE TABLE venue (name TEXT) STRICT")
    monkeypatch.setattr(ledger_module, "_MIGRATIONS", (*ledger_module._MIGRATIONS, step))
    with Ledger(ledger.path) as newer:
        assert newer._pragma("user_version") == len(ledger_module._MIGRATIONS)
        assert newer._rows("SELECT place FROM night") == [(None,)]
        assert len(newer.deals(night)) == 1
    with Ledger(ledger.path):
        pass  # led on once
    monkeypatch.undo()
    assert code_of(Ledger, ledger.path) == "ledger_newer"


def test_a_step_that_fails_changes_nothing(ledger: Ledger, night: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.close()
    step = ("CREATE TABLE venue (name TEXT) STRICT", "CREATE TABLE venue (name TEXT) STRICT")
    monkeypatch.setattr(ledger_module, "_MIGRATIONS", (*ledger_module._MIGRATIONS, step))
    assert code_of(Ledger, ledger.path) == "ledger_unreadable"
    monkeypatch.undo()
    with Ledger(ledger.path) as again:
        assert again.night(night).title == "Friday"


def test_files_that_are_no_ledger(tmp_path: Path) -> None:
    text, foreign = tmp_path / "text", tmp_path / "foreign"
    text.write_text("not a database, and long enough to be taken for one" * 20)
    with contextlib.closing(sqlite3.connect(foreign)) as raw:
        raw.execute("CREATE TABLE mine (a)")
    assert code_of(Ledger, text) == "ledger_unreadable"
    assert code_of(Ledger, foreign) == "ledger_unreadable"
    assert code_of(Ledger, tmp_path) == "ledger_unreadable"
    assert code_of(Ledger, tmp_path / "nowhere.db", create=False) == "no_ledger"
    assert not (tmp_path / "nowhere.db").exists()


CHANGED_BY_HAND = [
    *(("action", "result", text) for text in ("{}", "nonsense", "[]", "7", '{"players": [{"total": 1}]}', "[" * 9_999)),
    *(("action", "deal", text) for text in ("nonsense", "[]", "7", "")),
    *(("night", "rules", text) for text in ("nonsense", "[1]", '{"mine": 1}', '{"base": "best"}')),
    *(("night", "unit", text) for text in ("abc", "-1", "nan", "1e999999")),
]


@pytest.mark.parametrize(("table", "column", "text"), CHANGED_BY_HAND, ids=str)
def test_what_another_program_has_changed_is_told(
    ledger: Ledger, night: str, table: str, column: str, text: str
) -> None:
    """Every way to read it is refused in one line, and so is what would be added to rules that are none."""
    ledger.add(night, deal())
    with contextlib.closing(sqlite3.connect(ledger.path)) as raw, raw:
        raw.execute(f"UPDATE {table} SET {column} = ?", [text])
    reads = [ledger.nights, lambda: ledger.look(night), lambda: ledger.night(night)]
    if table == "action":
        reads += [lambda: ledger.deals(night), lambda: ledger.history(night), lambda: ledger.undo(night)]
    if column != "unit":
        reads.append(lambda: exported(ledger, night))
    if column == "rules":
        reads.append(lambda: ledger.add(night, deal()))
    for read in reads:
        assert code_of(read) == "ledger_unreadable"


ADDING = """
import sys
from chinese_poker.ledger import Ledger
import json
path, night, count, name = sys.argv[1:]
deal = json.loads(sys.stdin.readline())
with Ledger(path) as ledger:
    print("ready", flush=True)
    for i in range(int(count)):
        print(ledger.add(night, {**deal, "id": f"{name}{i}"}).number, flush=True)
"""


def adding(path: Path, night: str, count: int, name: str, **options: Any) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", ADDING, str(path), night, str(count), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    assert process.stdin
    process.stdin.write(json.dumps(deal()) + "\n")
    process.stdin.flush()
    return process


def whole(path: Path, night: str) -> list[Any]:
    """The ids of the deals in a file, each of which must be there whole."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
    with Ledger(path) as again:
        kept = again.deals(night)
    for entry in kept:
        assert [player["total"] for player in entry.result["players"]] == [2, -2]
        assert entry.result["id"] == entry.deal["id"]
    assert [entry.version for entry in kept] == list(range(1, len(kept) + 1))
    return [entry.deal["id"] for entry in kept]


@pytest.mark.parametrize("acknowledged", [1, 40, 333])
def test_killed_in_the_middle_of_a_thousand_writes(ledger: Ledger, night: str, acknowledged: int) -> None:
    """Signal 9 at some write: every acknowledged deal is there, none is half there."""
    process = adding(ledger.path, night, 1000, "x")
    assert process.stdout
    told = [process.stdout.readline() for _ in range(1 + acknowledged)]
    process.send_signal(signal.SIGKILL)
    told += process.stdout.readlines()
    process.wait()
    numbers = [int(line) for line in told[1:] if line.endswith("\n")]
    assert acknowledged <= len(numbers) < 1000
    kept = whole(ledger.path, night)
    assert len(numbers) <= len(kept) <= len(numbers) + 1
    assert kept == [f"x{i}" for i in range(len(kept))]
    assert ledger.add(night, deal()).number == len(kept) + 1


def test_two_processes_add_a_thousand_deals_each(ledger: Ledger, night: str) -> None:
    processes = [adding(ledger.path, night, 1000, name) for name in "ab"]
    outputs = [process.communicate(timeout=300) for process in processes]
    assert [error for _, error in outputs] == ["", ""]
    kept = whole(ledger.path, night)
    assert sorted(kept) == sorted(f"{name}{i}" for name in "ab" for i in range(1000))
    told = [int(number) for output, _ in outputs for number in output.split()[1:]]
    assert sorted(told) == list(range(1, 2001))
    assert totals(ledger, night) == {"North": 4000, "South": -4000}


def test_threads_share_a_ledger(ledger: Ledger, night: str) -> None:
    def add(name: str) -> None:
        for i in range(50):
            ledger.add(night, deal(id=f"{name}{i}"))
            ledger.night(night)

    threads = [threading.Thread(target=add, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(whole(ledger.path, night)) == 200


def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    opened: list[object] = []

    def open_it(path: Path) -> None:
        try:
            Ledger(path).close()
            opened.append("open")
        except ChinesePokerError as error:
            opened.append(error)

    for number in range(20):
        threads = [threading.Thread(target=open_it, args=[tmp_path / f"{number}.db"]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert opened == ["open"] * 160


def test_who_waits_too_long_is_told(ledger: Ledger, night: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "PATIENCE", 0.1)
    blocker = sqlite3.connect(ledger.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with Ledger(ledger.path) as hurried:
        assert code_of(hurried.add, night, deal()) == "ledger_busy"
        assert hurried.night(night).version == 0, "reading goes on"
        blocker.execute("ROLLBACK")
        assert hurried.add(night, deal()).number == 1
    blocker.close()


def commanded(path: Path, *arguments: str, stdin: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, "ledger", *arguments, "--data", str(path)],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
        **options,
    )


def one_line(done: subprocess.CompletedProcess[bytes]) -> str:
    text = done.stderr.decode()
    assert done.returncode == 1
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    return text


def test_a_full_disk_is_one_line_and_loses_nothing(ledger: Ledger, night: str) -> None:
    """No file may grow beyond a limit: SQLite is told so by the kernel, as of a full disk."""
    ledger.add(night, deal())
    ledger.close()
    limit = 1 << 17
    many = json_lines(deal(id=i, _note="x" * 2000) for i in range(200))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = commanded(ledger.path, "add", "-", stdin=many, preexec_fn=limited)
    assert "disk" in one_line(done)
    told = done.stdout.decode().splitlines()
    assert 0 < len(told) < 200
    with Ledger(ledger.path) as again:
        assert len(again.deals(night)) == 1 + len(told)
        assert again.add(night, deal()).number == 2 + len(told)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], capture_output=True, check=False
        )
        if mounted.returncode:
            pytest.skip("no file system may be mounted here")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    path = small_disk / "nights.db"
    with Ledger(path) as small:
        night = small.new(rules=load_rules("western")).id
    done = commanded(path, "add", "-", stdin=json_lines(deal(id=i, _note="x" * 2000) for i in range(400)))
    assert "the disk is full" in one_line(done)
    told = done.stdout.decode().splitlines()
    assert 0 < len(told) < 400
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as raw:
        assert raw.execute("SELECT count(*) FROM action").fetchone() == (len(told),)
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert night


def without_power_over_permissions() -> None:
    """Root obeys permissions too where it lacks this capability."""
    if os.geteuid() == 0:
        drop_from_bounding_set, override_permissions = 24, 1
        ctypes.CDLL(None).prctl(drop_from_bounding_set, override_permissions, 0, 0, 0)


@pytest.mark.parametrize("closed", ["file", "folder"])
def test_a_read_only_file_is_one_line_and_loses_nothing(tmp_path: Path, closed: str) -> None:
    folder = tmp_path / "closed"
    path = folder / "nights.db"
    with Ledger(path) as ledger:
        night = ledger.new(rules=load_rules("western")).id
        ledger.add(night, deal())
    path.chmod(0o444)
    folder.chmod(0o555 if closed == "folder" else 0o755)
    done = commanded(path, "add", "-", stdin=json_lines([deal()]), preexec_fn=without_power_over_permissions)
    folder.chmod(0o755)
    path.chmod(0o600)
    assert str(path) in one_line(done)
    assert done.stdout == b""
    with Ledger(path) as again:
        assert len(again.deals(night)) == 1


def test_a_read_only_file_system(small_disk: Path) -> None:
    path = small_disk / "nights.db"
    with Ledger(path) as ledger:
        night = ledger.new(rules=load_rules("western")).id
        ledger.add(night, deal())
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert str(path) in one_line(commanded(path, "add", "-", stdin=json_lines([deal()])))
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    with Ledger(path) as again:
        assert len(again.deals(night)) == 1


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "nights.db"
    assert "ledger new" in one_line(commanded(path, "list"))
    assert not path.exists()
    arguments = ("--title", "Friday", "--rules", "mandarin", "--unit", "0.25", "--currency", "EUR", "--player", "Zoe")
    (begun,) = lines(commanded(path, "new", *arguments, "--json").stdout)
    assert (begun["title"], begun["rules"], begun["unit"], begun["players"]) == ("Friday", "mandarin", "0.25", ["Zoe"])
    added = commanded(path, "add", str(EXAMPLE))
    assert added.stdout.decode().splitlines()[0] == "deal 1 kept: Mei +45, Jonas -3, Anh -20, Luz -22"
    kept, scored = (
        lines(commanded(path, "standings", "--json").stdout),
        lines(run("score", EXAMPLE, "--standings", "--json", "--unit", "0.25", "--currency", "EUR").stdout),
    )
    assert kept == scored
    results = [line["result"] for line in lines(commanded(path, "show", "--json").stdout)]
    assert b"".join(dumps(result) + b"\n" for result in results) == run("score", EXAMPLE, "--json").stdout
    first = EXAMPLE.read_bytes().splitlines()[0]
    assert commanded(path, "correct", "2", "-", stdin=first).stdout.startswith(b"deal 2 corrected: Mei +45")
    assert commanded(path, "undo").stdout == b"deal 2: its correction taken back\n"
    assert lines(commanded(path, "standings", "--json").stdout) == scored
    assert len(lines(commanded(path, "history", "--json").stdout)) == 5
    assert len(lines(commanded(path, "history", "2", "--json").stdout)) == 3
    rows = list(csv.DictReader(io.StringIO(commanded(path, "export", "--csv").stdout.decode())))
    assert sum(int(row["units"]) for row in rows) == 0
    assert rows[0]["money"] == "11.25"
    export = commanded(path, "export", "--all").stdout
    other = tmp_path / "other.db"
    assert commanded(other, "import", "-", stdin=export).stdout.decode() == f"night {begun['id']}: 3 deals\n"
    assert commanded(other, "export").stdout == export
    assert commanded(other, "delete", "--night", begun["id"], "--yes").returncode == 0
    assert commanded(other, "list").stdout == b""
    assert "\x1b" not in commanded(path, "show").stdout.decode()


def test_the_command_tells_what_is_bad(tmp_path: Path) -> None:
    path = tmp_path / "nights.db"
    commanded(path, "new")
    done = commanded(path, "add", "-", stdin=json_lines([deal(), deal({"front": "QhQd2d2c"}), deal()]))
    assert len(done.stdout.splitlines()) == 2
    assert one_line(done).startswith("-:2: /players/0")
    assert "no deal 9" in one_line(commanded(path, "correct", "9", "-", stdin=json_lines([deal()])))
    assert "'nobody' is no night" in one_line(commanded(path, "show", "--night", "nobody"))
    assert one_line(commanded(path, "import", "-", stdin=b'{"night": 1}\n')).startswith("-:1: ")
    two = commanded(path, "correct", "1", "-", stdin=json_lines([deal(), deal()]))
    assert two.returncode == 2
    path.write_bytes(b"x" * 5000)
    assert "is no ledger" in one_line(commanded(path, "list"))


def shuffled_deal(draw: Any) -> dict[str, Any]:
    deck = draw(st.permutations(DECK))
    players = []
    for seat, name in enumerate(draw(st.sampled_from(["AB", "BA", "ABC", "AA", "CDBA"]))):
        hand = deck[13 * seat :][:13]
        parts = {"front": hand[:3], "middle": hand[3:8], "back": hand[8:]}
        players.append({"name": name, **{key: format_cards(cards) for key, cards in parts.items()}})
    return {"players": players, "_n": draw(st.integers())}


DEALS = st.composite(shuffled_deal)()


class Moment(NamedTuple):
    """A night after one of its actions."""

    stands: dict[int, Any]
    before: tuple[dict[int, Any], ...]
    """What stood before each action that can be taken back."""
    highest: int


class Model(RuleBasedStateMachine):
    """The ledger against lists: what stands is kept in a dict, what can be taken back in a stack of such dicts."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.files = 0
        self.ledger = Ledger(self.path())
        self.night = self.ledger.new(rules=load_rules("taiwan")).id
        self.moments = [Moment({}, (), 0)]
        """One for each version."""
        self.exports = [exported(self.ledger, self.night)]
        """All that were ever taken of what is there now."""
        self.key = 0

    @property
    def now(self) -> Moment:
        return self.moments[-1]

    def path(self) -> Path:
        return Path(self.folder.name) / f"{self.files}.db"

    def teardown(self) -> None:
        self.ledger.close()
        self.folder.cleanup()

    def act(self, stands: dict[int, Any], highest: int) -> None:
        """What an action that can be taken back makes of the night."""
        self.moments.append(Moment(stands, (*self.now.before, self.now.stands), highest))

    @rule(value=DEALS, twice=st.booleans())
    def add(self, value: Any, twice: bool) -> None:
        """Twice under one key is once."""
        number = self.now.highest + 1
        self.key += 1
        for _ in range(1 + twice):
            assert self.ledger.add(self.night, value, key=f"k{self.key}").number == number
        self.act({**self.now.stands, number: value}, number)

    @precondition(lambda self: self.now.stands)
    @rule(value=DEALS, data=st.data())
    def correct(self, value: Any, data: Any) -> None:
        number = data.draw(st.sampled_from(sorted(self.now.stands)))
        self.ledger.correct(self.night, number, value)
        self.act({**self.now.stands, number: value}, self.now.highest)

    @rule()
    def undo(self) -> None:
        if not self.now.before:
            assert code_of(self.ledger.undo, self.night) == "nothing_to_undo"
            return
        self.ledger.undo(self.night)
        *before, stands = self.now.before
        self.moments.append(Moment(stands, tuple(before), self.now.highest))

    @rule()
    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = Ledger(self.path())

    @precondition(lambda self: self.now.stands)
    @rule(value=DEALS, way=st.sampled_from(["add", "correct", "undo", "load"]), at=st.integers(1, 5))
    def crash(self, value: Any, way: str, at: int) -> None:
        """Killed as some row is written, or as the transaction ends: what is on disk then is what was there before."""
        others = self.exports[-1].replace(self.night.encode(), b"another")
        deeds: dict[str, Callable[[], object]] = {
            "add": lambda: self.ledger.add(self.night, value),
            "correct": lambda: self.ledger.correct(self.night, max(self.now.stands), value),
            "undo": lambda: self.ledger.undo(self.night),
            "load": lambda: load(self.ledger, others),
        }
        self.files += 1
        written: list[str] = []

        def watch(statement: str) -> None:
            if statement.startswith(("INSERT", "COMMIT")) and len(written) < at:
                written.append(statement)
                self.copy_files(self.files - 1)

        self.ledger._db.set_trace_callback(watch)
        deeds[way]()
        self.ledger.close()
        assert written
        self.ledger = Ledger(self.path())
        assert [night.id for night in self.ledger.nights()] == [self.night]

    def copy_files(self, number: int) -> None:
        """What a kill would leave at this moment: the file, and the log that SQLite keeps beside it."""
        for path in Path(self.folder.name).glob(f"{number}.db*"):
            shutil.copy(path, path.with_name(path.name.replace(str(number), str(self.files), 1)))

    @rule(part=st.floats(0, 1))
    def lose_power(self, part: float) -> None:
        """The log ends anywhere, as on a disk that lied: some last actions are gone, and none is half there."""
        self.files += 1
        self.copy_files(self.files - 1)
        self.ledger.close()
        log = Path(f"{self.path()}-wal")
        if log.exists():
            os.truncate(log, int(part * log.stat().st_size))
        self.ledger = Ledger(self.path())
        if self.ledger.nights():
            del self.moments[1 + self.ledger.version(self.night) :]
        else:  # even its beginning was in the log alone
            self.moments = [Moment({}, (), 0)]
            load(self.ledger, self.exports[0])
            self.reopen()  # what was there before it was deleted may be in the file as long as this is in the log alone
        self.exports = [export for export in self.exports if export.count(b"\n") <= len(self.moments)]

    @rule()
    def move(self) -> None:
        """Export it, and go on with the import in another file."""
        text = exported(self.ledger, self.night)
        self.exports.append(text)
        self.ledger.close()
        self.files += 1
        self.ledger = Ledger(self.path())
        assert load(self.ledger, text) == [self.night]
        assert exported(self.ledger, self.night) == text

    @rule(data=st.data())
    def read_an_export_again(self, data: Any) -> None:
        """It takes nothing away that happened since, and adds nothing."""
        assert load(self.ledger, data.draw(st.sampled_from(self.exports))) == [self.night]

    @rule()
    def delete(self) -> None:
        """The night goes on from the last export."""
        text = exported(self.ledger, self.night)
        self.ledger.delete(self.night)
        assert self.ledger.nights() == []
        assert load(self.ledger, text) == [self.night]

    @rule(data=st.data())
    def refuse_an_export_that_is_cut(self, data: Any) -> None:
        """Within a line: of it nothing is kept."""
        text = exported(self.ledger, self.night).replace(self.night.encode(), b"another")
        cut = text[: data.draw(st.integers(1, len(text) - 2))]
        if not cut.endswith((b"\n", b"}")):
            assert code_of(load, self.ledger, cut) in ("cut_short", "bad_json", "not_utf8")

    @rule(value=DEALS)
    def correct_what_is_not_there(self, value: Any) -> None:
        assert code_of(self.ledger.correct, self.night, self.now.highest + 1, value) == "unknown_deal"

    @invariant()
    def it_is_the_model(self) -> None:
        kept = self.ledger.deals(self.night)
        assert {entry.number: entry.deal for entry in kept} == self.now.stands
        assert [night.id for night in self.ledger.nights()] == [self.night]
        assert self.ledger.version(self.night) == len(self.moments) - 1 == len(self.ledger.history(self.night))
        sums = self.ledger.standings(self.night).by_player()
        assert sum(standing.units for _, standing in sums) == 0
        assert sum(standing.deals for _, standing in sums) == sum(
            len(value["players"]) for value in self.now.stands.values()
        )


TestModel = Model.TestCase
TestModel.settings = tried(25, 20)
