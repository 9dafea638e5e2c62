"""Plots: the figures that they show, the files that they become, and what keeps them from it."""

import errno
import sys
import warnings
from typing import BinaryIO
from xml.etree import ElementTree

import pytest
from commanding import run

from chinese_poker import plot
from chinese_poker.errors import ChinesePokerError
from chinese_poker.odds import deals_odds, naturals_odds, play_odds, segments_odds
from chinese_poker.presets import load_rules
from chinese_poker.suggest import suggest

pytest.importorskip("matplotlib")
BASIC = load_rules("basic")
HAND = "2h 3s 3d 4c 4h 5s 6d 7c Ts Jh Qd Kc As"
STARTS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}
HISTOGRAMS = {"North": {-4: 30, 0: 20, 4: 50}, "陳": {-4: 50, 0: 20, 4: 30}}
CURVES = {"basic": [(1, 0.5, 0.01), (2, 0.1, 0.01), (3, 0.01, 0.002)], "mandarin": [(1, 0.8, 0.02), (2, 0.2, 0.01)]}


@pytest.fixture(scope="module")
def found():
    return suggest(HAND, load_rules("mandarin"), opponents=2, samples=600, top=4)


@pytest.fixture(scope="module")
def play():
    return play_odds(BASIC, player="greedy", deals=200)


@pytest.fixture(scope="module")
def figures(found, play):
    return {
        "suggestions": lambda: plot.suggestions(found),
        "odds": lambda: plot.odds([play.categories, play.wins]),
        "naturals": lambda: plot.odds([naturals_odds(BASIC)]),
        "strengths": lambda: plot.strengths(play.points, note="greedy"),
        "scores": lambda: plot.scores(HISTOGRAMS),
        "convergence": lambda: plot.convergence(CURVES),
    }


KINDS = ("suggestions", "odds", "naturals", "strengths", "scores", "convergence")


