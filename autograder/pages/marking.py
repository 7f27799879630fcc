"""Style and script of the box with model answer and rubric on the page where a submission is marked."""

STYLE = """
.course-model { border: 1px solid #767676; border-left-width: 4px; padding: 0 1em 0.5em; background: #fff; color: #000; }
.course-model h4 { margin-top: 0.8em; font-weight: bold; }
.course-model label { display: flex; gap: 0.6em; font-weight: normal; margin: 0 0 0.5em; }
.course-model label > span { flex: 1; }
.course-model label > b { white-space: nowrap; }
@media (min-width: 992px) {
  #notebook-container > .cell:has(+ .cell .course-model) { float: left; clear: both; width: 56%; }
  #notebook-container > .cell:has(.course-model) { margin-left: 58%; }
  #notebook-container > .cell:has(.course-model) + .cell { clear: both; }
}
"""
# Ticked lines make the points, and are remembered on this computer. Nothing is written before somebody ticks.
SCRIPT = """
for (const box of document.querySelectorAll('.course-model')) {
  const lines = [...box.querySelectorAll('input')], field = document.getElementById(box.dataset.cell);
  const place = location.pathname + '#' + box.dataset.cell;
  const ticked = (localStorage.getItem(place) || '').split(',');
  lines.forEach((line, at) => { line.checked = ticked.includes(String(at)); });
  box.addEventListener('change', () => {
    const on = lines.map((line, at) => line.checked ? at : -1).filter(at => at >= 0);
    localStorage.setItem(place, on.join(','));
    const sum = on.reduce((points, at) => points + Number(lines[at].dataset.share), 0);
    field.value = on.length === lines.length ? Number(box.dataset.points) : Math.round(1e4 * sum) / 1e4;
    field.dispatchEvent(new Event('change', {bubbles: true}));
  });
}
"""
