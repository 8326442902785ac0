/**
 * Checks README, CONTRIBUTING, SECURITY and docs with Harper, a grammar checker that works offline. Prints its findings, and
 * exits with 1 if there are any.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Dialect, LocalLinter } from "harper.js";
import { binary } from "harper.js/binary";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Rules of taste that these pages do not follow, and rules that misread code, tables or lists. */
const rulesOff = [
  "CommaFixes", // code beside a comma
  "CompoundNouns", // file name, file system
  "Dashes", // flags
  "ExpandControl",
  "ExpandMemoryShorthands", // MB, MiB
  "ExpandMinimum",
  "ExpandStandardInputAndOutput",
  "ExpandTimeShorthands",
  "ExpandConfiguration", // the command
  "HowTo", // cells of tables
  "MassNouns", // a ping
  "MergeWords", // the s of a plural of code
  "MissingPreposition",
  "OneOfTheSingular", // one of the archive
  "OrthographicConsistency",
  "OxfordComma",
  "SentenceCapitalization", // cells of tables, and the program's name
  "Spaces", // lines that are wrapped
  "SplitWords", // the program's name
  "UseTitleCase",
];

/** Names and abbreviations that are in no dictionary. */
const words = readFileSync(join(root, "scripts/prose-words.txt"), "utf8").split("\n").filter(Boolean);

const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].concat(
  readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
);

const linter = new LocalLinter({ binary, dialect: Dialect.British });
await linter.setup();
await linter.importWords(words);
await linter.setLintConfig({
  ...(await linter.getLintConfig()),
  ...Object.fromEntries(rulesOff.map((rule) => [rule, false])),
});

let found = 0;
for (const page of pages) {
  const text = readFileSync(join(root, page), "utf8");
  const lints = await linter.organizedLints(text, { language: "markdown" });
  for (const [rule, ofRule] of Object.entries(lints)) {
    for (const lint of ofRule) {
      found += 1;
      const line = text.slice(0, lint.span().start).split("\n").length;
      console.log(`${page}:${line}: ${rule}: "${lint.get_problem_text()}": ${lint.message()}`);
    }
  }
}
console.log(`${pages.length} pages read, ${found} findings`);
process.exitCode = found === 0 ? 0 : 1;
