"""Strategies from outside: the user's own modules, and programs, well behaved and hostile."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from commanding import COMMAND, DRAGON, NORTH, json_lines, run

from chinese_poker.arrangement import parse_hand
from chinese_poker.cards import DECK, format_cards
from chinese_poker.duel import duel
from chinese_poker.engine.dealing import deal
from chinese_poker.engine.settlement import settlement
from chinese_poker.errors import DealError, StrategyError
from chinese_poker.presets import load_rules
from chinese_poker.program import Program
from chinese_poker.setting import checked
from chinese_poker.strategy import registered, set_deal, strategy
from chinese_poker.texts import one_line

BASIC = load_rules("basic")
HANDS = deal(11, 0, 50).reshape(-1, 13)
LONG = deal(12, 0, 1_000).reshape(-1, 13)
"""Hands that make up more text than a pipe holds."""

GREEDY = """
    from chinese_poker.strategy import strategy as named

    class Greedy:
        name = "anything"

        def arrange(self, hands, rules, players):
            return named("greedy").arrange(hands, rules, players)

    instance = Greedy()
    nothing = 7
    """


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


@pytest.fixture
def module(tmp_path, monkeypatch, request):
    """Writes a module that can be imported, and says what it is called."""
    monkeypatch.syspath_prepend(tmp_path)
    name = f"mine_{request.node.name.partition('[')[0]}_{tmp_path.name}".replace("-", "_")

    def made(text: str) -> str:
        write(tmp_path, f"{name}.py", text)
        return name

    return made


# ----------------------------------------------------------------------------------------------------
# Modules


@pytest.mark.parametrize("attribute", ["Greedy", "instance"])
def test_a_class_and_an_instance(module, attribute):
    mine = strategy(f"{module(GREEDY)}:{attribute}")
    found, greedy = (each.arrange(HANDS, BASIC, 2) for each in (mine, strategy("greedy")))
    assert np.array_equal(found.cards, greedy.cards)
    assert np.array_equal(found.states, greedy.states)
    result = duel([mine, "greedy"], BASIC, deals=20)
    assert result.estimate(0, 0) == (0, 0)
    assert result.names[0] == mine.name


def test_it_is_known_by_its_reference_alone(module):
    reference = f"{module(GREEDY)}:Greedy"
    assert strategy(reference) == strategy(reference)
    assert strategy(reference).name == reference
    assert hash(strategy(reference)) == hash(strategy(reference))


FAULTY = [
    ("nowhere_at_all:Bot", "", "no_module", "there is no module 'nowhere_at_all'"),
    ("nowhere_at_all.deeper:Bot", "", "no_module", "there is no module 'nowhere_at_all'"),
    ("MODULE:Bot", "import nowhere_at_all", "no_module", "needs the module 'nowhere_at_all'"),
    ("MODULE:Bot", "class Other:\n    def arrange(self): ...", "no_attribute", "has no 'Bot'; its strategies: Other"),
    ("MODULE:Bot", "", "no_attribute", "has no 'Bot'; its strategies: none"),
    ("MODULE:nothing", "nothing = 7", "no_strategy", "is a int without the method arrange"),
    ("MODULE:Bot", "class Bot: pass", "no_strategy", "is a Bot without the method arrange"),
    ("MODULE:Bot", "def (", "strategy_failed", "SyntaxError: invalid syntax"),
    ("MODULE:Bot", "1 / 0", "strategy_failed", r"ZeroDivisionError: division by zero \(.*\.py, line 1\)"),
    ("MODULE:Bot", "import sys; sys.exit(3)", "strategy_failed", "raised SystemExit: 3"),
    ("MODULE:Bot", "class Bot:\n    def __init__(self, x): ...", "strategy_failed", "missing 1 required positional"),
    ("my bot.py:Bot", "", "no_module", "is no reference; write module:attribute"),
    ("a:b:c", "", "no_module", "is no reference"),
    (":", "", "no_module", "is no reference"),
    ("\x1b[2J:\n", "", "no_module", "is no reference"),
]


@pytest.mark.parametrize(("reference", "text", "code", "told"), FAULTY)
def test_what_cannot_be_imported(module, reference, text, code, told):
    reference = reference.replace("MODULE", module(text))
    with pytest.raises(StrategyError, match=told) as caught:
        strategy(reference)
    assert caught.value.code == code
    assert str(caught.value).isprintable()


ANSWERS = [
    ("None", "returned a NoneType; return Setting"),
    ("hands", "returned a ndarray; return Setting"),
    ("(hands[:-1], [-1] * len(hands))", r"as cards int8 of the shape \(199, 13\); return integers of the shape \(200"),
    ("(hands, [-1])", r"as states int64 of the shape \(1,\)"),
    ("(hands * 1.0, [-1] * len(hands))", "as cards float64"),
    ("([[1], [2, 3]], [-1] * len(hands))", "as cards something else"),
    ("('no', 'yes')", "as cards something else"),
    ("(hands, [0] * len(hands))", "returned the state 0; a strategy chooses -1"),
    ("(hands, [999] * len(hands))", "returned the state 999"),
    ("(hands, [-2] * len(hands))", "returned the state -2"),
    ("1 / 0", "raised ZeroDivisionError: division by zero"),
    ("{}['Zoë']", "raised KeyError: 'Zoë'"),
]


@pytest.mark.parametrize(("answer", "told"), ANSWERS)
def test_what_is_no_setting(module, answer, told):
    mine = strategy(
        module(f"class Bot:\n    def arrange(self, hands, rules, players):\n        return {answer}\n") + ":Bot"
    )
    with pytest.raises(StrategyError, match=told):
        mine.arrange(HANDS, BASIC, 2)
    with pytest.raises(StrategyError, match=told):
        duel([mine, "greedy"], BASIC, deals=100)


def test_cards_of_another_hand_are_fouls(module):
    text = "class Bot:\n    def arrange(self, hands, rules, players):\n        return hands[::-1], [-1] * len(hands)\n"
    mine = strategy(f"{module(text)}:Bot")
    result = duel([mine, "greedy"], BASIC, deals=40)
    assert result.contestants[0].fouls == result.contestants[0].bad_answers == 80
    assert result.contestants[0].gained["foul"] < 0
    assert len(result.contestants[0].quoted) == 3
    deal_of_it = read_raw_deal()
    swapped = text.replace("hands[::-1]", "(hands + 1) % 52")
    with pytest.raises(StrategyError, match="these are not the cards of the hand"):
        set_deal(deal_of_it, BASIC, strategy(f"{module_again(mine.name, swapped)}:Bot"))


def module_again(reference, text):
    """A second module beside the first."""
    first = Path(sys.modules[reference.partition(":")[0]].__file__)
    second = first.with_name(first.stem + "_again.py")
    second.write_text(text, encoding="utf-8")
    return second.stem


def read_raw_deal():
    from chinese_poker import Deal, Player

    south, north = (tuple(DECK[card] for card in hand) for hand in HANDS[:2].tolist())
    return Deal((Player("South", hand=south), Player("North", hand=north)))


def test_cards_out_of_range_are_fouls():
    setting = checked((HANDS.astype(int) + 40, np.full(len(HANDS), -1)), HANDS, BASIC, "mine")
    assert (setting.states == settlement(BASIC).foul).all()
    assert len(setting.bad) == len(HANDS)
    assert np.array_equal(setting.cards, HANDS)


def test_a_natural_that_is_not_held_is_a_foul_and_a_lower_one_is_paid_as_the_higher():
    settled = settlement(BASIC)
    dragon, straights = (settled.naturals[each] for each in ("dragon", "three_straights"))
    held, nothing = [int(card) for card in parse_hand(DRAGON)], HANDS[0].tolist()
    setting = checked((np.array([held, nothing]), np.array([straights, dragon])), [held, nothing], BASIC, "mine")
    assert setting.states.tolist() == [dragon, settled.foul]
    assert setting.bad == ((1, "'declare dragon': the cards hold no natural"),)


MARKER = """
    import pathlib
    pathlib.Path("imported.txt").write_text("yes")
    from chinese_poker.strategy import strategy
    Bot = strategy("greedy")
    """


def test_a_document_imports_nothing(tmp_path):
    write(tmp_path, "evil.py", MARKER)
    marker = tmp_path / "imported.txt"
    players = [{"name": "South", "hand": "AhKdJdAc8h8d6h6c2sTcTdThTs"}, NORTH]
    for name in ("evil:Bot", "evil", "os:system", "chinese_poker.strategy:_PLAYERS"):
        done = run("score", "-", "--json", stdin=json_lines([{"players": players, "strategy": name}]), folder=tmp_path)
        assert done.returncode == 1
        assert b": /strategy: unknown_strategy: " in done.stderr
        assert not marker.exists()
        with pytest.raises(DealError, match="is no strategy"):
            registered(name)
        with pytest.raises(DealError, match="is no strategy"):
            set_deal(read_raw_deal(), BASIC, name)
    named = [{"players": players, "strategy": "greedy"}]
    for other in ("suggest", "review"):
        run(other, "-", "--json", stdin=json_lines([{**named[0], "against": "evil:Bot"}]), folder=tmp_path)
    assert not marker.exists()
    done = run("score", "-", "--json", "--strategy", "evil:Bot", stdin=json_lines(named), folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert marker.exists()


def test_the_command_finds_a_module_in_the_folder_where_it_is_run(tmp_path):
    write(tmp_path, "mybot.py", GREEDY)
    done = run("duel", "greedy", "mybot:Greedy", "--deals", "20", "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [each["name"] for each in json.loads(done.stdout)["contestants"]] == ["greedy", "mybot:Greedy"]
    done = run("suggest", DRAGON, "--against", "mybot:Greedy", "--samples", "100", "--json", folder=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["against"]) == (0, "mybot:Greedy")


# ----------------------------------------------------------------------------------------------------
# Programs

AWK = """awk '{
    print $11, $12, $13, "|", $6, $7, $8, $9, $10, "|", $1, $2, $3, $4, $5
}'"""
"""The five highest cards in the back, the next five in the middle."""
PYTHON = """\
import sys
for line in sys.stdin:
    cards = line.split()
    print(*cards[10:], "|", *cards[5:10], "|", *cards[:5])
"""
SHELL = """
    while read -r a b c d e f g h i j k l m; do
        echo "$k $l $m | $f $g $h $i $j | $a $b $c $d $e"
    done
    """
