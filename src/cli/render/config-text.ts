import type { CheckedPlace, CheckedStack } from "../runs/run-config-check.ts";
import { address } from "./archive-text.ts";
import { printable } from "./printable.ts";
import { renderTable } from "./table.ts";
import type { Cell } from "./table.ts";
import type { View } from "./theme.ts";

/** The stacks and places of a configuration file, and what keeps each from being used. */
export function configText(
  path: string,
  checked: readonly CheckedStack[],
  places: readonly CheckedPlace[],
  view: View,
): string {
  const { theme } = view;
  const result = (error: unknown): Cell =>
    error === undefined ? { text: "✓ complete", paint: theme.good } : { text: "✗ cannot be used", paint: theme.bad };
  const rows = [
    ...checked.map(({ name, stack, error }): Cell[] => [
      name,
      stack?.variant ?? "",
      stack === undefined ? "" : address(stack),
      result(error),
    ]),
    ...places.map(({ name, address: place = "", error }): Cell[] => [name, "place", place, result(error)]),
  ];
  const columns = [{ title: "NAME" }, { title: "WHAT" }, { title: "ADDRESS" }, { title: "" }];
  const problems = [...checked, ...places].flatMap(({ name, error }) => {
    if (error === undefined) return [];
    const hint = error.hint === undefined ? "" : `  ${printable(error.hint)}\n`;
    return [`${theme.bad("✗")} ${printable(`${name}: ${error.message}`)}\n${hint}`];
  });
  const title = `${theme.strong(printable(path))}\n`;
  const table = rows.length === 0 ? "it names no stack and no place\n" : renderTable({ columns, rows }, view);
  return [title, table, ...problems].join("");
}
