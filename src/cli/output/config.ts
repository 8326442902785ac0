import type { StackferryError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";
import { address } from "./inspect/archive.ts";
import type { ReportedStack } from "./document.ts";
import type { Cell } from "./terminal/table.ts";
import { renderTable } from "./terminal/table.ts";
import type { OutputOptions } from "./terminal/theme.ts";

/** What became of one configured stack. */
export interface CheckedStack {
  readonly name: string;
  readonly stack?: ReportedStack;
  readonly error?: StackferryError;
}

/** What became of one configured repository. */
export interface CheckedRepository {
  readonly name: string;
  readonly address?: string;
  readonly error?: StackferryError;
}

/** The stacks and repositories of a configuration file, and what keeps each from being used. */
export function configText(
  path: string,
  checked: readonly CheckedStack[],
  repositories: readonly CheckedRepository[],
  display: OutputOptions,
): string {
  const { theme } = display;
  const result = (error: unknown): Cell =>
    error === undefined ? { text: "✓ complete", paint: theme.good } : { text: "✗ cannot be used", paint: theme.bad };
  const rows = [
    ...checked.map(({ name, stack, error }): Cell[] => [
      name,
      stack?.variant ?? "",
      stack === undefined ? "" : address(stack),
      result(error),
    ]),
    ...repositories.map(({ name, address: repository = "", error }): Cell[] => [
      name,
      "repository",
      repository,
      result(error),
    ]),
  ];
  const columns = [{ title: "NAME" }, { title: "WHAT" }, { title: "ADDRESS" }, { title: "" }];
  const problems = [...checked, ...repositories].flatMap(({ name, error }) => {
    if (error === undefined) return [];
    const hint = error.hint === undefined ? "" : `  ${printable(error.hint)}\n`;
    return [`${theme.bad("✗")} ${printable(`${name}: ${error.message}`)}\n${hint}`];
  });
  const title = `${theme.strong(printable(path))}\n`;
  const table = rows.length === 0 ? "it names no stack and no repository\n" : renderTable({ columns, rows }, display);
  return [title, table, ...problems].join("");
}
