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

/** Reads the sources or pages below a folder. */
function textsIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.(?:ts|js|md)$/.test(name))
    .map((name) => readFileSync(join(root, folder, name), "utf8"));
}

function codesIn(room: string): string[] {
  return textsIn(join("src", room)).flatMap((text) =>
    [...text.matchAll(/\bcode: (?:\w+ \? "([a-z-]+)" : )?"([a-z-]+)"/g)].flatMap(([, either, code = ""]) =>
      either === undefined ? [code] : [either, code],
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

/** The most codes that a person is asked to know. */
const MAX_CODES = 90;

const codesInTables = (): string[] => {
  const page = readFileSync(join(root, "docs/outcomes-and-exit-codes.md"), "utf8");
  return [...new Set([...page.matchAll(/^\| `([a-z-]+)`/gm)].map(([, code = ""]) => code))];
};

it("the tables have few codes, and none that the program does not give", () => {
  const given = textsIn("src").join("\n");
  const codes = codesInTables();
  expect(codes.length).toBeLessThanOrEqual(MAX_CODES);
  expect(codes.filter((code) => !given.includes(`"${code}"`))).toEqual([]);
});

/** Words with a hyphen that a page shows as code, and that are no words of this program. */
const OTHER_WORDS: readonly string[] = ["chap-secrets", "snmp-server"];

it("no page names a code that the program does not have", () => {
  const known = [...textsIn("src"), ...textsIn("scripts")].join("\n");
  const isKnown = (word: string): boolean => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(known);
  const pages = [...textsIn("docs"), readFileSync(join(root, "README.md"), "utf8")];
  const words = new Set(
    pages.flatMap((page) => [...page.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, word = ""]) => word)),
  );
  expect([...words].filter((word) => !OTHER_WORDS.includes(word) && !isKnown(word))).toEqual([]);
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
