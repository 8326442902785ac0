import { expect, it } from "vitest";
import { reportOf } from "./comparison.ts";
import { ARCHIVES, sequenceOf, withFaults } from "./operations.ts";

const FIRST = Number(process.env["STACKFERRY_MODEL_SEED"] ?? 1);
const IS_LONG = process.env["STACKFERRY_MODEL_SEQUENCES"] !== undefined;
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