FLUSHING = """
    import sys
    while line := sys.stdin.readline():
        cards = line.split()
        print(*cards[10:], "|", *cards[5:10], "|", *cards[:5], flush=True)
    """
AT_THE_END = """
    import sys
    hands = [line.split() for line in sys.stdin.read().splitlines()]
    sys.stdout.write("\\r\\n".join("".join(h[10:]) + "|" + "".join(h[5:10]) + "|" + ",".join(h[:5]) for h in hands))
    """


def bot(folder: Path, text: str, timeout: float = 30, name: str = "bot.py") -> Program:
    path = write(folder, name, text)
    program = sys.executable if name.endswith(".py") else "/bin/sh"
    return Program(f"{program} {shlex.quote(str(path))}", timeout)


@pytest.fixture(params=["awk", "python", "sh", "flushing", "at the end"])
def good(request, tmp_path):
    texts = {"python": PYTHON, "flushing": FLUSHING, "at the end": AT_THE_END}
    if request.param in texts:
        return bot(tmp_path, texts[request.param])
    return Program(AWK) if request.param == "awk" else bot(tmp_path, SHELL, name="bot.sh")


def test_good_programs_in_three_languages(good):
    setting = good.arrange(LONG, BASIC, 4)
    high_to_low = -np.sort(-LONG, axis=1)
    assert np.array_equal(setting.cards, high_to_low[:, [10, 11, 12, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4]])
    assert (setting.states == -1).all()
    assert not setting.bad


