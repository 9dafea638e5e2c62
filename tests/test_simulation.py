"""Simulated deals: counted as the core scores them, the same on every engine, merged in any order."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from functools import reduce
from itertools import combinations, pairwise
from math import isclose, sqrt
from operator import add
from statistics import fmean, pstdev
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain import as_arrangement

from chinese_poker.arrangement import Arrangement
from chinese_poker.deal import Deal, Player
from chinese_poker.engine.batch import score_batch
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.settlement import settlement
from chinese_poker.errors import ChinesePokerError, DealError, SimulationError
from chinese_poker.matchup import Reason
from chinese_poker.presets import load_rules
from chinese_poker.rules import Ties
from chinese_poker.score import score
from chinese_poker.simulation import Dealt, Summary, simulate
from chinese_poker.simulation.engines import engine_for
from chinese_poker.simulation.play import Game, play, tally
from chinese_poker.simulation.run import work_off
from chinese_poker.simulation.summary import STRENGTHS, Held, Matchups, Outcome, Seat, missing
from chinese_poker.strategy import Setting, strategies, strategy

BASIC = load_rules("basic")


class Wild:
    """Sets hands as ``greedy`` does, or by lot, and now and then fouls or gives up in place of playing."""

    name = "wild"

    def arrange(self, hands, rules, players):
        table = settlement(rules)
        setting = strategy("greedy").arrange(hands, rules, players)
        cards, states = setting.cards.copy(), setting.states.copy()
        given_up = [i for i, state in enumerate(table.states) if state.surrender]
        for i, hand in enumerate(np.asarray(hands).tolist()):
            lot = random.Random(str(hand))
            if lot.random() < 0.1:
                cards[i] = lot.sample(hand, 13)
                states[i] = -1
            elif lot.random() < 0.05:
                states[i] = table.foul
            elif given_up and lot.random() < 0.1:
                states[i] = given_up[0]
        return Setting(cards, states)


# ----------------------------------------------------------------------------------------------------
# Against the core, deal by deal


def scored_by_the_core(game, played):
    """The core's result of each deal, and what each player set."""
    table = settlement(game.rules)
    for cards, declared in zip(played.cards.tolist(), played.declared.tolist(), strict=True):
        players = []
        for hand, state in zip(cards, declared, strict=True):
            arrangement = as_arrangement(hand)
            if state == table.foul:
                arrangement = Arrangement(
                    arrangement.front + arrangement.middle[:1], arrangement.middle[1:], arrangement.back
                )
            done = table.states[state] if state >= 0 else None
            natural = done.natural if done else None
            players.append(Player("", arrangement, declare=natural, surrender=bool(done and done.surrender)))
        yield score(Deal(tuple(players), game.banker), game.rules), [player.arrangement for player in players]


def sides_of(result, arrangements, i, j, rules, banker):
    """Who wins the segments of two compared arrangements, by the strengths that the core found."""
    sides = []
    for segment in range(3):
        a, b = (result.players[seat].strengths[segment] for seat in (i, j))
        if a == b and rules.ties is Ties.BANKER:
            a, b = i == banker, j == banker
        elif a == b and rules.ties is Ties.SUIT:
            a, b = (
                max(
                    -rules.suits.index(str(card)[1])
                    for card in arrangements[seat].segments[segment]
                    if card.rank == result.players[seat].strengths[segment].ranks[0]
                )
                for seat in (i, j)
            )
        sides.append((a > b) - (a < b))
    return sides