@pytest.mark.parametrize("ending", plot.ENDINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_figures_are_the_same_file(kind, ending, figures, tmp_path, monkeypatch):
    files = [tmp_path / f"{turn}{ending}" for turn in "ab"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for file, date in zip(files, ("0", "1000000000"), strict=True):
            monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
            plot.save(figures[kind](), file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert first.startswith(STARTS[ending])
    assert sorted(tmp_path.iterdir()) == files
    if ending == ".svg":
        ElementTree.fromstring(first)


def axes_of(figure):
    return [axes for part in (figure.subfigs or [figure]) for axes in part.axes]


def test_suggestions_are_at_their_values_with_their_errors(found):
    (axes,) = axes_of(plot.suggestions(found))
    points = [
        xy
        for line in axes.lines
        for xy in zip(line.get_xdata(), line.get_ydata(), strict=True)
        if line.get_marker() in "oD"
    ]
    assert sorted(points, key=lambda xy: xy[1]) == [(s.ev, place) for place, s in enumerate(found.suggestions)]
    labels = [label.get_text().replace("   ", " | ") for label in axes.get_yticklabels()]
    assert labels == [str(s.arrangement) for s in found.suggestions]
    thin, thick = (bars.lines[2][0].get_segments() for bars in axes.containers)
    assert [(right[0] - left[0]) / 2 for left, right in thin] == pytest.approx([s.error for s in found.suggestions])
    assert [(right[0] - left[0]) / 2 for left, right in thick] == pytest.approx(
        [s.behind_error for s in found.suggestions[1:]]
    )
    assert "units" in axes.get_xlabel()
    assert f"declaring is worth {found.declare.ev:+.2f}" in plot.suggestions(found)._supxlabel.get_text()


def test_exact_suggestions_have_no_errors():
    from chinese_poker import Arrangement

    they = Arrangement.parse("QsQh4d | AsAh9c7d2s | KdKc8s8h3c")
    (axes,) = axes_of(plot.suggestions(suggest("JdJc5s QdQc9d6s2c AdAc5h5d3d", BASIC, known=[they])))
    assert not axes.containers


def test_bars_are_as_long_as_the_chances(play):
    for table, count in (
        (play.wins, 3),
        (naturals_odds(BASIC), 2),
        (segments_odds(), 2),
        (deals_odds(BASIC, deals=50), 1),
    ):
        panels = axes_of(plot.odds([table]))
        assert len(panels) == count
        for axes, column in zip(panels, table.columns, strict=True):
            expected = [100 * row[column].chance for row in table.rows.values() if column in row]
            assert [bar.get_width() for bar in axes.patches] == pytest.approx(expected)
            assert "%" in axes.get_xlabel()
        assert [label.get_text() for label in panels[0].get_yticklabels()] == list(table.rows)


def test_rare_things_get_a_logarithmic_scale():
    assert {axes.get_xscale() for axes in axes_of(plot.odds([naturals_odds(BASIC)]))} == {"log"}
    assert {axes.get_xscale() for axes in axes_of(plot.odds([deals_odds(BASIC, deals=50)]))} == {"linear"}


def test_strengths_are_lines_by_category():
    points = {"front": {"one pair": [(2, 0.5, 0.01), (4, 0.6, 0.01), (5, 0.7, 0.2)], "high card": [(14, 0.3, 0.01)]}}
    figure = plot.strengths(points)
    (axes,) = axes_of(figure)
    (pair,) = (bars for bars in axes.containers if bars.get_label() == "one pair")
    assert pair.lines[0].get_xdata() == pytest.approx([2, 3, 4])
    assert pair.lines[0].get_ydata() == pytest.approx([50, float("nan"), 60], nan_ok=True)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["one pair", "high card"]


def test_scores_are_shares_of_the_deals():
    panels = axes_of(plot.scores(HISTOGRAMS))
    assert [axes.get_title(loc="left") for axes in panels] == ["North: mean +0.800", "陳: mean -0.800"]
    assert [bar.get_height() for bar in panels[0].patches] == pytest.approx([30, 20, 50])
    wide = axes_of(plot.scores({"North": dict.fromkeys(range(-500, 500), 1)}))[0]
    assert len(wide.patches) <= 101
    assert sum(bar.get_height() for bar in wide.patches) == pytest.approx(100)
    assert "bars of 10" in wide.get_xlabel()
    assert plot.scores({"North": {}})


def test_curves_have_a_scale_that_shows_them():
    assert axes_of(plot.convergence(CURVES))[0].get_yscale() == "log"
    flat = axes_of(plot.convergence({"basic": CURVES["basic"][:2]}))[0]
    assert flat.get_yscale() == "linear"
    assert flat.get_ylim()[0] == 0
    assert "units per opponent and hand" in flat.get_ylabel()


# ----------------------------------------------------------------------------------------------------
# What can go wrong


@pytest.mark.parametrize("name", ["odds.gif", "odds", ".png/", "odds.png.txt", ""])
def test_names_that_are_no_plot(name):
    with pytest.raises(ChinesePokerError, match="bad_plot") as caught:
        plot.plot_path(name)
    assert ".png, .svg or .pdf" in caught.value.message


def test_capitals_will_do(tmp_path):
    plot.save(plot.scores(HISTOGRAMS), plot.plot_path(str(tmp_path / "ODDS.SVG")))
    assert (tmp_path / "ODDS.SVG").read_bytes().startswith(b"<?xml")


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "a.png").mkdir()
    (tmp_path / "file").touch()
    for name in ("none/a.png", "a.png", "file/a.png", "/proc/a.png"):
        with pytest.raises(ChinesePokerError, match="unwritable") as caught:
            plot.plot_path(str(tmp_path / name))
        assert "\n" not in caught.value.message


def test_without_matplotlib_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ChinesePokerError, match="missing_extra") as caught:
        plot.plot_path("odds.png")
    assert "pip install 'chinese-poker[plot]'" in caught.value.message


def test_a_disk_that_fills_up_leaves_the_old_file(tmp_path, monkeypatch):
    figure, file = plot.scores(HISTOGRAMS), tmp_path / "odds.png"
    file.write_bytes(b"old")

    def fill_up(file: BinaryIO, **_: object) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(figure, "savefig", fill_up)
    with pytest.raises(ChinesePokerError, match="No space left on device"):
        plot.save(figure, file)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_the_users_own_style_changes_nothing(tmp_path):
    import matplotlib

    plot.save(plot.scores(HISTOGRAMS), tmp_path / "a.png")
    with matplotlib.rc_context({"font.size": 30, "savefig.dpi": 20, "axes.grid": False}):
        plot.save(plot.scores(HISTOGRAMS), tmp_path / "b.png")
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_commands_draw(tmp_path):
    done = run("suggest", HAND, "--samples", "300", "--plot", "hand.svg", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    done = run("odds", "deals", "--deals", "50", "--plot", "odds.png", "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert {file.name for file in tmp_path.iterdir()} == {"hand.svg", "odds.png"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["odds", "deals", "--plot", "odds.gif"], "'odds.gif' is no plot"),
        (["odds", "deals", "--plot", "nowhere/odds.png"], "'nowhere/odds.png' cannot be written"),
        (["suggest", HAND, "--plot", "nowhere/odds.png"], "'nowhere/odds.png' cannot be written"),
        (["suggest", HAND, HAND, "--plot", "odds.png"], "A plot shows one hand"),
        (["suggest", "hands.jsonl", "--plot", "odds.png"], "A plot shows one hand"),
    ],
)
def test_what_the_commands_say(arguments, words, tmp_path):
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert done.stdout == b""
    assert list(tmp_path.iterdir()) == []