def test_programs_and_workers(tmp_path):
    contestants = [bot(tmp_path, PYTHON), Program(AWK), strategy("greedy")]
    documents = [duel(contestants, BASIC, deals=300, batch=100, workers=workers).document() for workers in (1, 3)]
    assert documents[0] == documents[1]
    assert documents[0]["contestants"][0]["over"][0] == {"name": one_line(AWK, 100), "units": 0, "half_width": 0}
    assert documents[0]["contestants"][0]["fouls"] > 0
    assert documents[0]["contestants"][0]["bad_answers"] == 0


def test_it_may_declare_and_surrender_where_the_rules_know_it(tmp_path):
    text = """
        import os, sys
        for line in sys.stdin:
            if len({card[0] for card in line.split()}) == 13:
                print("Declare DRAGON")
            else:
                print("surrender" if os.environ["CHINESE_POKER_RULES"] == "us-1-4" else "declare six_pairs")
        """
    rules = load_rules("us-1-4")
    settled = settlement(rules)
    hands = [[int(card) for card in parse_hand(DRAGON)], HANDS[0].tolist()]
    found = bot(tmp_path, text).arrange(hands, rules, 2)
    assert [settled.states[state] for state in found.states] == [
        settled.states[settled.naturals["dragon"]],
        settled.states[-1],
    ]
    assert settled.states[-1].surrender
    found = bot(tmp_path, text).arrange(hands, BASIC, 2)
    assert found.states.tolist() == [settlement(BASIC).naturals["dragon"], settlement(BASIC).foul]
    assert found.bad == ((1, "'declare six_pairs': the cards hold no natural"),)
    (_, bad) = Program("sed 's/.*/surrender/'").arrange(hands, BASIC, 2).bad
    assert bad.fault == "'surrender': basic knows no surrender"