def counted_plainly(game, played):
    """The seats of a summary by plain counting."""
    rules, n = game.rules, len(game.strategies)
    scores = [Counter() for _ in range(n)]
    outcomes = [defaultdict(lambda: [0, 0]) for _ in range(n)]
    matchups = [Counter() for _ in range(n)]
    held = [[defaultdict(lambda: [0] * 6) for _ in range(3)] for _ in range(n)]
    for result, arrangements in scored_by_the_core(game, played):
        legal = [not (p.foul or p.natural or p.surrender) for p in result.players]
        fared = [[Counter() for _ in range(3)] for _ in range(n)]
        scooped = Counter()
        for matchup in result.matchups:
            i, j = matchup.players
            bonus = sum(item.units for item in matchup.items if item.reason in (Reason.BONUS, Reason.BONUS_CAP))
            sides = sides_of(result, arrangements, i, j, rules, game.banker) if legal[i] and legal[j] else None
            for seat, side in ((i, 1), (j, -1)):
                matchups[seat]["met"] += 1
                matchups[seat]["bonus_won"] += max(0, side * bonus)
                matchups[seat]["bonus_lost"] += max(0, -side * bonus)
                if sides:
                    matchups[seat]["scoops"] += sides == [side] * 3
                    matchups[seat]["scooped"] += sides == [-side] * 3
                    scooped[seat] += sides == [side] * 3
                    for segment in range(3):
                        fared[seat][segment][side * sides[segment]] += 1
        home_run = next((seat for seat in range(n) if scooped[seat] == n - 1), None)
        if rules.pays_home_runs(n):
            home_run = result.home_run
        if home_run is not None and n >= rules.home_run.players:
            matchups[home_run]["home_runs"] += 1
        for seat, player in enumerate(result.players):
            scores[seat][player.total] += 1
            done = "foul" if player.foul else "surrender" if player.surrender else player.natural or "played"
            outcomes[seat][str(done)][0] += 1
            outcomes[seat][str(done)][1] += player.total
            if legal[seat]:
                for segment, strength in enumerate(player.strengths):
                    entry = held[seat][segment][f"{strength.category.word} {'xx23456789TJQKA'[strength.ranks[0]]}"]
                    fate = fared[seat][segment]
                    more = (1, player.total, player.total**2, fate[1], fate[0], fate[-1])
                    entry[:] = map(add, entry, more)
    return tuple(
        Seat(
            dict(scores[seat]),
            {key: Outcome(*entry) for key, entry in outcomes[seat].items()},
            Matchups(**{name: matchups[seat][name] for name in Matchups._fields}),
            tuple({key: Held(*entry) for key, entry in part.items()} for part in held[seat]),
        )
        for seat in range(n)
    )


GAMES = {
    "basic": ("basic", ["heuristic"], 4, None),
    "basic, three": ("basic", ["greedy", "expected", "heuristic"], 3, None),
    "eastern": ("eastern", ["expected"], 4, None),
    "mandarin": ("mandarin", ["expected", "greedy", "greedy", "heuristic"], 4, None),
    "mandarin, two": ("mandarin", ["greedy"], 2, None),
    "malaya": ("malaya", ["expected"], 4, 2),
    "philippines": ("philippines", ["greedy"], 4, 1),
    "indonesia": ("indonesia", ["heuristic"], 4, None),
    "vietnam": ("vietnam", ["greedy"], 3, None),
    "taiwan": ("taiwan", [Wild()], 4, None),
    "fujian": ("fujian", [Wild(), "greedy", Wild(), "greedy"], 4, None),
    "us-1-6": ("us-1-6", [Wild()], 4, None),
    "hong-kong": ("hong-kong", [Wild()], 4, 3),
    "washington": ("washington", [Wild()], 4, None),
}


@pytest.mark.parametrize("name", GAMES)
def test_counted_as_the_core_scores(name):
    rule_set, players_are, players, banker = GAMES[name]
    game = Game.of(load_rules(rule_set), players_are, players, banker)
    played = play(game, Dealt(11, 500, 800))
    summary = tally(game, played)
    assert summary.seats == counted_plainly(game, played)
    totals = score_batch(played.cards, game.rules, states=played.declared, banker=game.banker)
    assert [seat.figures.units for seat in summary.seats] == totals.sum(axis=0).tolist()
    assert [result.totals for result, _ in scored_by_the_core(game, played)] == list(map(tuple, totals.tolist()))


def test_the_wild_ones_do_everything():
    rules = load_rules("us-1-6")
    summary = simulate(400, rules, [Wild()], seed=11)
    assert {"played", "foul", "surrender"} < set().union(*(seat.outcomes for seat in summary.seats))


def test_deals_are_those_of_the_seed_set_by_the_strategies():
    game = Game.of(BASIC, ["greedy", "heuristic", "greedy"])
    played = play(game, Dealt(4, 10, 30))
    hands = deal(4, 10, 20)[:, :39].reshape(20, 3, 13)
    for seat, name in enumerate(game.names):
        alone = strategy(name).arrange(hands[:, seat], BASIC, 3)
        assert np.array_equal(played.cards[:, seat], alone.cards)
        assert np.array_equal(played.declared[:, seat], alone.states)


