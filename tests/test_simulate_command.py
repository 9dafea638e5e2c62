"""``chinese-poker simulate`` as a process: what it writes, how it ends, how it goes on."""

import csv
import io
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pexpect
import pytest
from click.testing import CliRunner
from commanding import COMMAND, lines, run
from test_simulation import Wild

from chinese_poker.cli import cli
from chinese_poker.cli.common import WHOLE
from chinese_poker.errors import SimulationError
from chinese_poker.presets import load_rules, read_rules
from chinese_poker.score import score
from chinese_poker.simulation import Summary, engines, simulate
from chinese_poker.simulation.emission import emitting
from chinese_poker.simulation.views import COLUMNS, FORMATS, rows
from chinese_poker.wire import read_deal

BASIC = load_rules("basic")
GREEDY = ("--strategy", "greedy")


def ran(*arguments, folder=None):
    """The command, which must do well."""
    done = run("simulate", *arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.fixture(scope="module")
def summary():
    return simulate(600, load_rules("mandarin"), ["expected", "greedy", "greedy", "expected"], seed=8)


@pytest.fixture(scope="module")
def line():
    players = [word for name in ("expected", "greedy", "greedy", "expected") for word in ("--strategy", name)]
    return ["--deals", "6e2", "--rules", "mandarin", "--seed", "8", *players]


def test_json(line, summary):
    (document,) = lines(ran(*line, "--json"))
    assert Summary.read(document) == summary
    seat = document["seats"][1]
    assert (seat["strategy"], seat["scores"]["mean"]) == ("greedy", summary.seats[1].figures.mean)
    assert sum(seat["scores"]["histogram"].values()) == document["deals"] == 600


def test_csv_and_parquet(line, summary, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    read = list(csv.DictReader(io.StringIO(ran(*line, "--csv").decode())))
    told = [dict(zip(COLUMNS, map(str, row), strict=True)) for row in rows(summary)]
    assert read == told
    assert ran(*line, "-o", "out.parquet", folder=tmp_path) == b""
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == list(COLUMNS)
    assert [tuple(row.values()) for row in table.to_pylist()] == list(rows(summary))
    values = {row[:-1]: row[-1] for row in rows(summary)}
    held = summary.seats[2].categories(2)
    for category, each in held.items():
        assert values[2, "greedy", "categories", "back", category.word, "deals"] == each.deals
    assert values[0, "expected", "quantiles", "", "95", "units"] == summary.seats[0].quantile(95)


def test_files_by_their_ending(line, summary, tmp_path):
    for ending, written in FORMATS.items():
        ran(*line, "-o", f"out{ending}", folder=tmp_path)
        if ending != ".parquet":
            assert (tmp_path / f"out{ending}").read_bytes() == written(summary)
    assert len(list(tmp_path.iterdir())) == len(FORMATS)


def test_tables(line, summary):
    text = ran(*line, "--strengths").decode()
    figures = summary.seats[3].figures
    assert f"{figures.mean:+.4f} ± {figures.error:.4f}" in text
    for words in (
        "mandarin, 4 players, 600 deals of seed 8",
        "home runs",
        "full house",
        "one pair A",
        "greedy: the back",
    ):
        assert words in text
    assert max(map(len, text.splitlines())) <= 120


def test_numbers_as_people_write_them():
    for text in ("1e2", "100", "1_00", "100.0", "1,00", "١٠٠"):
        assert WHOLE.convert(text, None, None) == 100


# ----------------------------------------------------------------------------------------------------
# The deals themselves


@pytest.mark.parametrize("rule_set", ["basic", "malaya", "indonesia", "taiwan"])
def test_deals_written_are_scored_to_the_same_totals(tmp_path, rule_set):
    line = ("--deals", "300", "--rules", rule_set, "--seed", "3", "--shards", "4", "--workers", "2")
    (document,) = lines(ran(*line, "--emit", "deals.jsonl", "--json", folder=tmp_path))
    results = lines(run("score", "deals.jsonl", "--json", folder=tmp_path).stdout)
    assert [result["id"] for result in results] == list(range(300))
    assert {result["rules"] for result in results} == {rule_set}
    totals = np.array([[player["total"] for player in result["players"]] for result in results])
    assert totals.sum(axis=0).tolist() == [seat["scores"]["units"] for seat in document["seats"]]
    for seat, column in zip(document["seats"], totals.T, strict=True):
        values, counts = np.unique(column, return_counts=True)
        assert seat["scores"]["histogram"] == dict(zip(map(str, values.tolist()), counts.tolist(), strict=True))
    assert [path.name for path in tmp_path.iterdir()] == ["deals.jsonl"]


@pytest.mark.parametrize("rules", [load_rules("us-1-6"), read_rules({"base": "fujian", "units": {"back": 2}}, "club")])
def test_fouls_surrenders_and_house_rules_are_written_too(tmp_path, rules):
    path = tmp_path / "deals.jsonl"
    with emitting(path) as emitter:
        summary = simulate(300, rules, [Wild(), "greedy", Wild()], seed=6, first=20, emit=emitter)
    deals = [read_deal(document) for document in lines(path.read_bytes())]
    assert {in_force for _, in_force in deals} == {rules}
    assert [deal.id for deal, _ in deals] == list(range(20, 320))
    results = [score(deal, in_force) for deal, in_force in deals]
    for seat, sums in enumerate(summary.seats):
        totals = [result.totals[seat] for result in results]
        assert {score: totals.count(score) for score in set(totals)} == sums.scores
        players = [result.players[seat] for result in results]
        done = Counter(
            "foul" if p.foul else "surrender" if p.surrender else str(p.natural or "played") for p in players
        )
        assert done == {outcome: sums.deals for outcome, sums in sums.outcomes.items()}
    assert summary.seats[0].outcomes["foul"].deals > 10


def test_deals_in_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("deals.jsonl", "deals.parquet"):
        ran("--deals", "200", *GREEDY, "--players", "3", "--emit", name, "-o", "x.json", folder=tmp_path)
    found = parquet.read_table(tmp_path / "deals.parquet").to_pylist()
    scored = lines(run("score", "deals.jsonl", "--json", folder=tmp_path).stdout)
    told = [
        (
            result["id"],
            player["seat"],
            "greedy",
            *(sorted(player[segment]["cards"].split()) for segment in ("front", "middle", "back")),
            player["natural"],
            False,
            player["total"],
        )
        for result in scored
        for player in result["players"]
    ]
    segments = ("front", "middle", "back")
    read = [tuple(sorted(v.split()) if k in segments else v for k, v in row.items()) for row in found]
    assert read == told
    again = lines(run("score", "deals.parquet", "--json", folder=tmp_path).stdout)
    assert [[player["total"] for player in result["players"]] for result in again] == [
        [player["total"] for player in result["players"]] for result in scored
    ]


# ----------------------------------------------------------------------------------------------------
# Killed and gone on with


def _held(path):
    """How many deals a checkpoint holds."""
    try:
        return json.loads(path.read_text().splitlines()[1])["deals"]
    except FileNotFoundError:
        return 0


def _wait_until(true, seconds=90):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("engine", ["local", "processes"])
def test_killed_by_signal_9_and_gone_on_with(tmp_path, engine):
    path = tmp_path / "run.ckpt"
    line = ["--deals", "12000", *GREEDY, "--rules", "mandarin", "--shards", "60", "--json", "--seed", "5"]
    kept = ["--checkpoint", str(path), "--engine", engine, "--workers", "2"]
    process = subprocess.Popen([*COMMAND, "simulate", *line, *kept], stdout=subprocess.PIPE, start_new_session=True)
    _wait_until(lambda: _held(path) >= 1_000)
    process.kill()
    assert process.communicate()[0] == b""
    _wait_until(lambda: not _alive(process.pid), 20)
    assert 1_000 <= _held(path) < 12_000
    whole = ran(*line)
    assert ran(*line, *kept, "--resume") == whole
    assert _held(path) == 12_000


def _alive(group):
    """Whether a process of this group is left: workers do not outlive who started them."""
    found = subprocess.run(["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True, check=False)
    return any(not state.startswith("Z") for state in found.stdout.split())


def test_ctrl_c_prints_what_is_done(tmp_path):
    path = tmp_path / "run.ckpt"
    arguments = ["--deals", "1e9", "--checkpoint", str(path), "-o", str(tmp_path / "out.json"), *GREEDY]
    child = pexpect.spawn(
        COMMAND[0], [*COMMAND[1:], "simulate", *arguments], timeout=90, dimensions=(50, 120), codec_errors="replace",
        encoding="utf-8",
    )  # fmt: skip
    child.expect(r"[1-9][\d,]* of 1,000,000,000.*deals/s")
    _wait_until(lambda: _held(path) > 0)
    child.sendintr()
    child.expect("basic, 4 players, ([0-9,]+) deals of seed 0")
    shown = int(child.match[1].replace(",", ""))
    child.expect(r"interrupted: ([0-9,]+) of 1,000,000,000 deals are done; --resume goes on")
    assert int(child.match[1].replace(",", "")) == shown == _held(path)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert json.loads((tmp_path / "out.json").read_text())["deals"] == shown


def test_two_runs_that_write_the_same_files(tmp_path):
    line = ["simulate", "--deals", "2000", "--shards", "100", "-o", "out.json", "--emit", "deals.jsonl"]
    ways = [["--strategy", "greedy"], ["--strategy", "heuristic", "--seed", "1"]]
    both = [subprocess.Popen([*COMMAND, *line, *way], cwd=tmp_path, stderr=subprocess.PIPE) for way in ways]
    assert [(process.communicate()[1], process.returncode) for process in both] == [(b"", 0)] * 2
    written = {}
    for way in ways:
        ran(*line[1:5], "-o", "alone.json", "--emit", "alone.jsonl", *way, folder=tmp_path)
        for ending in ("json", "jsonl"):
            written.setdefault(ending, set()).add((tmp_path / f"alone.{ending}").read_bytes())
    assert (tmp_path / "out.json").read_bytes() in written["json"]
    assert (tmp_path / "deals.jsonl").read_bytes() in written["jsonl"]
    assert len(list(tmp_path.iterdir())) == 4


def test_two_runs_that_keep_the_same_checkpoint(tmp_path):
    path = tmp_path / "run.ckpt"
    line = ["--deals", "6000", "--shards", "100", *GREEDY, "--checkpoint", "run.ckpt", "--resume", "--json"]
    both = [subprocess.Popen([*COMMAND, "simulate", *line], cwd=tmp_path, stdout=subprocess.PIPE) for _ in range(2)]
    whole = ran("--deals", "6000", *GREEDY, "--json")
    assert [process.communicate()[0] for process in both] == [whole] * 2
    assert ran(*line, folder=tmp_path) == whole
    assert _held(path) == 6_000


# ----------------------------------------------------------------------------------------------------
# What goes wrong


def said(*arguments, folder):
    """The one line in which the command says what is wrong, after which nothing is left behind."""
    before = sorted(folder.iterdir())
    done = run("simulate", *arguments, folder=folder)
    assert (done.returncode, done.stdout) == (1, b"")
    (line,) = done.stderr.decode().splitlines()
    assert sorted(folder.iterdir()) == before
    return line


@pytest.mark.parametrize(
    "arguments",
    [
        *(["--deals", text] for text in ("1e30", "0", "-1", "1.5", "nan", "inf", "1e999999999", "ten", "")),
        *(["--shards", text] for text in ("0", "-2", "1e9")),
        *(["--workers", text] for text in ("0", "1e3", "99999")),
        *(["--players", text] for text in ("1", "5")),
        ["--first", "-1"],
        ["--strategy", "best"],
        [*GREEDY * 3, "--players", "2"],
        ["--banker", "0"],
        ["--rules", "malaya", "--banker", "4"],
        ["--engine", "cloud"],
        ["--engine", "local", "--scheduler", "tcp://localhost:8786"],
        ["--workers", "2", "--scheduler", "tcp://localhost:8786"],
        ["--resume"],
        ["--json", "--csv"],
        ["-o", "out.xlsx"],
        ["--emit", "deals.csv"],
        ["--emit", "deals.jsonl", "--checkpoint", "run.ckpt"],
    ],
    ids=" ".join,
)
def test_wrong_options(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["simulate", *([] if "--deals" in arguments else ["--deals", "9"]), *arguments])
    assert (done.exit_code, done.stdout, list(tmp_path.iterdir())) == (2, "", [])
    *_, line = done.stderr.splitlines()
    assert line.startswith("Error: ")
    assert len(line) < 250


@pytest.mark.parametrize("option", [("-o", "json"), ("--emit", "jsonl"), ("--checkpoint", "ckpt"), ("-o", "parquet")])
def test_files_that_cannot_be_written(tmp_path, option):
    name, ending = option
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / f"folder.{ending}").mkdir()
    for path in (f"nowhere/out.{ending}", f"file/out.{ending}", f"folder.{ending}", f"{'x' * 300}.{ending}"):
        resume = ["--resume"] if name == "--checkpoint" else []
        line = said("--deals", "9", *GREEDY, name, path, *resume, folder=tmp_path)
        assert "cannot be" in line
        assert path[:20] in line


@pytest.mark.parametrize(
    "option", [("-o", "json"), ("--emit", "jsonl"), ("--emit", "parquet"), ("--checkpoint", "ckpt")]
)
def test_a_full_disk(tmp_path, option):
    """A limit on the size of files stands in for it: writes fail in the same way, in the middle."""
    name, ending = option
    path = tmp_path / f"out.{ending}"
    path.write_bytes(b"what was there")
    line = [*COMMAND, "simulate", "--deals", "3000", "--shards", "30", *GREEDY, name, path.name]
    if name == "--checkpoint":
        path.unlink()
    done = subprocess.run(
        line,
        cwd=tmp_path,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )
    assert done.returncode == 1
    assert done.stdout == b""
    fault = f"'{path.name}' cannot be written: File too large; make room, or name another disk"
    assert done.stderr.decode().strip().endswith(f"unwritable: {fault}")
    if name == "--checkpoint":
        assert 0 <= _held(path) < 3_000  # the last one that had room
    else:
        assert path.read_bytes() == b"what was there"
    assert len(list(tmp_path.iterdir())) == path.exists()


def test_standard_output_that_is_full():
    with Path("/dev/full").open("wb") as full:
        line = [*COMMAND, "simulate", "--deals", "9", *GREEDY, "--json"]
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"chinese-poker: cannot write: No space left on device\n"


def test_a_checkpoint_that_is_there_is_not_overwritten(tmp_path):
    path = tmp_path / "run.ckpt"
    line = ("--deals", "50", *GREEDY, "--checkpoint", "run.ckpt")
    ran(*line, folder=tmp_path)
    before = path.read_bytes()
    assert "checkpoint_exists" in said(*line, folder=tmp_path)
    assert "other_game" in said(*line, "--resume", "--seed", "1", folder=tmp_path)
    path.write_bytes(before[:-9])
    assert "unreadable_checkpoint" in said(*line, "--resume", folder=tmp_path)


def test_addresses_that_are_none(tmp_path):
    for address in ("nonsense", "udp://localhost:8786", "tcp://localhost", "tcp://localhost:port", ""):
        line = said("--deals", "9", *GREEDY, "--scheduler", address, "-o", "x.json", folder=tmp_path)
        assert line.startswith("chinese-poker: no_cluster: the cluster at ")
        assert line.endswith("give its address as tcp://host:8786")


@contextmanager
def _nobody():
    """An address at which nobody listens."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        yield server.getsockname()[1]


@contextmanager
def _silent():
    """An address at which connections are taken, and nothing is said."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def _web():
    """A web server."""
    line = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process.stdout.readline().split(" port ")[1].split()[0]
        process.terminate()


@contextmanager
def _idle():
    """A scheduler without workers."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(1, processes=False, dashboard_address=None, silence_logs=50) as cluster:
        cluster.scale(0)
        _wait_until(lambda: not cluster.scheduler.workers)
        yield cluster.scheduler_address.rpartition(":")[2]


@pytest.mark.parametrize("server", [_nobody, _silent, _web, _idle])
def test_clusters_that_refuse(monkeypatch, server, tmp_path):
    monkeypatch.setattr(engines, "PATIENCE", 2)
    path = tmp_path / "run.ckpt"
    with server() as port, pytest.raises(SimulationError) as error:
        simulate(9, BASIC, ["greedy"], engine="dask", scheduler=f"tcp://127.0.0.1:{port}", checkpoint=path)
    assert error.value.code == "no_cluster"
    assert not path.exists()


@pytest.mark.parametrize(("module", "extra"), [("distributed", "dask"), ("pyarrow", "tables")])
def test_extras_that_are_not_installed(monkeypatch, module, extra, tmp_path):
    monkeypatch.setitem(sys.modules, module, None)
    asked = {"dask": ["--engine", "dask"], "tables": ["-o", str(tmp_path / "out.parquet")]}[extra]
    done = CliRunner().invoke(cli, ["simulate", "--deals", "9", *GREEDY, *asked])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.endswith(f"pip install 'chinese-poker[{extra}]'\n")
    assert not list(tmp_path.iterdir())


def test_files_are_as_others_write_them(tmp_path):
    """With the rights that the user's mask gives, through links, and into what is no file."""
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    ran("--deals", "9", *GREEDY, "-o", "link.json", folder=tmp_path)
    assert link.is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~mask
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    line = [*COMMAND, "simulate", "--deals", "9", *GREEDY, "--emit", str(pipe), "-o", str(target)]
    with subprocess.Popen(line) as process:
        assert len(lines(pipe.read_bytes())) == 9
    assert process.returncode == 0
    assert pipe.is_fifo()


def test_sigterm_leaves_whole_files(tmp_path):
    line = [*COMMAND, "simulate", "--deals", "1e9", *GREEDY, "--checkpoint", "run.ckpt", "--shards", "1e6"]
    path = tmp_path / "run.ckpt"
    with subprocess.Popen(line, cwd=tmp_path) as process:
        _wait_until(lambda: _held(path) > 0)
        process.send_signal(signal.SIGTERM)
    assert _held(path) > 0
