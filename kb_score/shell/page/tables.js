// Tables whose columns sort, and what else the pages share that have them.
"use strict";

const byId = (id) => document.getElementById(id);

async function unpack() {
  const bytes = Uint8Array.from(atob(byId("data").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function make(tag, content = "", attributes = {}) {
  const made = document.createElement(tag);
  made.append(content);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

const isMissing = (value) => value === undefined || value === "";

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

/* Fills a table whose columns sort: names from A on and figures from the largest on, first.
   A column has a label, its value in a row, and perhaps the cell to show for it, and how it sorts first. */
class Sorted {
  constructor(table, columns, rows, sums = []) {
    this.columns = columns;
    this.rows = rows;
    this.heads = columns.map((column) => this.makeHead(column));
    this.lines = new Map(rows.map((row) => [row, this.makeLine(row)]));
    this.body = make("tbody");
    this.body.append(...this.lines.values());
    const foot = make("tfoot");
    foot.append(...sums.map((row) => this.makeLine(row)));
    const line = make("tr");
    line.append(...this.heads);
    table.replaceChildren(make("thead", line), this.body, ...(sums.length ? [foot] : []));
  }

  makeHead(column) {
    const button = make("button", column.label, { type: "button" });
    button.append(make("span", "", { "aria-hidden": "true" }));
    button.addEventListener("click", () => this.sort(column));
    return make("th", button, { scope: "col" });
  }

  makeLine(row) {
    const line = make("tr");
    line.append(...this.columns.map((column) => {
      const value = column.value(row);
      const shown = column.cell ? column.cell(row, value) : isMissing(value) ? "" : String(value);
      return column.heads ? make("th", shown, { scope: "row" }) : make("td", shown);
    }));
    return line;
  }

  sort(column) {
    const head = this.heads[this.columns.indexOf(column)];
    const first = column.first ?? (this.rows.some((row) => typeof column.value(row) === "number") && !column.heads ? "descending" : "ascending");
    const before = head.getAttribute("aria-sort");
    const order = !before ? first : before === "ascending" ? "descending" : "ascending";
    for (const other of this.heads) {
      other.removeAttribute("aria-sort");
      other.querySelector("span").textContent = "";
    }
    head.setAttribute("aria-sort", order);
    head.querySelector("span").textContent = order === "ascending" ? " \u25B2\uFE0E" : " \u25BC\uFE0E";
    const sign = order === "ascending" ? 1 : -1;
    const sorted = [...this.rows].sort((one, other) => {
      const [a, b] = [column.value(one), column.value(other)];
      // What has no figure stays at the end.
      return isMissing(a) || isMissing(b) ? isMissing(a) - isMissing(b) : sign * compare(a, b);
    });
    this.body.append(...sorted.map((row) => this.lines.get(row)));
  }
}
