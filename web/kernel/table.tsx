// A table whose columns sort: names from A on and figures from the largest on, first.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type Value = string | number | undefined;

/** A column with its value in a row; `head` replaces the label on the page, and `cell` the value. */
export interface Column<Row> {
  label: string;
  head?: ComponentChildren;
  value: (row: Row) => Value;
  cell?: (row: Row) => ComponentChildren;
  /** Whether it names its row. */
  heads?: boolean;
  /** The first order, if it is not the usual one. */
  first?: "ascending" | "descending";
  /** The class of its cells. */
  class?: string;
  isFixed?: boolean; // whether it does not sort
}

const isMissing = (value: Value) => value === undefined || value === "";

export function compare(a: Value, b: Value) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** The table; the lines of `sums` stay below the others. */
export function SortedTable<Row>({
  id,
  columns,
  rows,
  sums = [],
}: {
  id: string;
  columns: Column<Row>[];
  rows: Row[];
  sums?: Row[];
}) {
  const [{ label, order }, setSorting] = useState({ label: "", order: "" });
  const by = columns.find((column) => column.label === label);
  const sign = order === "descending" ? -1 : 1;
  const numbered = rows.map((row, number) => ({ row, number }));
  if (by) {
    numbered.sort(({ row: one }, { row: other }) => {
      const [a, b] = [by.value(one), by.value(other)];
      // Rows without a figure stay at the end.
      if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
      return sign * compare(a, b);
    });
  }
  const sort = (column: Column<Row>) => {
    const hasFigures = rows.some((row) => typeof column.value(row) === "number");
    const first = column.first ?? (hasFigures && !column.heads ? "descending" : "ascending");
    const next = order === "ascending" ? "descending" : "ascending";
    setSorting({ label: column.label, order: column === by ? next : first });
  };
  const line = (row: Row, key: number) => (
    <tr key={key}>
      {columns.map((column) => {
        const shown = column.cell ? column.cell(row) : (column.value(row) ?? "");
        if (column.heads) return <th scope="row">{shown}</th>;
        return <td class={column.class}>{shown}</td>;
      })}
    </tr>
  );
  return (
    <table id={id}>
      <thead>
        <tr>
          {columns.map((column) =>
            column.isFixed ? (
              <th key={column.label} scope="col" class={column.class}>
                {column.head}
              </th>
            ) : (
              <th
                key={column.label}
                scope="col"
                class={column.class}
                aria-sort={column === by ? (order as "ascending" | "descending") : undefined}
              >
                <button type="button" class="quiet" onClick={() => sort(column)}>
                  {column.head ?? column.label}
                  <span aria-hidden="true">
                    {column === by && (order === "ascending" ? " ▲\uFE0E" : " ▼\uFE0E")}
                  </span>
                </button>
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{numbered.map(({ row, number }) => line(row, number))}</tbody>
      {sums.length > 0 && <tfoot>{sums.map(line)}</tfoot>}
    </table>
  );
}
