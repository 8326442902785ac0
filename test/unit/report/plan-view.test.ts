import { expect, it } from "vitest";
import type { Plan, PlanItem } from "../../../src/core/plan/plan.ts";
import { plainWords, type Line } from "../../../src/report/document.ts";
import { planDocument } from "../../../src/report/view/plan.ts";
import { recordLines } from "../../../src/report/view/record-lines.ts";
import { describedRun, markdownOfRun, pageOfRun, plainDisplay, textOfRun } from "../../support/described-run.ts";

const plain = { dependsOn: [], linksTo: [] };
const updated: PlanItem = {
  ...plain,
  kind: "dashboards",
  sourceId: "1",
  name: "Overview",
  action: "update",
  targetId: "2",
  targetName: "Their overview",
  since: { source: ["tags"], target: ["tile CPU"] },
  changes: [{ pointer: "/tiles/0/w", change: "changed", from: 6, to: 12, child: { noun: "tile", name: "CPU" } }],
  fitted: [{ pointer: "/tiles/0/w", change: "24 instead of 30" }],
};
const created: PlanItem = {
  ...plain,
  kind: "connections",
  sourceId: "3",
  name: "Main",
  action: "create",
  transformed: [{ pointer: "/name", change: "Main instead of Main (prod)" }],
};
const plan: Plan = {
  items: [updated, created],
  matches: [],
  unresolved: [],
  missingSecrets: [
    { key: "connections/3", name: "Main", pointer: "/password", rules: ["needed"], context: "c", around: ["new.test"] },
  ],
  ids: [],
  bodies: new Map(),
  idsToCome: new Map(),
  warnings: [],
};

const textsOf = (lines: readonly Line[]): string[] =>
  lines.flatMap(({ words, inner = [] }) => [plainWords(words), ...textsOf(inner)]);

it("the terminal text, Markdown and page of a plan have the same sections with the same lines", async () => {
  const run = describedRun(plan, { whole: true });
  const text = textOfRun(run, { ...plainDisplay, verbose: true });
  const markdown = markdownOfRun(run);
  const page = (await pageOfRun(run))
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll(/<[^>]*>/g, "");
  const { blocks } = planDocument(run);
  const sections = blocks.flatMap((block) => (block.is === "section" && block.lines?.length !== 0 ? [block] : []));
  expect(sections.map(({ id }) => id)).toEqual(["missing-secrets", "transformed", "fitted"]);
  for (const { title, lines = [] } of sections) {
    for (const word of [title, ...textsOf(lines)])
      for (const output of [text, markdown, page]) expect(output).toContain(word);
  }
  const records = blocks.flatMap((block) => (block.is === "records" ? recordLines(block, true) : []));
  expect(textsOf(records)).toEqual([
    'create connection "Main"',
    'update dashboard "Overview", which is "Their overview" on the target',
    "changed in the archive since the last run: tags",
    "changed on the target since the last run: tile CPU",
    'tile "CPU": w 6 → 12',
  ]);
  for (const { inner = [] } of records)
    for (const word of textsOf(inner)) for (const output of [text, markdown, page]) expect(output).toContain(word);
});

it("a reason of several lines stays whole", () => {
  const blocked = { ...created, action: "blocked", code: "missing-reference", message: "first\nsecond" } as const;
  const { blocks } = planDocument(describedRun({ ...plan, items: [blocked] }, { whole: true }));
  const groups = blocks.flatMap((block) => (block.is === "records" ? (block.groups ?? []) : []));
  expect(groups.map(({ reason }) => reason)).toEqual(["first\nsecond"]);
});
