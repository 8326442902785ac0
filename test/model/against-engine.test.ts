import { expect, it } from "vitest";
import { reportOf } from "./comparison.ts";
import { ARCHIVES, sequenceOf, withFaults, type Edit, type Import, type Operation } from "./operations.ts";

const FIRST = Number(process.env["STACKFERRY_MODEL_SEED"] ?? 1);
const IS_LONG = process.env["STACKFERRY_MODEL_SEQUENCES"] !== undefined;
// `npm run test:slow` makes more, and longer ones.
const SEQUENCES = Number(process.env["STACKFERRY_MODEL_SEQUENCES"] ?? 200);

// A run with faults takes longer, because each killed command is given again.
it.each([
  ["without faults", 0, Math.ceil(SEQUENCES / 2)],
  ["with kills, lost answers and lagging lists", 1, Math.floor(SEQUENCES / 2)],
])(`agrees with the engine %s, from seed ${FIRST}`, { timeout: 86_400_000 }, async (_, faults, sequences) => {
  const counts: Record<string, number> = {};
  const reports: string[] = [];
  for (let seed = FIRST; seed < FIRST + sequences && reports.length < 5; seed += 1) {
    const plain = sequenceOf(seed, ARCHIVES, IS_LONG ? 36 : 16);
    const report = await reportOf(seed, faults === 1 ? withFaults(plain, seed) : plain, counts);
    if (report !== undefined) reports.push(report);
  }
  if (IS_LONG) process.stdout.write(`${JSON.stringify(counts, undefined, 2)}\n`);
  expect(reports.join("\n\n")).toBe("");
});

const edit = (side: Edit["side"], what: Edit["what"], { at = 0, tile = 0, value = 0 } = {}): Edit => {
  return { is: "edit", side, what, at, tile, value };
};
const importOf = (archive: Import["archive"], policy: Import["policy"], { which = 0, mirror = false } = {}): Import => {
  return { is: "import", archive, which, policy, mirror, tile: undefined };
};
const backup: Operation = { is: "backup" };

// Random sequences show these once in many thousands.
it.each<[string, Operation[]]>([
  [
    "a tile is only guessed to be the counterpart of another one",
    [
      edit("a", "add-dashboard", { value: 7 }),
      edit("a", "copy"),
      importOf("now", "merge"),
      edit("a", "add-dashboard", { tile: 1, value: 1 }),
      importOf("now", "keep"),
      edit("a", "delete", { at: 1 }),
      { is: "rollback", force: false, back: 0 },
      importOf("now", "keep"),
      edit("b", "add-tile", { at: 1, tile: 2, value: 1 }),
      edit("a", "delete"),
      importOf("now", "keep", { mirror: true }),
      edit("a", "rename-tile"),
      importOf("now", "overwrite"),
    ],
  ],
  [
    "a backup has a tile that somebody has removed since, and no import has written the record",
    [
      edit("b", "add-dashboard", { value: 1 }),
      backup,
      importOf("own", "keep"),
      edit("b", "add-tile", { tile: 1, value: 2 }),
      backup,
      edit("b", "remove-tile", { tile: 1 }),
      importOf("own", "keep", { which: 1 }),
    ],
  ],
  [
    "a backup has a name that somebody has taken back since, and a restore has written the record",
    [
      edit("b", "add-dashboard"),
      backup,
      edit("b", "change-tile", { value: 5 }),
      importOf("own", "overwrite"),
      edit("b", "rename", { value: 4 }),
      backup,
      edit("b", "rename"),
      importOf("own", "keep", { which: 1 }),
    ],
  ],
  [
    "an older archive mentions a record that several could be, and whose copy was undone",
    [
      edit("a", "add-dashboard"),
      edit("a", "add-dashboard", { at: 4, tile: 3, value: 7 }),
      edit("a", "add-dashboard", { at: 1, tile: 1, value: 7 }),
      edit("a", "copy", { at: 2, value: 8 }),
      edit("a", "add-dashboard", { at: 1, tile: 1, value: 1 }),
      edit("a", "mention", { tile: 3, value: 4 }),
      backup,
      importOf("now", "overwrite"),
      edit("b", "add-tile", { at: 4, value: 2 }),
      { is: "rollback", force: false, back: 0 },
      edit("b", "copy", { at: 2, value: 6 }),
      importOf("older", "keep", { mirror: true }),
    ],
  ],
])("agrees with the engine where %s", async (_, operations) => {
  expect(await reportOf(0, operations)).toBeUndefined();
});
