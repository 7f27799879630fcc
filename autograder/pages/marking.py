"""Style and script of what the course adds to the page where a submission is marked: list of answers, model answers, rubrics."""

STYLE = """
.course-answers { border-bottom: 1px solid #767676; padding-bottom: 0.6em; }
.course-answers a { margin-left: 1em; white-space: nowrap; }
#notebook-container .score { scroll-margin-top: 9em; }
#notebook-container .rendered_html { overflow-x: auto; contain: paint; }
#notebook-container .rendered_html table th, #notebook-container .rendered_html table td { padding: 0.1em 0.7em 0.1em 0; }
.course-model { border: 1px solid #767676; border-left-width: 4px; padding: 0 1em 0.5em; background: #fff; color: #000; }
.course-model h4 { margin-top: 0.8em; font-weight: bold; }
.course-model label { display: flex; gap: 0.6em; font-weight: normal; margin: 0 0 0.5em; }
.course-model label > span { flex: 1; }
.course-model label > b { white-space: nowrap; }
.course-model .note { font-style: italic; }
@media (min-width: 992px) {
  #notebook-container > .cell:has(+ .cell .course-model) { float: left; clear: both; width: 56%; }
  #notebook-container > .cell:has(.course-model) { margin-left: 58%; }
  #notebook-container > .cell:has(.course-model) + .cell { clear: both; }
}
"""
# Ticked lines make the points, and are remembered on this computer. Nothing is written before somebody ticks. Points that
# came otherwise (typed, by "Full credit", by another person) show no ticks, or the next tick would take them away unseen.
# nbgrader's keys wait for MathJax, which is not loaded, since formulas are MathML: without the stand-in no key works. Its
# keys announce changes to jQuery alone, so that the handler of ticks is one of jQuery.
SCRIPT = """
window.MathJax = window.MathJax || {Hub: {Startup: {signal: {Interest: heard => heard('End')}}}};
const boxes = [...document.querySelectorAll('.course-model')].map(box => {
  const lines = [...box.querySelectorAll('input')], field = document.getElementById(box.dataset.cell);
  const place = location.pathname + '#' + box.dataset.cell, note = box.querySelector('.note');
  const on = () => lines.map((line, at) => line.checked ? at : -1).filter(at => at >= 0);
  const sum = () => on().length === lines.length ? Number(box.dataset.points)
    : Math.round(1e4 * on().reduce((points, at) => points + Number(lines[at].dataset.share), 0)) / 1e4;
  const tick = (text) => lines.forEach((line, at) => { line.checked = text.split(',').includes(String(at)); });
  tick(localStorage.getItem(place) || '');
  $(box).on('change', () => {
    localStorage.setItem(place, on().join(','));
    field.value = sum();
    field.dispatchEvent(new Event('change', {bubbles: true}));
  });
  return {cell: box.dataset.cell, settle: (given) => {
    const none = given === null || given === '', other = !none && Math.abs(Number(given) - sum()) > 1e-3;
    if (on().length && (none || other)) { tick(''); localStorage.removeItem(place); }
    note.hidden = !lines.length || none || on().length > 0;
    note.textContent = note.hidden ? '' : `${Number(given)} points are given, not by lines ticked on this computer.`;
  }};
});
function settle() {
  if (!(window.formgrader && formgrader.grades && formgrader.grades.loaded)) { setTimeout(settle, 100); return; }
  formgrader.grades.each(model => {
    const box = boxes.find(one => one.cell === model.get('name'));
    const link = document.querySelector(`.course-answers a[href="#${model.get('name')}"] span`);
    const shown = () => {
      if (box) { box.settle(model.get('manual_score')); }
      if (link) { link.textContent = model.get('needs_manual_grade') ? '' : ' \\u2713'; }
    };
    model.on('change sync', shown);
    shown();
  });
}
settle();
"""
