"""Figures: alt text is required and kept, lines differ without colour, curves show the statistics they claim."""

import subprocess
import sys
from html.parser import HTMLParser

import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from course_utils import plots
from course_utils.errors import CourseError
from course_utils.metrics import mean_interval

ALT = 'Accuracy against epoch: the "pretrained" curve rises <quickly> & stays above the other.'
RUNS = {"pretrained": [[0.2, 0.6, 0.9], [0.3, 0.7, 0.95], [0.25, 0.5, 0.97]], "scratch": [[0.01, 0.02, 0.03]]}


@pytest.mark.parametrize("alt", ["", " " * 40, "Figure 1", "a plot" + " " * 40])
@pytest.mark.parametrize("action", [plots.show, lambda figure, alt: plots.save(figure, "never.png", alt)])
def test_a_figure_without_description_is_refused(alt, action):
    with pytest.raises(CourseError, match="alt text of at least 30"):
        action(plots.line({"a": ([1], [2])}, "x", "y"), alt)


def test_saved_figure_holds_its_description(tmp_path):
    path = plots.save(plots.accuracy_curves(RUNS), tmp_path / "figure.png", ALT)
    image = Image.open(path)
    assert image.info["Description"] == ALT
    assert min(image.size) > 300


def test_equal_figures_are_equal_files(tmp_path):
    one, two = (plots.save(plots.accuracy_curves(RUNS), tmp_path / name, ALT).read_bytes() for name in "ab")
    assert one == two


def test_outside_notebooks_show_attaches_the_description(capsys):
    figure = plots.accuracy_curves(RUNS)
    plots.show(figure, ALT)
    assert figure.get_label() == ALT
    assert capsys.readouterr().out == ""


class _Images(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.found.append(dict(attrs))


@pytest.mark.parametrize("source", ["plots.line({'a': ([1, 2], [2, 1])}, 'x', 'y')", "pyplot.figure()"])
def test_in_a_notebook_the_alt_text_is_in_the_output_once(tmp_path, source):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    code = f"import matplotlib.pyplot as pyplot\nfrom course_utils import plots\nplots.show({source}, {ALT!r})"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=180, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    parser = _Images()
    parser.feed(output.data["text/html"])
    (image,) = parser.found
    assert image["alt"] == ALT == output.data["text/plain"]
    assert image["src"].startswith("data:image/png;base64,iVBOR")


def test_series_differ_in_dashes_or_marker_as_well_as_in_colour():
    looks = plots.styles(7)
    assert len({(str(look["linestyle"]), look["marker"]) for look in looks}) == 7
    assert len({look["marker"] for look in looks}) == 7
    assert len({look["color"] for look in looks}) == 7


def test_colours_stand_out_on_white():
    for colour in plots.COLOURS:
        red, green, blue = to_rgb(colour)
        assert 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.72, colour


def test_curves_show_mean_and_interval_in_percent():
    (ax,) = plots.accuracy_curves(RUNS, baseline=0.05).axes
    mean, low, high = mean_interval([run[1] for run in RUNS["pretrained"]])
    assert list(ax.lines[0].get_xdata()) == [1, 2, 3]
    assert ax.lines[0].get_ydata()[1] == pytest.approx(100 * mean)
    (band,) = ax.collections  # one seed has no band
    at_two = sorted({y for x, y in band.get_paths()[0].vertices if x == 2})
    assert at_two == pytest.approx([100 * low, 100 * high])
    assert list(ax.lines[2].get_ydata()) == [5.0, 5.0]
    assert "%" in ax.get_ylabel() and ax.get_xlabel() == "epoch"
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["pretrained (3 seeds)", "scratch (1 seed, no band)", "most frequent answer (5.0 %)"]


@pytest.mark.parametrize(
    ("labels", "columns"),
    [
        (["a", "b", "c", "d"], 2),
        # of notebook 07: the third had lost its end
        (
            [
                "your run, from scratch",
                "your run, pretrained",
                "from scratch, other worlds",
                "pretrained, other worlds",
            ],
            1,
        ),
    ],
)
def test_no_legend_is_cut_off(labels, columns):
    """Two columns where they fit, else one."""
    one, three = [[0.1, 0.5]], [[0.1, 0.5], [0.2, 0.6], [0.1, 0.7]]
    curves = {label: one if i < 2 else three for i, label in enumerate(labels)}
    figure = plots.accuracy_curves(curves, baseline=0.04, baseline_label="most frequent town")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    assert (legend._ncols, len(legend.get_texts())) == (columns, 5)


def test_legend_hides_no_line():
    figure = plots.accuracy_curves(RUNS, baseline=0.05)
    figure.draw_without_rendering()
    assert not figure.legends[0].get_window_extent().overlaps(figure.axes[0].get_window_extent())


@pytest.mark.parametrize(
    ("runs", "message"),
    [([[0.1, 0.2], [0.1]], r"lengths \[1, 2\]"), ([], "lengths"), ([[]], "lengths"), ([[98.0]], "not percentages")],
)
def test_impossible_histories_are_refused(runs, message):
    with pytest.raises(CourseError, match=message):
        plots.accuracy_curves({"mine": runs})


def test_series_of_unequal_length_are_refused():
    with pytest.raises(CourseError, match="3 x values and 2 y values"):
        plots.line({"a": ([1, 2, 3], [1, 2])}, "x", "y")
    with pytest.raises(CourseError, match="3 values for 2 epochs"):
        plots.accuracy_curves(RUNS, epochs=[0, 1])


def test_bars_have_values_and_whiskers():
    (ax,) = plots.bars({"dev": 0.5, "test": 0.25}, "accuracy", {"dev": (0.4, 0.65)}).axes
    assert [patch.get_height() for patch in ax.patches] == [0.5, 0.25]
    assert {text.get_text() for text in ax.texts} == {"0.5", "0.25"}
    (whisker,) = [c for c in ax.collections if len(c.get_segments())]
    assert [y for _, y in whisker.get_segments()[0]] == pytest.approx([0.4, 0.65])


def test_equal_values_have_dots_side_by_side():
    _, (ax,) = plots.new_figure()
    plots.dots(ax, 1.0, [50.0, 70.0, 50.0], step=0.1)
    assert [[round(float(x), 9) for x in line.get_xdata()] for line in ax.lines] == [[0.95, 1.05], [1.0]]
    assert [list(line.get_ydata()) for line in ax.lines] == [[50.0, 50.0], [70.0]]


def test_importing_plots_starts_no_pyplot():
    code = "import sys, course_utils.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
