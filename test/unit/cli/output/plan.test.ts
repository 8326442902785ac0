import { describe, expect, it } from "vitest";
import { failuresText } from "../../../../src/cli/output/outcomes.ts";
import { planText, importResultText } from "../../../../src/cli/output/plan.ts";
import { createTheme, type OutputOptions } from "../../../../src/cli/output/terminal.ts";
import { planView } from "../../../../src/report/view/plan.ts";
import type { Outcome } from "../../../../src/core/outcome.ts";
import type { Plan, PlanItem } from "../../../../src/core/plan/plan.ts";

const nothing = { dependsOn: [], linksTo: [], rewrites: [] };
const item = (kind: string, name: string, action: PlanItem["action"], code?: string): PlanItem => ({
  kind,
  sourceId: `${name}-id`,
  name,
  action,
  ...nothing,
  ...(code !== undefined && { code, message: `the reason for ${name}` }),
});
const plan = {
  items: [
    item("alerts", "Zeta", "create"),
    item("alerts", "Evil\u001b[2Jname", "blocked", "missing-webhook"),
    item("dashboards", "概要 ".repeat(30), "create"),
    item("dashboards", "Alpha", "unchanged"),
    item("dashboards", "Beta", "update"),
  ],
  matches: [],
  unresolved: [{ space: "webhooks", id: "w1", name: "oncall", reason: "missing", candidates: [], neededBy: 1 }],
  missingSecrets: [
    {
      key: "dashboards/d1",
      name: "Runbook",
      pointer: "/tiles/0/config/markdown",
      rules: ["credential"],
      context: "c0",
      around: ["evil.example: \u001b[2J?k=«redacted:credential»"],
    },
  ],
  ids: [],
  warnings: [],
} satisfies Partial<Plan>;
const whole: Plan = { ...plan, knownIds: new Map(), present: new Map() };

it("a plan in the terminal has no control characters from names, reasons or texts around secrets", () => {
  expect(planText(whole, { theme: createTheme(false), columns: 80 })).not.toContain("\u001b");
});

describe("a reason that blocks several records", () => {
  const message = 'needs the webhook "oncall", which has no counterpart on the target';
  const blocked = (name: string, displayName?: string): PlanItem => ({
    ...item("alerts", name, "blocked", "missing-webhook"),
    message,
    ...(displayName !== undefined && { displayName }),
  });
  const many: Plan = {
    ...whole,
    missingSecrets: [],
    items: ["A", "B", "C", "D", "E", "F"]
      .map((name) => blocked(name))
      .concat(blocked("", "on Errors (Service overview)")),
  };

  it("is printed once with the names of the blocked records, and unnamed alerts by what they watch", () => {
    const text = planText(many, { theme: createTheme(false), columns: undefined });
    expect(text.match(/oncall/g)).toHaveLength(1);
    expect(text).toContain(`! missing-webhook: ${message}\n    7 alerts: A, B, C, D, E and 2 more\n`);
    expect(text).toContain("blocked  on Errors (Service overview)");
    const all = planText(many, { theme: createTheme(false), columns: undefined, verbose: true });
    expect(all).toContain("7 alerts: A, B, C, D, E, F, on Errors (Service overview)\n");
  });

  it("does not hide another missing reference, which has its own line", () => {
    const other = {
      space: "webhooks",
      id: "w2",
      name: "pager",
      reason: "missing",
      candidates: [],
      neededBy: 2,
    } as const;
    const text = planText(
      { ...many, unresolved: [...many.unresolved, other] },
      { theme: createTheme(false), columns: 80 },
    );
    expect(text).toContain('! webhook "pager" has no match on the target; 2 records need it\n');
  });
});

describe("resultText", () => {
  const outcome: Outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" };

  const display = { theme: createTheme(false), columns: 80 };
  const resultOf = (outcomes: readonly Outcome[], how: OutputOptions): string => {
    const none = { ...whole, items: [], unresolved: [], missingSecrets: [] };
    return importResultText(planView(none, { outcomes, whole: how.verbose === true }), how);
  };

  it("counts the writes, and counts the matched records separately", () => {
    const matched: Outcome = { ...outcome, kind: "sources", action: "skip", code: "matched" };
    expect(resultOf([outcome, matched], display)).toBe("Done: 1 created. 1 matched with records of the target.\n");
  });

  it("names the records that were left alone, with the reason", () => {
    const differs: Outcome = {
      ...outcome,
      kind: "dashboards",
      name: "Checkout latency",
      action: "skip",
      code: "exists",
      message: "other content",
    };
    const pipes: Outcome = {
      ...outcome,
      kind: "pipes",
      action: "skip",
      code: "not-replayed",
      message: "never written",
    };
    expect(resultOf([differs, { ...differs, name: "Hosts", targetName: "Old hosts" }, pipes], display)).toBe(
      [
        '2 dashboards were left alone: Checkout latency, Hosts ("Old hosts" on the target) (other content)',
        "1 pipe was left alone: a (never written)",
        "Done: 3 left alone.",
        "",
      ].join("\n"),
    );
    expect(resultOf([differs], display)).toContain("1 dashboard was left alone: Checkout latency (other content)\n");
  });

  it("names the first twenty of many records, and all of them with --verbose", () => {
    const many = Array.from({ length: 30 }, (_, index): Outcome => {
      return { ...outcome, name: `Board ${index}`, action: "skip", code: "exists" };
    });
    expect(resultOf(many, display)).toContain("Board 19 and 10 more (exists");
    expect(resultOf(many, { ...display, verbose: true })).toContain("Board 28, Board 29 (exists");
  });

  it("names the failed records with code and reason, and counts those that were not begun", () => {
    const failed: Outcome = {
      ...outcome,
      name: "b",
      status: "failed",
      code: "rejected",
      message: "400 Tile not found",
    };
    const left: Outcome = { ...outcome, status: "planned", code: "not-started" };
    const display = { theme: createTheme(false), columns: 80 };
    expect(failuresText([outcome, failed], display)).toContain("rejected: 400 Tile not found");
    expect(resultOf([failed, left], display)).toContain("1 failed, 1 not begun.");
  });
});
