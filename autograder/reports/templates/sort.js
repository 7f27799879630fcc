for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const live = document.getElementById("sorted");
  for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
    if (head.hasAttribute("data-fixed")) continue;
    const name = head.textContent.trim();
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[at].dataset.value ?? row.cells[at].textContent.trim();
      const order = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        const found = isNaN(x) || isNaN(y) ? x.localeCompare(y) : x - y;
        return down ? -found : found;
      };
      body.append(...[...body.rows].sort(order));
      live.textContent = `sorted by ${name}, ${down ? "descending" : "ascending"}`;
    });
  }
}
