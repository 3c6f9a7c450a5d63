// A table whose columns sort: names from A on and figures from the largest on, first.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type Value = string | number | undefined;

/** A column with its value in a row; `cell` replaces that on the page, `heads` marks the column that names its row. */
export interface Column<Row> {
  label: string;
  value: (row: Row) => Value;
  cell?: (row: Row) => ComponentChildren;
  heads?: boolean;
  /** The first order, if it is not the usual one. */
  first?: "ascending" | "descending";
}

const isMissing = (value: Value) => value === undefined || value === "";

export function compare(a: Value, b: Value) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

export function SortedTable<Row>({
  id,
  columns,
  rows,
}: {
  id: string;
  columns: Column<Row>[];
  rows: Row[];
}) {
  const [{ label, order }, setSorting] = useState({ label: "", order: "" });
  const by = columns.find((column) => column.label === label);
  const sign = order === "descending" ? -1 : 1;
  const sorted = by
    ? [...rows].sort((one, other) => {
        const [a, b] = [by.value(one), by.value(other)];
        // Rows without a figure stay at the end.
        if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
        return sign * compare(a, b);
      })
    : rows;
  const sort = (column: Column<Row>) => {
    const hasFigures = rows.some((row) => typeof column.value(row) === "number");
    const first = column.first ?? (hasFigures && !column.heads ? "descending" : "ascending");
    const next = order === "ascending" ? "descending" : "ascending";
    setSorting({ label: column.label, order: column === by ? next : first });
  };
  return (
    <table id={id}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.label}
              scope="col"
              aria-sort={column === by ? (order as "ascending" | "descending") : undefined}
            >
              <button type="button" class="quiet" onClick={() => sort(column)}>
                {column.label}
                <span aria-hidden="true">
                  {column === by && (order === "ascending" ? " ▲\uFE0E" : " ▼\uFE0E")}
                </span>
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted.map((row) => (
          <tr key={rows.indexOf(row)}>
            {columns.map((column) => {
              const shown = column.cell ? column.cell(row) : (column.value(row) ?? "");
              return column.heads ? <th scope="row">{shown}</th> : <td>{shown}</td>;
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
