import { expect, it } from "vitest";
import { chaosPlan } from "../chaos/chaos-plan.ts";
import { chaosRun } from "../chaos/chaos-run.ts";

/** One run of many: `npm run test:slow` and `npm run chaos` have the others. */
const SEED = 1;

it("every process of a migration through faults and kills says what it did, and exactly one of everything is there in the end", async () => {
  const { problems } = await chaosRun(chaosPlan(SEED));
  expect(problems).toEqual([]);
}, 120_000);