def test_it_is_told_how_many_play(tmp_path):
    text = "import os, sys\nfor _ in sys.stdin: print(os.environ['CHINESE_POKER_PLAYERS'])"
    assert bot(tmp_path, text).arrange(HANDS[:1], BASIC, 3).bad[0].fault.startswith("'3': ")


BAD_ANSWERS = {
    "Turkish": ("İıŞşĞğ ₺", "1 segments; write 'front | middle | back'"),
    "dotted capital": ("As Kd Qc | Ks | İs", "is not a card"),
    "binary": ("\\x00\\xff\\xfe\\x80\\x1b[2J", "1 segments"),
    "empty": ("", "1 segments"),
    "two parts": ("As Ks | Qs", "2 segments"),
    "no cards": ("|  |", "0 cards; a hand has 13"),
    "a card twice": ("As As As | Ks Ks Ks Ks Ks | Qs Qs Qs Qs Qs", "As is there twice"),
    "a joker": ("Jo Qs Ks | As | 2s", "'Jo' is not a card"),
    "unknown natural": ("declare seven_pairs", "is no natural of basic, did you mean 'six_pairs'? it plays dragon"),
    "long": ("A" * 300, "1 segments"),
    "json": ('{"front": []}', "1 segments"),
}


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_bad_answers_are_fouls_and_quoted_fit_for_a_terminal(tmp_path, case):
    answer, told = BAD_ANSWERS[case]
    if case == "binary":
        text = f'import sys\nfor _ in sys.stdin: sys.stdout.buffer.write(b"{answer}\\n")'
    else:
        text = f"import sys\nfor _ in sys.stdin: sys.stdout.buffer.write({answer!r}.encode() + b'\\n')"
    program = bot(tmp_path, text)
    found = program.arrange(HANDS, BASIC, 2)
    assert (found.states == settlement(BASIC).foul).all()
    assert [row for row, _ in found.bad] == list(range(len(HANDS)))
    assert told in found.bad[0].fault
    assert found.bad[0].fault.isprintable()
    done = run("duel", "greedy", "--cmd", program.command, "--deals", "20", COLUMNS="80")
    assert done.returncode == 0
    assert b"gave 40 bad answers to 40 hands, which are fouls; the" in done.stdout.replace(b"\n", b" ")
    assert all(line.isprintable() for line in done.stdout.decode().split("\n"))


