"""What a machine does to a program: no home, no memory, no network, odd locales, damaged caches, threads and forks."""

import ast
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from commanding import COMMAND, deal, json_lines, lines, run
from everything import HAND
from hypothesis import given
from hypothesis import strategies as st

import chinese_poker
from chinese_poker import files

PACKAGE = Path(chinese_poker.__file__).parent
EXAMPLE = PACKAGE / "examples" / "club-night.jsonl"
HOUSE = 'base = "eastern"\nbonuses = { front = { three_of_a_kind = 7 } }\n'
"""A game that no preset plays: its tables are trained, and kept in the cache."""
WITHOUT_NUMBA = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "numba" else found(name, *rest)
from chinese_poker.cli import main
from chinese_poker.engine import worth
worth.FEW_HANDS = 10
main()
"""
"""The command where numba is not installed, trained in a moment."""


def python(code: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program of Python run to its end."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


# ----------------------------------------------------------------------------------------------------
# The cache of trained tables


def trained(house: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A suggestion that needs the tables of a house, without numba so that the training is short."""
    arguments = ["-c", WITHOUT_NUMBA, "suggest", HAND, "--rules", str(house)]
    arguments += ["--against", "expected", "--samples", "20", "--json"]
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, check=False, timeout=300)


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("HOME", "XDG_CACHE_HOME")}
    return {**kept, **more}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("house") / "house.toml"
    path.write_text(HOUSE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def kept(house: Path) -> tuple[Path, bytes]:
    """A cache with the tables in it, and the answer with which they were trained."""
    cache = house.parent / "cache"
    done = trained(house, **environment(XDG_CACHE_HOME=str(cache)))
    assert (done.returncode, done.stderr) == (0, b"")
    (file,) = cache.rglob("worth-*")
    assert file.stat().st_size < 100_000
    return cache, done.stdout


def copied(kept: tuple[Path, bytes], folder: Path) -> tuple[Path, Path]:
    cache = folder / "cache"
    shutil.copytree(kept[0], cache)
    return cache, next(cache.rglob("worth-*"))


def test_a_cache_that_may_not_be_written(house: Path, kept: tuple[Path, bytes], tmp_path: Path) -> None:
    """A file in the place of its folder, which stops even root."""
    (tmp_path / "cache").touch()
    done = trained(house, **environment(XDG_CACHE_HOME=str(tmp_path / "cache")))
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", kept[1])


@pytest.mark.parametrize("home", ["", "/nonexistent"])
def test_no_home(house: Path, kept: tuple[Path, bytes], home: str) -> None:
    given = {"HOME": home} if home else {}
    done = trained(house, **environment(**given, XDG_CACHE_HOME="/dev/null/none"))
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", kept[1])


def test_a_damaged_cache_is_not_trusted(house: Path, kept: tuple[Path, bytes], tmp_path: Path) -> None:
    cache, file = copied(kept, tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:400] + bytes([whole[400] ^ 4]) + whole[401:])
    done = trained(house, **environment(XDG_CACHE_HOME=str(cache)))
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", kept[1])
    assert file.read_bytes() == whole


def test_files_of_another_version_lie_undisturbed(house: Path, kept: tuple[Path, bytes], tmp_path: Path) -> None:
    """What another version kept has another name: it is neither read nor lost, and the tables are trained again."""
    cache, file = copied(kept, tmp_path)
    whole = file.read_bytes()
    older = file.replace(file.with_name("worth-" + "0" * 32))
    (file.with_name("something else")).write_bytes(b"mine")
    done = trained(house, **environment(XDG_CACHE_HOME=str(cache)))
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", kept[1])
    assert (file.read_bytes(), older.read_bytes()) == (whole, whole)
    assert file.with_name("something else").read_bytes() == b"mine"
    assert len(list(file.parent.iterdir())) == 3


