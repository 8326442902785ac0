import { expect, it } from "vitest";
import { commands } from "../../../../src/cli/program/commands.ts";

// The contract of the flags: a flag enters a command only with a line here.

const everyImport =
  "to dry-run yes on-conflict kinds include exclude create map draft-map secrets draft-secrets mirror report".split(
    " ",
  );
const rarely = ["with-dependencies", "name-prefix", "fit-limits", "accept-hidden-loss", "max-delete", "journals"];
const forReviews = ["exit-code", "plan", "markdown"];

/** By command: the flags of `--help`, and those that `--help --all` adds. */
const FLAGS: readonly (readonly [string, string[], string[]])[] = [
  ["import", [...everyImport, "tile"], [...rarely, ...forReviews, "signer"]],
  ["restore", [...everyImport, "tile"], [...rarely, ...forReviews, "signer"]],
  ["migrate", [...everyImport, "from", "keep-archive"], [...rarely, ...forReviews]],
  ["apply", [...everyImport, ...forReviews, "values"], [...rarely, "signer"]],
  [
    "rollback",
    ["to", "list", "run", "dry-run", "yes", "force", "report"],
    ["fit-limits", "accept-hidden-loss", "journals"],
  ],
];

const loaded = await Promise.all(commands.map(({ load }) => load()));

const namesOf = (command: string, isAdvanced: boolean): string[] =>
  Object.entries(loaded.find(({ name }) => name === command)?.flags ?? {})
    .filter(([, { advanced = false }]) => advanced === isAdvanced)
    .map(([name]) => name)
    .toSorted();

it.each(FLAGS)("the flags of %s are exactly those of its line", (command, shown, advanced) => {
  expect(namesOf(command, false)).toEqual(shown.toSorted());
  expect(namesOf(command, true)).toEqual(advanced.toSorted());
});