def test_wrong_sizes_and_wrong_order(tmp_path):
    sizes = Program("sed 's/ / | /4; s/ / | /9'").arrange(HANDS, BASIC, 2)
    assert sizes.bad[0].fault.endswith("4 in the front, 4 in the middle, 5 in the back; write 3, 5 and 5")
    swapped = duel([Program("sed 's/ / | /3; s/ / | /9'"), "greedy"], BASIC, deals=50).contestants[0]
    assert swapped.fouls > 50
    assert swapped.bad_answers == 0


def test_answers_out_of_order_are_fouls(tmp_path):
    text = PYTHON.replace("sys.stdin:", "reversed(list(sys.stdin)):")
    found = bot(tmp_path, text).arrange(HANDS, BASIC, 2)
    assert len(found.bad) == len(HANDS)
    assert "these are not the cards of the hand" in found.bad[0].fault


HOSTILE = {
    "hangs before reading": ("import time; time.sleep(600)", "program_hung", "answered 0 of 4,000 hands"),
    "hangs after reading": (
        "import sys, time; sys.stdin.read(); time.sleep(600)",
        "program_hung",
        "answered 0 of 4,000 hands after 3 seconds",
    ),
    "hangs in the middle": (
        PYTHON + "    print(flush=True); import time; time.sleep(600)",
        "program_hung",
        "answered 2 of 4,000",
    ),
    "lingers after its answers": (
        PYTHON + "sys.stdout.close(); import time; time.sleep(600)",
        "program_hung",
        "4,000 of",
    ),
    "ignores signals": (
        "import signal, time\nfor n in (1, 2, 13, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(600)",
        "program_hung",
        "answered 0",
    ),
    "dies at once": ("raise SystemExit(7)", "program_died", "ended with status 7, having answered 0 of 4,000 hands"),
    "raises": ("import sys; sys.stdin.readline(); raise ValueError('no İdea')", "program_died", "ValueError: no İdea"),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "program_died", "died of SIGKILL"),
    "fails after its answers": (PYTHON + "sys.exit(1)", "program_died", "having answered 4,000 of 4,000"),
    "ends early": ("import sys; print(sys.stdin.readline())", "wrong_count", "wrote 2 lines for 4,000 hands"),
    "says nothing": ("import sys; sys.stdin.read()", "wrong_count", "wrote 0 lines"),
    "says too much": (PYTHON + "print('and one more')", "wrong_count", "wrote 4,001 lines for 4,000"),
    "closes its input": ("import os; os.close(0)", "wrong_count", "wrote 0 lines"),
    "closes everything": ("import os, time\nfor n in (0, 1, 2): os.close(n)\ntime.sleep(600)", "program_hung", "0 of"),
    "floods its output": ("while True: print('A' * 1000)", "program_flooded", "flooded its output"),
    "floods with one line": ("import sys\nwhile True: sys.stdout.write('A' * 1000)", "program_flooded", "its output"),
    "floods its errors": (
        "import sys\nwhile True: print('A' * 1000, file=sys.stderr)",
        "program_flooded",
        "flooded its errors",
    ),
}


TAKES_TIME = ("answered 2 of 4,000", "4,000 of")
"""What is said of programs that hang after some work."""


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_programs_are_stopped(tmp_path, case, nothing_is_left):
    text, code, told = HOSTILE[case]
    timeout = 60.0 if code != "program_hung" else 10.0 if told in TAKES_TIME else 3.0
    with pytest.raises(StrategyError, match=told) as caught:
        bot(tmp_path, text, timeout).arrange(LONG, BASIC, 2)
    assert caught.value.code == code
    assert str(caught.value).isprintable()
    nothing_is_left()


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


