import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import type { Diff } from "../../../../src/core/diff.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import type { Plan, PlanItem } from "../../../../src/core/plan/plan.ts";
import { describedRun, markdownOfRun } from "../../../support/described-run.ts";
import { HOSTILE, terminalControlIn } from "../../../support/hostile-text.ts";
import { propertyRuns } from "../../../support/tries.ts";
import { describedDiff } from "../../../../src/cli/commands/diff.ts";
import { documentMarkdown } from "../../../../src/cli/output/markdown.ts";

const stack = { label: "staging", variant: "self-hosted", baseUrl: "http://localhost:8000" } as const;
const MARKUP = [
  "a | b",
  String.raw`a \| b`,
  String.raw`ends with \\`,
  "`code`",
  "``` js",
  "**bold** _em_ ~~gone~~",
  "# heading",
  "[link](https://evil.example)",
  "![image](https://evil.example/p.png)",
  "<img src=x onerror=alert(1)>",
  "https://evil.example and www.evil.example",
  "<https://evil.example>",
  "@somebody, see #12 and GH-34",
  "&lt;b&gt;",
  "a\n\n| x | y |\n| --- | --- |",
  "$x$ [^1]",
  HOSTILE,
];

function planOf(name: string): Plan {
  const item: PlanItem = {
    kind: "dashboards",
    sourceId: "1",
    targetId: "2",
    name,
    targetName: name,
    action: "update",
    dependsOn: [],
    linksTo: [],
    changes: [
      { pointer: "/tiles/0/w", change: "changed", from: 6, to: 12, child: { noun: "tile", name } },
      {
        pointer: `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
        change: "changed",
        from: name,
        to: { [name]: name },
      },
    ],
  };
  const blocked: PlanItem = {
    ...item,
    sourceId: "3",
    action: "blocked",
    code: "missing-reference",
    message: `needs ${name}`,
  };
  return {
    items: [item, blocked],
    matches: [],
    unresolved: [{ space: "sources", id: "4", name, reason: "missing", candidates: [], neededBy: 1 }],
    missingSecrets: [
      { key: "dashboards/1", name, pointer: "/name", rules: ["assigned-secret"], context: "c0", around: [name] },
    ],
    ids: [],
    bodies: new Map(),
    idsToCome: new Map(),
    warnings: [],
  };
}

const outcomesOf = ({ items }: Plan): Outcome[] =>
  items.map(({ kind, sourceId, name, action, code, message }) => ({
    kind,
    sourceId,
    name,
    action,
    status: action === "blocked" ? "failed" : "done",
    ...(code !== undefined && { code }),
    ...(message !== undefined && { message }),
  }));

const diffOf = (name: string): Diff => ({
  changes: planOf(name).items.map(({ kind, changes = [] }) => ({ kind, change: "changed", name, members: changes })),
  same: 1,
  notCompared: [{ kind: "webhooks", side: "right", reason: "not-offered" }],
});

const pages = (name: string): string[] => {
  const plan = planOf(name);
  const outcomes = outcomesOf(plan);
  const named = { ...stack, label: name };
  return [
    markdownOfRun(describedRun(plan, { headline: name, next: [name] })),
    markdownOfRun(describedRun(plan, { headline: name, next: [name], outcomes })),
    documentMarkdown(describedDiff(diffOf(name), named, named, false)),
  ];
};

/** Lists the HTML tags into which Markdown renders a page, in order. */
function shapeOf(page: string): string[] {
  const html = marked.parse(page, { async: false, gfm: true });
  return [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
}

describe("the Markdown of a plan for a pull request", () => {
  const plain = pages("A name").map(shapeOf);

  it("begins with the counts of the plan", () => {
    const [plan, result, diff] = pages("A name");
    expect(plan).toMatch(/^\*\*Plan: 1 to update, 1 blocked\.\*\* A name\n/);
    expect(result).toMatch(/^\*\*Done: 1 updated, 1 blocked\.\*\* /);
    expect(diff).toMatch(/^\*\*Comparison: 2 changed; 1 record the same\.\*\* A name /);
    expect(plan).toContain(
      '- `~` update dashboard "A name", which is "A name" on the target\n  - `~` tile "A name": w 6 → 12\n',
    );
  });

  it.each(MARKUP)("has the same Markdown elements if a record is named %j", (name) => {
    expect(pages(name).map(shapeOf)).toEqual(plain);
    for (const page of pages(name)) {
      expect(terminalControlIn(page)).toBeUndefined();
      expect(page).not.toMatch(/@\w|(?<!&)#\w|GH-\d|https?:\/\/|\bwww\./);
    }
  });

  it("has the same Markdown elements for any record name", () => {
    const piece = fc.oneof(
      fc.constantFrom(...MARKUP),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("|", "\\", "`", "\n", "<", "*"),
    );
    const name = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => `x${pieces.join("")}x`);
    fc.assert(
      fc.property(name, (text) => {
        expect(pages(text).map(shapeOf)).toEqual(plain);
      }),
      propertyRuns(50),
    );
  });

  it("is cut to the maximum length of a pull request comment", () => {
    const plan = planOf("A name");
    const many = { ...plan, items: Array.from({ length: 500 }, () => plan.items).flat() };
    const page = markdownOfRun(describedRun(many));
    expect(page.length).toBeLessThan(30_000);
    expect(page).toContain(" more; `--json` has all of them\n");
  });

  it("says how many changes of a record it leaves out", () => {
    const plan = planOf("A name");
    const changes = Array.from({ length: 60 }, (_, index) => {
      return {
        pointer: `/tiles/${index}/w`,
        change: "changed" as const,
        from: 6,
        to: 12,
        child: { noun: "tile", name: `${index}` },
      };
    }) satisfies PlanItem["changes"];
    const page = markdownOfRun(describedRun({ ...plan, items: plan.items.map((item) => ({ ...item, changes })) }));
    expect(page).toContain("  - and 10 more; `--json` has all of them\n");
  });
});
