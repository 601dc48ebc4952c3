"use strict";

// A click on a head sorts upwards, the next one downwards, the third brings back the first order.
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
const words = new Intl.Collator("en", { numeric: true });

function compare(first, second, numeric, direction) {
  // What was not run goes last, whichever way.
  const missing = first.classList.contains("blank") - second.classList.contains("blank");
  if (missing) return missing;
  const order = numeric
    ? Number(first.dataset.value) - Number(second.dataset.value)
    : words.compare(first.textContent, second.textContent);
  return direction === "ascending" ? order : -order;
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const given = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const direction = NEXT[head.getAttribute("aria-sort")];
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", direction);
      const numeric = head.classList.contains("number");
      const rows = [...given];
      if (direction !== "none")
        rows.sort((a, b) => compare(a.cells[place], b.cells[place], numeric, direction));
      body.append(...rows);
    });
  });
}

document.querySelectorAll("figure.table table").forEach(makeSortable);
