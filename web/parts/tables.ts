// Tables, and those whose columns sort.
import type { Content } from "../kernel/dom.ts";
import { make, makeButton, makeHead } from "../kernel/dom.ts";

const isMissing = (value: unknown) => value === undefined || value === "";

/** A column of a table that sorts, with its value in a row. `shown` replaces the label, and `cell` the value, on the page;
 * `heads` marks the column that names its row, `first` is the first order. */
export type Column<T> = {
  label: string;
  icon?: string | Node;
  shown?: Content;
  value: (row: T) => string | number | undefined;
  cell?: (row: T, value: string | number | undefined) => Content;
  heads?: boolean;
  first?: "ascending" | "descending";
};

export function compare(a: unknown, b: unknown) {
  return typeof a === "number" && typeof b === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Fill a table with lines, whose heads are texts or cells. */
export function fillTable(table: HTMLElement, heads: (string | Element)[], lines: Node[]) {
  const head = make(
    "tr",
    heads.map((one) => (one instanceof Element ? one : makeHead(one))),
  );
  table.replaceChildren(make("thead", head), make("tbody", lines));
}

/** Fills a table whose columns sort: names from A on and figures from the largest on, first. A table that is filled again
 * sorts as before. */
export class Sorted<T> {
  table: HTMLTableElement & { sorting?: { label: string; order: string } };
  columns: Column<T>[];
  rows: T[];
  heads: any[];
  lines: Map<T, any>;

  constructor(
    table: HTMLTableElement & { sorting?: { label: string; order: string } },
    columns: Column<T>[],
    rows: T[],
    sums: T[] = [],
  ) {
    this.table = table;
    this.columns = columns;
    this.rows = rows;
    this.heads = columns.map((column) =>
      makeHead(
        makeButton(
          [
            column.icon ?? "",
            ...[column.shown ?? column.label].flat(),
            make("span", "", { "aria-hidden": "true" }),
          ],
          () => this.sort(column),
        ),
      ),
    );
    this.lines = new Map(rows.map((row) => [row, this.makeLine(row)]));
    fillTable(table, this.heads, [...this.lines.values()]);
    if (sums.length)
      table.append(
        make(
          "tfoot",
          sums.map((row) => this.makeLine(row)),
        ),
      );
    const { label, order } = table.sorting ?? {};
    const before = columns.find((column) => column.label === label);
    if (before) this.sort(before, order);
  }

  makeLine(row: T) {
    return make(
      "tr",
      this.columns.map((column) => {
        const value = column.value(row);
        const shown = column.cell ? column.cell(row, value) : isMissing(value) ? "" : String(value);
        return column.heads ? makeHead(shown, "row") : make("td", shown);
      }),
    );
  }

  sort(column: Column<T>, wanted?: string) {
    const head = this.heads[this.columns.indexOf(column)];
    const first =
      column.first ??
      (this.rows.some((row) => typeof column.value(row) === "number") && !column.heads
        ? "descending"
        : "ascending");
    const before = head.getAttribute("aria-sort");
    const order = wanted ?? (!before ? first : before === "ascending" ? "descending" : "ascending");
    for (const other of this.heads) {
      other.removeAttribute("aria-sort");
      other.querySelector("span").textContent = "";
    }
    head.setAttribute("aria-sort", order);
    head.querySelector("span").textContent =
      order === "ascending" ? " \u25B2\uFE0E" : " \u25BC\uFE0E";
    const sign = order === "ascending" ? 1 : -1;
    const sorted = [...this.rows].sort((one, other) => {
      const [a, b] = [column.value(one), column.value(other)];
      // Rows without a figure stay at the end.
      return isMissing(a) || isMissing(b)
        ? Number(isMissing(a)) - Number(isMissing(b))
        : sign * compare(a, b);
    });
    this.table.tBodies[0].append(...sorted.map((row) => this.lines.get(row)));
    this.table.sorting = { label: column.label, order };
  }
}