def test_exact_where_64_bits_do_not_do():
    scores = np.array([10**9, -(10**9), 10**9, 7])
    from chinese_poker.simulation.play import _held

    held = _held(np.array([2, 2, 3, 3]), scores, np.ones((3, 4), np.int64))
    assert held[STRENGTHS[2]][:3] == (2, 0, 2 * 10**18)
    assert held[STRENGTHS[3]][:3] == (2, 10**9 + 7, 10**18 + 49)
    huge = _held(np.array([2, 2]), scores[:2] * 10**3, np.ones((3, 2), np.int64))
    assert huge[STRENGTHS[2]].squares == 2 * 10**24


# ----------------------------------------------------------------------------------------------------
# Figures


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=60))
def test_figures(scores):
    seat = Seat(Counter(scores), {}, Matchups(0, 0, 0, 0, 0, 0), ({}, {}, {}))
    assert isclose(seat.figures.mean, fmean(scores), abs_tol=1e-12)
    assert isclose(seat.figures.deviation, pstdev(scores), abs_tol=1e-9)
    assert isclose(seat.figures.error, pstdev(scores) / sqrt(len(scores)), abs_tol=1e-9)
    for percent in (1, 25, 50, 99, 100):
        assert seat.quantile(percent) == float(np.percentile(scores, percent, method="inverted_cdf"))


def test_shares_and_categories():
    seat = simulate(300, BASIC, ["greedy"], seed=2).seats[0]
    for segment in range(3):
        held = seat.segments[segment].values()
        assert sum(seat.record(segment)) == sum(each.wins + each.ties + each.losses for each in held)
        assert sum(seat.record(segment).shares) == pytest.approx(1)
        assert sum(each.deals for each in seat.categories(segment).values()) == seat.outcomes["played"].deals
        assert list(seat.categories(segment)) == sorted(seat.categories(segment))


# ----------------------------------------------------------------------------------------------------
# Merging

_counts = st.integers(0, 2**80)
_seats = st.builds(
    Seat,
    st.dictionaries(st.integers(-20, 20), _counts, max_size=4),
    st.dictionaries(st.sampled_from(["played", "foul", "dragon"]), st.builds(Outcome, _counts, _counts)),
    st.builds(Matchups, *[_counts] * 6),
    st.tuples(*[st.dictionaries(st.sampled_from(list(STRENGTHS.values())[:5]), st.builds(Held, *[_counts] * 6))] * 3),
)


@st.composite
def _summaries(draw):
    """Some summaries of different deals."""
    bounds = draw(st.lists(st.integers(0, 40), min_size=2, max_size=6, unique=True).map(sorted))
    seed = draw(st.sampled_from([0, 3]))
    ranges = [Dealt(seed, *bound) for bound in pairwise(bounds)]
    kept = draw(st.lists(st.sampled_from(ranges), unique=True, min_size=1))
    return [Summary(BASIC, ("a", "b"), None, (part,), (draw(_seats), draw(_seats))) for part in kept]


@given(_summaries(), st.randoms())
def test_merging_in_any_order_and_grouping(parts, lot):
    total = reduce(add, parts)
    shuffled = lot.sample(parts, len(parts))
    assert reduce(add, shuffled) == total
    split = lot.randrange(len(parts))
    nothing = Summary.empty(BASIC, ("a", "b"))
    assert reduce(add, shuffled[:split], nothing) + reduce(add, shuffled[split:], nothing) == total
    assert total.deals == sum(part.deals for part in parts)
    assert all(a.end < b.first for a, b in pairwise(total.dealt))
    wanted = Dealt(total.dealt[0].seed, 0, 50)
    gaps = list(missing(wanted, total.dealt))
    assert sum(gap.deals for gap in gaps) == 50 - total.deals
    assert not {i for gap in gaps for i in range(*gap[1:])} & {i for part in total.dealt for i in range(*part[1:])}


def test_what_does_not_merge():
    one = simulate(20, BASIC, ["greedy"], seed=1)
    for other, code in (
        (one, "dealt_twice"),
        (simulate(20, BASIC, ["greedy"], seed=1, first=19), "dealt_twice"),
        (simulate(20, load_rules("western"), ["greedy"], seed=2), "other_game"),
        (simulate(20, BASIC, ["heuristic"], seed=2), "other_game"),
        (simulate(20, BASIC, ["greedy"], seed=2, players=3), "other_game"),
    ):
        with pytest.raises(SimulationError) as error:
            one + other
        assert error.value.code == code
    assert (one + simulate(20, BASIC, ["greedy"], seed=2)).deals == 40


