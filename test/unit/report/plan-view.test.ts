import { expect, it } from "vitest";
import { planMarkdown, planText } from "../../../src/cli/output/plan.ts";
import { createTheme } from "../../../src/cli/output/terminal.ts";
import type { Plan, PlanItem } from "../../../src/core/plan/plan.ts";
import { planPage } from "../../../src/report/html/plan-page.ts";
import { planView } from "../../../src/report/view/plan.ts";

const identity = { variant: "self-hosted", baseUrl: "http://localhost:8000" } as const;
const plain = { dependsOn: [], linksTo: [], rewrites: [] };
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
  mapped: [{ member: "host", from: "old.test", to: "new.test" }],
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
  knownIds: new Map(),
  warnings: [],
  present: new Map(),
};

it("the terminal text, Markdown and page of a plan have the same sections with the same lines", () => {
  const { sections } = planView(plan, { whole: true });
  const text = planText(plan, { theme: createTheme(false), columns: undefined, verbose: true });
  const markdown = planMarkdown(planView(plan, { whole: true }), { ...identity, label: "staging" });
  const at = "2026-01-01T00:00:00Z";
  const report = { archive: "a.zip", contentDigest: "d", source: identity, target: identity, at, madeBy: "test" };
  const page = planPage({ ...report, plan, records: [] })
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");
  expect(sections.map(({ id }) => id)).toEqual([
    "changes",
    "renamed",
    "conflicts",
    "mapped",
    "transformed",
    "fitted",
    "missing-secrets",
  ]);
  for (const { title, lines } of sections) {
    const words = [title, ...lines.flatMap((line) => [line.text, ...(line.inner ?? []).map((inner) => inner.text)])];
    for (const word of words) for (const output of [text, markdown, page]) expect(output).toContain(word);
  }
});
