import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exitCodeOfError } from "../../src/cli/program/exit-codes.ts";
import { StackferryError, type ErrorCode } from "../../src/core/errors.ts";

const root = new URL("../../", import.meta.url).pathname;
const PAGE = "docs/outcomes-and-exit-codes.md";

/** The most codes that a person is asked to know. */
const MAX_CODES = 90;

const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

/** Reads the sources or pages below a folder. */
function textsIn(folder: string, except?: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.(?:ts|js|md)$/.test(name) && name !== except)
    .map((name) => textOf(join(folder, name)));
}

/** Lists the texts of a union type that stand on a line each. */
const codesOfType = (path: string): string[] =>
  [...textOf(path).matchAll(/^ {2}\| "([a-z-]+)"/gm)].map(([, code = ""]) => code);

const OUTCOME_CODES = codesOfType("src/core/codes.ts");
const page = textOf(PAGE);

it("the codes of outcomes and warnings are few, each explained in a table or list, and each of these has only those", () => {
  const lines = page.matchAll(/^(?:\| `([a-z-]+)`|- `([a-z][a-z-]+)`: )/gm);
  const explained = new Set([...lines].map(([, row, line = ""]) => row ?? line));
  expect(OUTCOME_CODES.length).toBeLessThanOrEqual(MAX_CODES);
  expect([...explained].toSorted()).toEqual(OUTCOME_CODES.toSorted());
});

it("each code is given somewhere", () => {
  const sources = textsIn("src", "core/codes.ts").join("\n");
  expect(OUTCOME_CODES.filter((code) => !sources.includes(`"${code}"`))).toEqual([]);
});

it("each code of an archive's notHeld member is documented", () => {
  const given = textOf("src/export/missing-content.ts").matchAll(/\bcode: "([a-z-]+)"/g);
  const codes = [...given].map(([, code = ""]) => code).filter((code) => !OUTCOME_CODES.includes(code));
  const formatPage = textOf("docs/archive-format.md");
  expect(codes.length).toBeGreaterThan(4);
  expect(codes.filter((code) => !formatPage.includes(`\`${code}\``))).toEqual([]);
});

/** Words with a hyphen that a page shows as code, and that no source has as a whole. */
const OTHER_WORDS: readonly string[] = ["chap-secrets", "scanner-github", "snmp-server"];

it("no page names a code that the program does not have", () => {
  const known = [...textsIn("src"), ...textsIn("scripts")].join("\n");
  const isKnown = (word: string): boolean => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(known);
  const pages = [...textsIn("docs"), textOf("README.md")].join("\n");
  const words = new Set([...pages.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)].map(([, word = ""]) => word));
  expect([...words].filter((word) => !OTHER_WORDS.includes(word) && !isKnown(word))).toEqual([]);
});

it("each code of an error is documented beside its exit code", () => {
  const codes = codesOfType("src/core/errors.ts") as ErrorCode[];
  expect(codes.length).toBeGreaterThan(20);
  const rows = new Map(
    [...page.matchAll(/^- (\d+): (.*(?:\n {2}.*)*)/gm)].map(([, exit, text]) => [Number(exit), text]),
  );
  for (const code of codes) expect(rows.get(exitCodeOfError(new StackferryError(code, "")))).toContain(`\`${code}\``);
});