def test_seeds_count_modulo_64_bits():
    assert simulate(20, BASIC, ["greedy"], seed=-1) == simulate(20, BASIC, ["greedy"], seed=2**64 - 1)


def test_documents_are_read_back():
    summary = simulate(300, load_rules("malaya"), ["expected", "greedy", "greedy", "greedy"], seed=5)
    document = json.loads(json.dumps(summary.document()))
    assert Summary.read(document) == summary
    assert pickle.loads(pickle.dumps(summary)) == summary


def _a_strength(document):
    """One of a segment's strengths in a summary in which it won or lost units."""
    strengths = document["seats"][0]["segments"]["back"]["strengths"].values()
    return next(held for held in strengths if held["units"])


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("seats"),
        lambda d: d.pop("rules"),
        lambda d: d["rules"].update(ties="never"),
        lambda d: d["dealt"][0].update(end=30.0),
        lambda d: d["dealt"][0].update(end=31),
        lambda d: d["seats"][0]["scores"]["histogram"].update({"99": 1}),
        lambda d: d["seats"][0]["scores"]["histogram"].update({"x": 1}),
        lambda d: d["seats"][1]["outcomes"]["played"].update(units=10**6),
        lambda d: d["seats"][1]["outcomes"].update(revoke={"deals": 0, "units": 0}),
        lambda d: d["seats"][0]["segments"]["back"]["strengths"].popitem(),
        lambda d: d["seats"][0]["segments"]["back"]["strengths"].update({"joker": dict.fromkeys(Held._fields, 0)}),
        lambda d: d["seats"][0]["matchups"].update(met=True),
        lambda d: d.update(seats=7),
        lambda d: d["seats"][0]["scores"]["histogram"].update({"98": 1, "-98": 1, "99": -1, "-99": -1}),
        lambda d: _a_strength(d).update(squares=0),
        lambda d: _a_strength(d).update(squares=-1),
        lambda d: d.update(dealt=[{"seed": 5, "first": 0, "end": 40}, {"seed": 5, "first": 50, "end": 40}]),
        lambda d: d.update(dealt=[{"seed": 5, "first": -10, "end": 20}]),
    ],
)
def test_documents_that_are_no_summary(change):
    document = json.loads(json.dumps(simulate(30, BASIC, ["greedy"], seed=5).document()))
    change(document)
    with pytest.raises(SimulationError) as error:
        Summary.read(document)
    assert error.value.code == "unreadable_summary"


# ----------------------------------------------------------------------------------------------------
# Shards, workers, engines

DEALS = 3_000


@pytest.fixture(scope="module")
def mandarin():
    return load_rules("mandarin")


@pytest.fixture(scope="module")
def expected(mandarin):
    return simulate(DEALS, mandarin, ["expected", "greedy", "heuristic", "expected"], seed=9, workers=1, shards=1)


