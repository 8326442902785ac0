import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { FaultName } from "../../../../src/sandbox/faults/plan.ts";
import { parseFaults } from "../../../../src/sandbox/faults/plan.ts";

const page = await readFile(new URL("../../../../docs/sandbox-and-faults.md", import.meta.url), "utf8");

// A record by name, so that the compiler requires every fault. Each value has the members that the fault requires.
const FAULTS: Readonly<Record<FaultName, object>> = {
  "429": {},
  "500": {},
  "500-after": {},
  reset: {},
  "reset-after": {},
  slow: {},
  never: {},
  "never-after": {},
  truncated: {},
  "html-502": {},
  "html-502-after": {},
  "stale-list": {},
  "drop-field": { field: "tags" },
  "case-ids": {},
  "page-skip": {},
  "page-repeat": {},
};

test.each(Object.entries(FAULTS))(
  "the fault %s is documented, and a plan with it and its required members is accepted",
  (fault, members) => {
    expect(page).toContain(`\`${fault}\``);
    const plan = { rules: [{ fault, ...members }] };
    expect(parseFaults(plan)).toEqual(plan);
  },
);

test("every fault plan in the documentation is accepted", () => {
  const blocks = [...page.matchAll(/```json\n(.*?)```/gs), ...page.matchAll(/--faults '(.*?)'/g)];
  expect(blocks.length).toBe(4);
  for (const [, text = ""] of blocks) expect(parseFaults(JSON.parse(text)).rules.length).toBeGreaterThan(0);
});