@pytest.fixture
def nothing_is_left():
    """Asserts that there is no other child than before: tests of other files may have left helpers of Python's."""
    before = children()

    def check() -> None:
        assert children() <= before

    return check


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


CHILDREN = """\
import subprocess, sys, time
children = [subprocess.Popen(["sleep", "600"]) for _ in range(3)]
with open(sys.argv[0] + ".children", "w") as file:
    file.write(" ".join(str(child.pid) for child in children))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("ending", "code"),
    [("time.sleep(600)", "program_hung"), ("sys.exit(3)", "program_died"), (PYTHON, None)],
    ids=["hangs", "dies", "plays well"],
)
def test_its_children_go_with_it(tmp_path, ending, code, nothing_is_left):
    """They hold its pipes open, and would outlive it."""
    program = bot(tmp_path, CHILDREN + ending, timeout=5 if code == "program_hung" else 60)
    if code:
        with pytest.raises(StrategyError) as caught:
            program.arrange(LONG, BASIC, 2)
        assert caught.value.code == code
    else:
        assert not program.arrange(LONG, BASIC, 2).bad
    assert wait_for_the_end_of(tmp_path / "bot.py.children")
    nothing_is_left()


def test_many_errors_and_answers_at_once_do_not_block(tmp_path):
    """It writes more to each pipe than one holds, before it has read its input."""
    text = """
        import sys
        sys.stderr.write("e" * 900_000)
        sys.stderr.flush()
        sys.stdout.write("x\\n" * 4_000 + " " * 500_000 + "\\n")
        sys.stdout.flush()
        sys.stdin.read()
        """
    assert len(bot(tmp_path, text).arrange(LONG, BASIC, 2).bad) == 4_000


def test_a_failing_program_is_one_line_of_the_command(tmp_path):
    path = write(tmp_path, "bot.py", "import time; time.sleep(600)")
    arguments = ["duel", "greedy", "--cmd", f"{sys.executable} {path.name}", "--timeout", "0.5", "--workers", "2"]
    done = run(*arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, b"")
    told = done.stderr.decode()
    assert told.count("\n") == 1
    assert told.startswith("duel: program_hung: ")
    assert "after 0.5 seconds and was stopped" in told


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_does_not_outlive_the_command(tmp_path, number, status, workers):
    path = write(tmp_path, "bot.py", CHILDREN + "time.sleep(600)")
    told = tmp_path / "bot.py.children"
    arguments = ["duel", "greedy", "--cmd", f"{sys.executable} {path}", "--workers", workers]
    with subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        while not (told.exists() and len(told.read_text().split()) == 3):
            time.sleep(0.05)
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (status, b"")
    assert b"Traceback" not in errors
    assert wait_for_the_end_of(told)


def wait_for_the_end_of(told: Path) -> bool:
    pids = [int(pid) for pid in told.read_text().split()]
    for _ in range(100):
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.02)
    return False


def test_a_program_that_cannot_be_run(tmp_path):
    (tmp_path / "data").write_text("no program")
    (tmp_path / "data").chmod(0o755)
    for command, told in (
        (str(tmp_path / "nothing"), "No such file"),
        (str(tmp_path), "Permission denied"),
        (str(tmp_path / "data"), "Exec format error"),
        ("a\0b", "null byte"),
        ("'", "is no command"),
        (" ", "an empty command"),
    ):
        with pytest.raises(StrategyError, match=told) as caught:
            Program(command).arrange(HANDS, BASIC, 2)
        assert caught.value.code == "no_program"


def test_hands_are_given_high_to_low(tmp_path):
    program = bot(tmp_path, f"import sys\nopen({str(tmp_path / 'seen')!r}, 'w').write(sys.stdin.read())")
    with pytest.raises(StrategyError):
        program.arrange(HANDS[:2], BASIC, 2)
    expected = [format_cards(DECK[card] for card in sorted(hand, reverse=True)) for hand in HANDS[:2].tolist()]
    assert (tmp_path / "seen").read_text().splitlines() == expected