@pytest.mark.parametrize(
    "way",
    [
        {"shards": 2, "workers": 2},
        {"shards": 7, "workers": 1},
        {"shards": 7, "workers": 3},
        {"shards": DEALS // 2},
        {"engine": "processes", "workers": 2, "shards": 7},
        {"engine": "dask", "workers": 2, "shards": 7},
    ],
    ids=str,
)
def test_the_same_summary_everywhere(mandarin, expected, way):
    found = simulate(DEALS, mandarin, ["expected", "greedy", "heuristic", "expected"], seed=9, **way)
    assert found == expected
    assert json.dumps(found.document()) == json.dumps(expected.document())


def test_parts_of_a_study_are_the_whole(mandarin, expected):
    names = ["expected", "greedy", "heuristic", "expected"]
    parts = [simulate(1_000, mandarin, names, seed=9, first=first) for first in (2_000, 0, 1_000)]
    assert reduce(add, parts) == expected


def test_the_default_is_the_strongest_at_four():
    assert simulate(10, BASIC).strategies == (strategies()[-1],) * 4


def test_a_worker_of_a_running_cluster_is_killed(mandarin):
    """Two workers that are processes of a cluster of its own; one is killed with shards on it, and nothing is lost."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster:
        victim = cluster.workers[0].pid
        met = []

        def kill(summary):
            if not met:
                os.kill(victim, signal.SIGKILL)
            met.append(summary.deals)

        killed = simulate(
            8_000,
            mandarin,
            ["greedy"],
            seed=3,
            scheduler=cluster.scheduler_address,
            engine="dask",
            shards=40,
            progress=kill,
        )
        assert len(met) > 2
        assert cluster.workers[0].pid != victim
    assert killed == simulate(8_000, mandarin, ["greedy"], seed=3)


def test_a_process_of_the_pool_is_killed(mandarin, tmp_path):
    """The pool of the standard library does not mend itself; what was done is kept, and the run goes on from it."""
    import multiprocessing

    def kill(summary):
        for child in multiprocessing.active_children()[:1]:  # none are left once the pool has noticed
            child.kill()

    way = {"engine": "processes", "workers": 2, "shards": 40, "checkpoint": tmp_path / "run.ckpt"}
    with pytest.raises(SimulationError) as error:
        simulate(8_000, mandarin, ["greedy"], seed=3, progress=kill, **way)
    assert error.value.code == "lost_workers"
    more = []
    resumed = simulate(8_000, mandarin, ["greedy"], seed=3, resume=True, progress=more.append, **way)
    assert more[0].deals > 200
    assert resumed == simulate(8_000, mandarin, ["greedy"], seed=3)


def test_a_cluster_that_goes_away():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    gone = []

    def close(summary):
        if not gone:
            gone.append(Thread(target=cluster.close, daemon=True))
            gone[0].start()

    with _short_patience(), pytest.raises(SimulationError) as error:
        simulate(
            400_000, BASIC, ["greedy"], engine="dask", scheduler=cluster.scheduler_address, shards=400, progress=close
        )
    assert error.value.code == "lost_workers"


@contextmanager
def _short_patience():
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "2s", "distributed.comm.retry.count": 0}):
        yield


def test_a_run_is_stopped_early():
    stop = Event()
    summary = simulate(
        50_000, BASIC, ["greedy"], seed=1, workers=1, shards=500, stop=stop, progress=lambda _: stop.set()
    )
    assert 0 < summary.deals < 50_000
    (dealt,) = summary.dealt
    assert summary == simulate(summary.deals, BASIC, ["greedy"], seed=1, first=dealt.first)


def test_what_a_strategy_raises_comes_through():
    class Failing(Wild):
        def arrange(self, hands, rules, players):
            raise DealError("not_set", "no idea")

    with pytest.raises(DealError, match="no idea"):
        simulate(10, BASIC, [Failing()])


def test_errors_cross_between_processes():
    error = SimulationError("lost_workers", "gone", pointer="/x", line=3)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (SimulationError, str(error))
    many = ChinesePokerError.of([error, DealError("not_set", "x")])
    assert [str(each) for each in pickle.loads(pickle.dumps(many)).problems] == [str(each) for each in many.problems]


def test_another_version_is_refused_where_hands_are_set():
    game = Game(BASIC, ("greedy",) * 2, None, "0.0.1")
    with pytest.raises(SimulationError, match="install the same"):
        work_off(game, None, Dealt(0, 0, 1))


# ----------------------------------------------------------------------------------------------------
# Checkpoints


def test_a_run_goes_on_from_its_checkpoint(tmp_path, mandarin):
    path = tmp_path / "run.ckpt"
    stop, met = Event(), []

    def progress(summary):
        met.append(summary)
        if summary.deals >= 1_000:
            stop.set()

    way = {"seed": 4, "shards": 20, "workers": 2, "checkpoint": path}
    first = simulate(4_000, mandarin, ["greedy"], progress=progress, stop=stop, **way)
    assert 1_000 <= first.deals < 4_000
    met.clear()
    whole = simulate(4_000, mandarin, ["greedy"], progress=met.append, resume=True, **way)
    assert whole == simulate(4_000, mandarin, ["greedy"], seed=4)
    assert met[0].deals > first.deals
    met.clear()
    assert simulate(4_000, mandarin, ["greedy"], progress=met.append, resume=True, **way) == whole
    assert not met  # nothing was left to do
    way.pop("shards")
    longer = simulate(5_000, mandarin, ["greedy"], resume=True, **way)
    assert longer == simulate(5_000, mandarin, ["greedy"], seed=4)
    assert [each.name for each in tmp_path.iterdir()] == ["run.ckpt"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"rules": load_rules("western")}, "other_game"),
        ({"strategies": ["heuristic"]}, "other_game"),
        ({"players": 2}, "other_game"),
        ({"seed": 5}, "other_game"),
        ({"first": 1}, "other_game"),
        ({"deals": 99}, "other_game"),
        ({"resume": False}, "checkpoint_exists"),
        ({"checkpoint": None}, "contradiction"),
    ],
)
def test_a_checkpoint_of_another_run(tmp_path, change, code):
    path = tmp_path / "run.ckpt"
    usual = {"deals": 100, "rules": BASIC, "strategies": ["greedy"], "seed": 4, "checkpoint": path}
    simulate(**usual)
    before = path.read_bytes()
    with pytest.raises(SimulationError) as error:
        simulate(**{**usual, "resume": True, **change})
    assert error.value.code == code
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: b"",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(b'"deals": 100', b'"deals": 101', 1),
        lambda text: text.replace(b'"checkpoint": 1', b'"checkpoint": 2'),
        lambda text: text.split(b"\n")[1],
        lambda text: text + text,
        lambda text: b"\xff\xfe" + text,
        lambda text: b"[]\n[]\n",
        lambda text: b"7\n7",
        lambda text: text.replace(b'"version"', b'"verzion"', 1),
        lambda text: b"[" * 100_000 + b"\n{}\n",
    ],
)
def test_a_checkpoint_that_is_not_whole(tmp_path, spoil):
    path = tmp_path / "run.ckpt"
    simulate(100, BASIC, ["greedy"], checkpoint=path)
    spoilt = spoil(path.read_bytes())
    path.write_bytes(spoilt)
    with pytest.raises(SimulationError) as error:
        simulate(100, BASIC, ["greedy"], checkpoint=path, resume=True)
    assert error.value.code == "unreadable_checkpoint"
    assert path.read_bytes() == spoilt


# ----------------------------------------------------------------------------------------------------
# What cannot be run


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"deals": 0}, "wrong_deals"),
        ({"deals": -5}, "wrong_deals"),
        ({"deals": 10**30}, "wrong_deals"),
        ({"first": -1}, "wrong_deals"),
        ({"first": 2**64}, "wrong_deals"),
        ({"shards": 0}, "wrong_shards"),
        ({"shards": 10**9}, "wrong_shards"),
        ({"workers": 0}, "wrong_workers"),
        ({"workers": 10**6}, "wrong_workers"),
        ({"players": 1}, "wrong_players"),
        ({"players": 5}, "wrong_players"),
        ({"strategies": ["greedy"] * 5}, "wrong_players"),
        ({"strategies": ["greedy"] * 2, "players": 3}, "wrong_players"),
        ({"strategies": ["best"]}, "unknown_strategy"),
        ({"banker": 0}, "no_banker"),
        ({"rules": load_rules("malaya"), "banker": 4}, "banker_seat"),
        ({"engine": "cloud"}, "unknown_engine"),
        ({"scheduler": "tcp://localhost:1"}, "unknown_engine"),
        ({"engine": "dask", "scheduler": "tcp://localhost:1", "workers": 2}, "wrong_workers"),
        ({"resume": True}, "contradiction"),
    ],
    ids=str,
)
def test_what_cannot_be_run(wrong, code):
    with pytest.raises(ChinesePokerError) as error:
        simulate(**{"deals": 10, "rules": BASIC, "strategies": ["greedy"], **wrong})
    assert error.value.code == code
    assert "\n" not in str(error.value)


def test_the_bank_is_seat_0_where_there_must_be_one():
    assert simulate(10, load_rules("malaya"), ["greedy"]).banker == 0


def test_threads_are_gone_when_the_context_is_left():
    with engine_for("local", 2) as running:
        assert running.executor.submit(time.sleep, 0).result() is None
        assert running.width() == 2
    with pytest.raises(RuntimeError):
        running.executor.submit(time.sleep, 0)


def test_pairs_of_a_table_are_zero_sum():
    for name, players in (("basic", 4), ("taiwan", 3), ("malaya", 4)):
        summary = simulate(200, load_rules(name), ["greedy"], players=players)
        assert sum(seat.figures.units for seat in summary.seats) == 0
        assert sum(seat.matchups.scoops - seat.matchups.scooped for seat in summary.seats) == 0
        assert len(list(combinations(range(players), 2))) * 200 >= sum(seat.matchups.met for seat in summary.seats) / 2
