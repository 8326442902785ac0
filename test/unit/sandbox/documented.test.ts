import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseFaults, type FaultName } from "../../../src/sandbox/faults/plan.ts";
import { documentText } from "../../support/documents.ts";

const page = documentText("docs/sandbox-and-faults.md");

test("docs/sandbox-and-faults.md names every flag of the command", () => {
  const [, section = ""] = /\n## sandbox\n([^]*?)\n## /.exec(documentText("docs/cli-reference.md")) ?? [];
  const flags = [...section.matchAll(/^- `(--[a-z-]+)`/gm)].map(([, flag = ""]) => flag);
  expect(flags).toContain("--seed");
  expect(flags.filter((flag) => !new RegExp(`\`${flag}[ \`]`).test(page))).toEqual([]);
});

test("docs/sandbox-and-faults.md names every option of startSandbox", () => {
  const source = readFileSync(new URL("../../../src/sandbox/options.ts", import.meta.url), "utf8");
  const [, members = ""] = /\nexport interface SandboxOptions \{\n([^]*?)\n\}\n/.exec(source) ?? [];
  const options = [...members.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option = ""]) => option);
  expect(options).toContain("listOmits");
  expect(options.filter((option) => !page.includes(`\`${option}\``))).toEqual([]);
});

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
