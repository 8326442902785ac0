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
  "CommaFixes", // misreads code next to a comma
  "CompoundNouns", // would write "filename" and "filesystem"
  "Dashes", // misreads flags
  "ExpandControl",
  "ExpandMemoryShorthands", // MB, MiB
  "ExpandMinimum",
  "ExpandStandardInputAndOutput",
  "ExpandTimeShorthands",
  "ExpandConfiguration", // misreads the command `config`
  "HowTo", // misreads cells of tables
  "MassNouns", // refuses "a ping"
  "MergeWords", // misreads a plural s after code
  "MissingPreposition",
  "OneOfTheSingular", // refuses "one of the archive"
  "OrthographicConsistency",
  "OxfordComma",
  "SentenceCapitalization", // misreads cells of tables, and the program's name
  "Spaces", // misreads wrapped lines
  "SplitWords", // splits the program's name
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
