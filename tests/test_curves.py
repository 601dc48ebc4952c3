"""Curves, drawings and pictures: what is drawn, and that it is at home in a page."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from gmixup.evidence.curves import (
    PARTS,
    draw_differences,
    draw_points,
    draw_scores,
    draw_training,
    drawable,
    together,
)
from gmixup.evidence.drawings import Scale, forest, training
from gmixup.evidence.pictures import Picture
from tests.runs import cell, done


def curve(values, epochs=None):
    epochs = list(range(1, len(values) + 1)) if epochs is None else epochs
    return {"epoch": epochs, "score": dict.fromkeys(PARTS, values)}


def test_a_mean_is_over_epochs_that_all_runs_have():
    longer, shorter = curve([0.1, 0.2, 0.3, 0.4]), curve([0.3, 0.4, None])
    epochs, values = together([longer, shorter], "score", "test")
    assert epochs.tolist() == [1, 2]
    assert values.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    epochs, values = together([curve([0.1, 0.2]), curve([0.1, None])], "score", "test")
    assert epochs.tolist() == [1]
    assert values.tolist() == [[0.1], [0.1]]


def test_thinned_curves_meet_at_their_common_epochs():
    epochs, values = together(
        [curve([0.1, 0.2, 0.3], [1, 50, 100]), curve([0.3, 0.4, 0.5], [1, 77, 100])],
        "score",
        "test",
    )
    assert epochs.tolist() == [1, 100]
    assert values.tolist() == [[0.1, 0.3], [0.3, 0.5]]


@pytest.mark.parametrize(
    "spoilt",
    [
        None,
        {},
        {"epoch": []},
        {"epoch": [1]},
        {"epoch": [1], "score": {"train": [1.0], "validation": [1.0]}},
        {"epoch": [1, 2], "score": {part: [1.0] for part in PARTS}},
        curve([None, None]),
        curve([0.5], [7]),
    ],
)
def test_what_is_no_curve_is_not_drawn(spoilt):
    assert drawable([curve([0.5, 0.6])])
    assert not drawable([curve([0.5, 0.6]), spoilt])
    assert not drawable([])


def test_training_has_a_panel_a_part_and_a_line_a_method():
    runs = {
        name: [done(cell(name, fit))["curve"] for fit in range(3)] for name in ("none", "soften")
    }
    figure = draw_training(runs, title="Two methods")
    assert [axes.get_title() for axes in figure.axes] == ["train", "validation", "test"]
    line = figure.axes[2].lines[1]
    assert line.get_label() == "soften (n = 3)"
    means = np.mean([own["score"]["test"] for own in runs["soften"]], 0)
    assert line.get_ydata() == pytest.approx(100 * means)
    assert draw_training(runs, "loss", ("train",)).axes[0].get_ylabel() == "loss"


def test_wrong_curves_are_named():
    with pytest.raises(ValueError, match="`measure` is 'x'; curves hold loss, score"):
        draw_training({}, "x")
    with pytest.raises(ValueError, match="`runs` names a method without curves; leave it out"):
        draw_training({"none": []})


def test_scores_by_a_setting_beside_the_published_ones():
    figure = draw_scores(
        {"gcn": {2: [0.6, 0.7], 1: [0.5]}}, "depth", {"gcn": {1: 51.0}, "x": {2: 60}}
    )
    ours, theirs, others = figure.axes[0].lines
    assert ours.get_xdata().tolist() == [1, 2]
    assert ours.get_ydata() == pytest.approx([50, 65])
    assert theirs.get_color() == ours.get_color() != others.get_color()
    assert theirs.get_ydata() == [51.0]


def test_differences_are_coloured_by_their_side():
    figure = draw_differences({"a": (2, 1, 3), "b": (-2, -3, -1), "c": (0, -1, 1)})
    marks = [line.get_color() for line in figure.axes[0].lines[2::2]]
    assert len(set(marks)) == 3
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["a", "b", "c"]


def parsed(html):
    return ElementTree.fromstring(f"<div>{html}</div>")


def test_a_forest_has_a_mark_for_each_difference():
    made = forest(
        {"a <b>": (2, 1, 3), "b": (-2, -3, -1), "a name that is much too long to stand": (0, -1, 1)}
    )
    tree = parsed(made.html)
    assert [group.get("class") for group in tree.iter("g")] == ["above", "below", "open"]
    centres = [float(mark.get("cx")) for mark in tree.iter("circle")]
    assert centres[1] < centres[2] < centres[0]
    zero = next(line for line in tree.iter("line") if line.get("class") == "zero")
    assert float(zero.get("x1")) == pytest.approx(centres[2], abs=0.1)
    texts = [text.text for text in tree.iter("text")]
    assert "a <b>" in texts
    assert "a name that is much too long to s…" in texts


def test_training_curves_are_drawn_as_points_of_a_page():
    runs = {name: [done(cell(name, fit), epochs=300)["curve"] for fit in range(3)]
            for name in ("none", "soften")}  # fmt: skip
    tree = parsed(training(runs, "caption").html)
    lines = list(tree.iter("polyline"))
    assert len(lines) == 6
    assert {len(line.get("points").split()) for line in lines} == {100}
    assert [item.findtext("svg/..") or "".join(item.itertext()) for item in tree.iter("li")] == [
        "none (n = 3)",
        "soften (n = 3)",
    ]
    # Higher scores lie higher, that is at smaller y.
    first, last = (float(lines[0].get("points").split()[at].split(",")[1]) for at in (0, -1))
    assert last < first


def test_one_run_of_one_epoch_is_drawn():
    tree = parsed(training({"none": [curve([0.5])]}).html)
    assert len(list(tree.iter("polyline"))) == 3


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=6), st.integers(4, 9))
def test_ticks_are_few_round_and_inside(numbers, most):
    scale = Scale.over(numbers, 0, 100)
    ticks = scale.ticks(most)
    assert 1 <= len(ticks) <= most + 1
    assert all(-1e-6 <= place <= 100 + 1e-6 for _, place in ticks)
    assert all(0 <= scale(number) <= 100 for number in numbers)


def small_figure(shaded=False):
    figure = Figure((3, 2))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color="#22223b")
    if shaded:
        axes.scatter([0, 1], [0, 1], c=[0.2, 0.8])
        assert any(isinstance(part, PathCollection) for part in axes.collections)
    return figure


def test_a_picture_is_an_svg_in_the_colours_of_the_page():
    html = Picture(small_figure(), 'a "caption"').html(3)
    assert html.startswith('<svg role="img" aria-label="a &quot;caption&quot;" viewBox=')
    assert "var(--ink)" in html
    assert "xmlns" not in html
    assert "<style" not in html
    names = re.findall(r'\bid="([^"]*)"', html)
    assert names
    assert all(name.startswith("picture-3-") for name in names)
    used = re.findall(r'(?:href="#|url\(#)([^")]*)', html)
    assert used
    assert set(used) <= set(names)


def test_shades_keep_their_colours_and_lie_on_paper():
    picture = Picture(small_figure(shaded=True))
    assert picture.on_paper
    assert "var(--" not in picture.html()
    assert not Picture(small_figure()).on_paper


def test_the_same_figure_gives_the_same_bytes():
    assert Picture(small_figure()).html() == Picture(small_figure()).html()


def test_a_large_drawing_becomes_pixels(monkeypatch):
    monkeypatch.setattr("gmixup.evidence.pictures.LARGEST", 10)
    html = Picture(small_figure(), description="words").html()
    assert html.startswith('<img alt="words" src="data:image/png;base64,')
    assert "\n" not in html


def test_named_points_lie_where_they_are_told():
    figure = draw_points(
        {"far": (14.0, (1.0, -1.0, 3.0)), "near": (1.0, (4.0, 2.0, 6.0))}, "x", "y"
    )
    (axes,) = figure.axes
    marks = [line.get_xydata().tolist() for line in axes.lines if line.get_linestyle() == "None"]
    assert marks == [[[14.0, 1.0]], [[1.0, 4.0]]]
    assert [text.get_text() for text in axes.get_xticklabels()] == [
        "1",
        "2",
        "3",
        "5",
        "7",
        "10",
        "15",
    ]