AT_ONCE = """
import os, sys
from chinese_poker.engine import worth
from chinese_poker.presets import read_rules
rules = read_rules({"name": "house", "base": "eastern", "cap": 5})
short = worth.train
worth.train = lambda rules, **options: short(rules, rounds=1, hands=10)
ready, start = os.pipe()
children = []
for _ in range(32):
    child = os.fork()
    if not child:
        os.close(start)
        os.read(ready, 1)  # returns when the parent has closed the other end
        print(float(worth.worth(rules).back.sum()), flush=True)
        os._exit(0)
    children.append(child)
os.close(start)
assert {os.waitpid(child, 0)[1] for child in children} == {0}
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_32_processes_on_a_fresh_cache(tmp_path: Path) -> None:
    """All train, or read what another has written; no file is half there for any of them."""
    given = environment(XDG_CACHE_HOME=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", AT_ONCE], env=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 32
    assert len(set(done.stdout.split())) == 1
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert file.name.startswith("worth-")


# ----------------------------------------------------------------------------------------------------
# Threads, forks, memory, streams


def test_threads_settle_and_search_as_one_does() -> None:
    done = python(
        """
        import sys
        from concurrent.futures import ThreadPoolExecutor
        sys.setswitchinterval(1e-5)
        import numpy as np
        from chinese_poker.engine.batch import score_batch
        from chinese_poker.engine.dealing import deal
        from chinese_poker.engine.search import undominated
        from chinese_poker.presets import load_rules, rule_names
        decks = deal(5, 0, 10).reshape(10, 4, 13)
        def work(name):
            rules = load_rules(name)
            if rules.banker == "required":
                return score_batch(decks, rules, banker=0, compile=False).tolist()
            found = undominated(decks[:1, 0], wheel=rules.wheel, compile=False)
            return score_batch(decks, rules, compile=False).tolist(), found.packed.tolist()
        with ThreadPoolExecutor(16) as pool:
            many = list(pool.map(work, rule_names() * 2))
        assert many == [work(name) for name in rule_names()] * 2
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("compile", [False, True])
def test_the_engine_works_after_a_fork(compile: bool) -> None:
    done = python(
        """
        import multiprocessing, sys
        from chinese_poker.engine.batch import score_batch
        from chinese_poker.engine.dealing import deal
        from chinese_poker.presets import load_rules
        compile = sys.argv[1] == "True"
        decks, rules = deal(6, 0, 50).reshape(50, 4, 13), load_rules("mandarin")
        def work(threads):
            return score_batch(decks, rules, compile=compile, threads=threads).tolist()
        expected = work(2)
        with multiprocessing.get_context("fork").Pool(4) as pool:
            assert pool.map(work, [1, 2, 1, 2]) == [expected] * 4
        """,
        str(compile),
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_a_stream_is_scored_in_little_memory(tmp_path: Path) -> None:
    (tmp_path / "night.jsonl").write_bytes(json_lines(deal(id=i) for i in range(2_000)))
    line = f"ulimit -v 400000; exec {' '.join(COMMAND)} score night.jsonl --json"
    done = subprocess.run(["/bin/sh", "-c", line], cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 2_000


@pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")
def test_too_little_memory_is_one_line(tmp_path: Path) -> None:
    """The limit is set where the work begins: below that, Python itself does not start."""
    done = python(
        """
        import resource, sys
        import chinese_poker.suggest
        from chinese_poker.cli import advice, main
        size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (8 << 20),) * 2)
        main()
        """,
        "suggest",
        HAND,
        OPENBLAS_NUM_THREADS="1",
    )
    assert "Traceback" not in done.stderr
    assert (done.returncode, done.stderr) == (1, "chinese-poker: out of memory\n") or done.returncode in (-6, 127), (
        "but where a library ends the process"
    )


NOT_WAITING = """
import os, sys, threading, time
from pathlib import Path
from chinese_poker.cli import main
(give, given), (take, taken) = os.pipe(), os.pipe()
for each in (give, taken):
    os.set_blocking(each, False)
os.dup2(give, 0)
os.dup2(taken, 1)
os.close(taken)
def feed():
    text = Path(sys.argv[-1]).read_bytes()
    for at in range(0, len(text), 50_000):
        time.sleep(0.05)
        os.write(given, text[at : at + 50_000])
    os.close(given)
def read():
    while piece := os.read(take, 20_000):
        time.sleep(0.02)
        pieces.append(piece)
pieces = []
threads = [threading.Thread(target=each) for each in (feed, read)]
for thread in threads:
    thread.start()
sys.argv[1:] = ["score", "-", "--json"]
try:
    main()
except SystemExit as end:
    waits = os.get_blocking(0) or os.get_blocking(1)
    os.close(1)
    os.close(0)
    threads[1].join()
    print(end.code, b"".join(pieces).count(b"\\n"), waits, file=sys.stderr)
"""
"""The command at pipes that another program has told not to wait, one filled slowly and one emptied slowly."""


def test_pipes_that_do_not_wait_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "night.jsonl").write_bytes(json_lines(deal(id=i) for i in range(1_500)))
    assert python(NOT_WAITING, tmp_path / "night.jsonl").stderr == "0 1500 False\n", (
        "and the pipes are left as they were"
    )


SLOWLY = st.lists(st.binary(min_size=1, max_size=20), max_size=8)


@given(SLOWLY, st.sampled_from([b"", b"what was there"]))
def test_a_reader_sees_nothing_half_written(pieces: list[bytes], before: bytes) -> None:
    """While a slow disk takes a file in pieces, and as it is brought to the disk, what was there is there, whole."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "file")
        path.write_bytes(before)
        seen = []
        patch.setattr(files.os, "fsync", lambda descriptor: seen.append(path.read_bytes()))
        with path.open("rb") as reader:
            with files.replacing(path) as file:
                for piece in pieces:
                    file.write(piece)
                    file.flush()
                    seen.append(path.read_bytes())
            assert seen == [before] * (len(pieces) + 1)
            assert reader.read() == before, "who has it open reads on in the old one"
        assert path.read_bytes() == b"".join(pieces)


# ----------------------------------------------------------------------------------------------------
# Nothing foreign is run


def sources() -> Iterator[tuple[Path, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def test_files_are_written_in_one_way() -> None:
    """That of ``files.replacing``; others open a ledger or a table, or write what is shipped."""
    ways = {"open", "fdopen", "write_text", "write_bytes", "savez", "savez_compressed", "TemporaryFile"}
    calls = [
        (path.name, ast.unparse(node.func))
        for path, node in sources()
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ways
        if "'rb'" not in map(ast.unparse, node.args)
    ]
    assert sorted(set(calls)) == [
        ("__init__.py", "os.fdopen"),
        ("__init__.py", "os.open"),
        ("equilibrium.py", "np.savez_compressed"),
        ("files.py", "name.open"),
        ("files.py", "path.open"),
        ("ledger.py", "os.open"),
        ("nights.py", "ledger.open"),
        ("tablefiles.py", "path.open"),
        ("worth.py", "np.savez_compressed"),
    ]


RUN_TEXT = {"eval", "exec", "compile", "__import__", "execfile", "breakpoint"}
RUN_BYTES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "code", "codeop"}


def test_no_text_is_run_and_no_pickle_is_read() -> None:
    """Anywhere in the package: rule files, deals and caches are values, read by parsers that know nothing else."""
    found = []
    for path, node in sources():
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in RUN_TEXT:
                found.append(f"{path}:{node.lineno}: {name}")
            case ast.Import(names=names):
                found += [f"{path}: {each.name}" for each in names if each.name.partition(".")[0] in RUN_BYTES]
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in RUN_BYTES:
                found.append(f"{path}: {module}")
            case ast.keyword(arg="allow_pickle" | "shell", value=ast.Constant(value=True)):
                found.append(f"{path}:{node.value.lineno}: {node.arg}")
    assert not found


def test_numpy_files_are_read_without_pickles() -> None:
    """Every ``np.load`` says so itself."""
    calls = [
        node
        for _, node in sources()
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.load", "numpy.load", "np.savez_compressed")
    ]
    loads = [node for node in calls if ast.unparse(node.func).endswith("load")]
    assert loads
    for node in loads:
        assert "allow_pickle=False" in map(ast.unparse, node.keywords), ast.unparse(node)


RUNS_CODE = (
    "name = \"{__import__('os').system('touch ran')}\"\n",
    'title = "$(touch ran)"\nsources = ["`touch ran`", "%(os)s", "{0.__class__}"]\n',
    "[naturals]\nbig = \"__import__('os')\"\n",
    '"__class__" = "os"\n',
    'base = "!!python/object/apply:os.system [touch ran]"\n',
)


@pytest.mark.parametrize("text", RUNS_CODE)
def test_rule_files_cannot_run_code(text: str, tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_text(text, encoding="utf-8")
    done = run("score", str(EXAMPLE), "--rules", "house.toml", folder=tmp_path)
    assert done.returncode in (1, 2)
    assert b"Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["house.toml"]


HOSTILE = ("__import__('os').system('touch ran')", "$(touch ran)", "`touch ran`", "{0.__class__}", "evil:Bot")
EVIL = "from pathlib import Path\nPath('ran').touch()\n"


def test_texts_of_deals_and_answers_of_programs_cannot_run_code(tmp_path: Path) -> None:
    """As a strategy, a rule set or a natural that a deal names, and as what a program answers."""
    (tmp_path / "evil.py").write_text(EVIL, encoding="utf-8")
    hand = {"name": "A", "hand": HAND.replace(" ", "")}
    named = [
        document
        for text in HOSTILE
        for document in (
            deal(hand, strategy=text),
            deal(rules=text),
            deal(rules={"base": text}),
            deal({"declare": text}),
        )
    ]
    (tmp_path / "deals.jsonl").write_bytes(json_lines(named))
    (tmp_path / "answers").write_text("\n".join(HOSTILE * 6), encoding="utf-8")
    (tmp_path / "results").write_bytes(json_lines({"id": text, "players": [{"total": text}]} for text in HOSTILE))
    scored = run("score", "deals.jsonl", "--json", folder=tmp_path)
    assert (scored.returncode, scored.stdout, scored.stderr.count(b"\n")) == (1, b"", len(named))
    played = run("duel", "greedy", "--cmd", "cat answers", "--deals", "15", "--json", folder=tmp_path)
    (document,) = lines(played.stdout)
    assert sum(each["bad_answers"] for each in document["contestants"]) == 30, "every answer is a foul"
    checked = run("conformance", "--cmd", "cat results", "--rules", "basic", folder=tmp_path)
    assert checked.returncode == 1
    assert b"Traceback" not in scored.stderr + played.stderr + checked.stderr
    assert not (tmp_path / "ran").exists()


def test_checkpoints_and_ledgers_cannot_run_code(tmp_path: Path) -> None:
    """Sealed as they should be, with what would run if it were run; a ledger with a trigger that would load code."""
    path = tmp_path / "run.ckpt"
    line = ("simulate", "--deals", "9", "--strategy", "greedy", "--checkpoint", "run.ckpt", "--resume")
    assert run(*line, folder=tmp_path).returncode == 0
    whole = path.read_text(encoding="utf-8").split("\n")[1]
    pickled = "cos\\nsystem\\n(S'touch ran'\\ntR."
    for old, new in (('"greedy"', '"evil:Bot"'), ('"basic"', '"os:system"'), (whole, pickled)):
        text = whole.replace(old, new)
        head = {"checkpoint": 1, "version": chinese_poker.__version__, "digest": sha256(text.encode()).hexdigest()}
        path.write_text(f"{json.dumps(head)}\n{text}\n", encoding="utf-8")
        done = run(*line, folder=tmp_path)
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1), done.stderr
    assert run("ledger", "new", "--data", "nights.db", folder=tmp_path).returncode == 0
    with contextlib.closing(sqlite3.connect(tmp_path / "nights.db")) as raw, raw:
        raw.execute("CREATE TRIGGER t AFTER INSERT ON action BEGIN SELECT load_extension('./evil'); END")
    (tmp_path / "deals.jsonl").write_bytes(json_lines([deal()]))
    done = run("ledger", "add", "deals.jsonl", "--data", "nights.db", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1), done.stderr
    assert not (tmp_path / "ran").exists()


def test_user_keys_are_copied_and_never_read() -> None:
    mine = {"__proto__": {"x": 1}, "_": "{0.__class__}", "__class__": "os"}
    (result,) = lines(run("score", "-", "--json", stdin=json_lines([deal(**{f"_{key}": mine for key in mine})])).stdout)
    assert [result[f"_{key}"] for key in mine] == [mine] * 3
    assert json.dumps(result["players"][0]["total"]) == "2"
