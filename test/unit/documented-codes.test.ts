import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exitCodeOfError } from "../../src/cli/program/exit-codes.ts";
import { StackferryError, type ErrorCode } from "../../src/core/errors.ts";

const root = new URL("../../", import.meta.url).pathname;

/** The folders of src that give outcomes and warnings their codes. */
const ROOMS = ["import", "export", "matching", "rollback", "kinds", "backup", "config", "journal", "library", "cli"];
const PAGES = ["docs/outcomes-and-exit-codes.md", "docs/archive-format.md"];

/** Codes that `PAGES` need not list: the first three never leave the program, and the others are errors, which end a run. */
const NOT_TOLD: readonly string[] = ["conflict", "custom", "not-applied", "unexpected", "unreachable"];

function codesIn(room: string): string[] {
  const folder = join(root, "src", room);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.flatMap((name) =>
    [...readFileSync(join(folder, name), "utf8").matchAll(/\bcode: (?:\w+ \? "([a-z-]+)" : )?"([a-z-]+)"/g)].flatMap(
      ([, either, code = ""]) => (either === undefined ? [code] : [either, code]),
    ),
  );
}

it("each code of an outcome, a warning or an archive's notHeld member is documented", () => {
  const pages = PAGES.map((page) => readFileSync(join(root, page), "utf8")).join("\n");
  const codes = new Set(ROOMS.flatMap(codesIn));
  expect(codes.size).toBeGreaterThan(60);
  const missing = [...codes].filter((code) => !NOT_TOLD.includes(code) && !pages.includes(`\`${code}\``));
  expect(missing).toEqual([]);
});

it("each code of an error is documented beside its exit code", () => {
  const source = readFileSync(join(root, "src/core/errors.ts"), "utf8");
  const codes = [...source.matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, code]) => code as ErrorCode);
  expect(codes.length).toBeGreaterThan(20);
  const page = readFileSync(join(root, "docs/outcomes-and-exit-codes.md"), "utf8");
  const rows = new Map(
    [...page.matchAll(/^- (\d+): (.*(?:\n {2}.*)*)/gm)].map(([, exit, text]) => [Number(exit), text]),
  );
  for (const code of codes) expect(rows.get(exitCodeOfError(new StackferryError(code, "")))).toContain(`\`${code}\``);
});
