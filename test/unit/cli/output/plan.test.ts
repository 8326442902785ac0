import type { Code } from "../../../../src/core/codes.ts";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../../src/core/outcome.ts";
import type { Plan, PlanItem } from "../../../../src/core/plan/plan.ts";
import { describedRun, plainDisplay, textOfRun } from "../../../support/described-run.ts";

const nothing = { dependsOn: [], linksTo: [] };
const item = (kind: string, name: string, action: PlanItem["action"], code?: Code): PlanItem => ({
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
    item("alerts", "Evil\u001b[2Jname", "blocked", "missing-reference"),
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
const whole: Plan = { ...plan, bodies: new Map(), idsToCome: new Map() };

const verbose = { ...plainDisplay, verbose: true };
const textOf = (plan: Partial<Plan>, display = plainDisplay): string =>
  textOfRun(describedRun({ ...whole, unresolved: [], missingSecrets: [], ...plan }), display);

it("a plan in the terminal has no control characters from names, reasons or texts around secrets", () => {
  expect(textOfRun(describedRun(whole))).not.toContain("\u001b");
});

describe("the text of a plan", () => {
  const unchanged = Array.from({ length: 33 }, (_, index) => item("alerts", `A${index}`, "unchanged"));
  const changes = [{ pointer: "/tiles/0/w", change: "changed", from: 6, to: 12 }] as const;

  it("is one line if there is nothing to do", () => {
    expect(textOf({ items: unchanged })).toBe("a.zip → staging: nothing to do; 33 as they are\n");
  });

  it("names what is written, and has one line for the rest, which --verbose names", () => {
    const items = [...unchanged, { ...item("dashboards", "Beta", "update"), changes }];
    expect(textOf({ items }).split("\n")).toEqual([
      "a.zip → staging",
      "",
      '~ update dashboard "Beta"',
      "    ~ tiles.0.w: 6 → 12",
      "",
      "Plan: 1 to update; 33 as they are.",
      "",
    ]);
    expect(textOf({ items }, verbose)).toContain("= unchanged 33 alerts: A0, A1,");
  });

  it("names a record that 24 records need once, also those that need it through another record", () => {
    const cause = {
      code: "missing-reference" as const,
      message: 'needs the connection "Main", which has none; do this',
    };
    const source: PlanItem = { ...item("sources", "Logs", "blocked"), ...cause };
    const waiting = Array.from({ length: 23 }, (_, index): PlanItem => {
      const message = `needs the source "Logs" ${index}, which is blocked`;
      return {
        ...item("dashboards", `D${index}`, "blocked"),
        code: "dependency-blocked",
        message,
        blockedBy: index === 0 ? "sources/Logs-id" : `dashboards/D${index - 1}-id`,
      };
    });
    expect(
      textOf({ items: [source, ...waiting] })
        .split("\n")
        .slice(2, -3),
    ).toEqual([
      '! blocked 23 dashboards, 1 source: needs the connection "Main", which has none (missing-reference)',
      expect.stringMatching(/^ {4}23 dashboards: D0, D1, .* and 3 more$/),
      "    1 source: Logs",
      "→ Do this",
    ]);
  });

  it("has a remedy once, below the last record that needs it", () => {
    const blocked = (name: string): PlanItem => ({
      ...item("alerts", name, "blocked"),
      code: "missing-reference",
      message: `needs "${name}"; create it`,
    });
    expect(
      textOf({ items: [blocked("A"), blocked("B")] })
        .split("\n")
        .slice(2, 5),
    ).toEqual([
      '! blocked alert "A": needs "A" (missing-reference)',
      '! blocked alert "B": needs "B" (missing-reference)',
      "→ Create it",
    ]);
  });

  it("has a remedy once if a record lacks two others that need the same", () => {
    const message = 'needs "A"; create it; needs "B"; create it';
    const lacking: PlanItem = { ...item("alerts", "Z", "blocked"), code: "missing-reference", message };
    expect(textOf({ items: [lacking] })).toContain('needs "A"; needs "B" (missing-reference)\n→ Create it\n');
  });

  it("says of a match with another name what it goes by", () => {
    const match = { space: "sources", from: "1", to: "2", name: "Logs", targetName: "Application logs" };
    const found = [{ ...match, rule: "natural-key" }];
    const body = { from: { databaseName: "default", tableName: "otel_logs" } };
    const records = [{ kind: "sources", id: "1", name: "Logs", body }];
    const run = describedRun({ ...whole, items: [item("dashboards", "A", "create")], matches: found }, { records });
    expect(textOfRun(run)).toContain('? source "Logs" ↔ "Application logs" by table default.otel_logs\n');
    const sure = { ...run, plan: { ...run.plan, matches: [{ ...match, rule: "map-file" }] } };
    expect(textOfRun(sure)).not.toContain("↔");
  });
});

describe("the text of a result", () => {
  const outcome: Outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" };
  const resultOf = (outcomes: readonly Outcome[], display = plainDisplay): string =>
    textOfRun(describedRun({ ...whole, items: [], unresolved: [], missingSecrets: [] }, { outcomes }), display);

  it("counts the writes, and counts the matched records separately", () => {
    const matched: Outcome = { ...outcome, kind: "sources", action: "skip", code: "matched" };
    expect(resultOf([outcome, matched])).toContain("\nDone: 1 created; 1 matched.\n");
  });

  it("names the records that were kept, with the reason", () => {
    const why = { action: "skip", code: "exists", message: "other content" } as const;
    const differs: Outcome = { ...outcome, ...why, kind: "dashboards", name: "Checkout latency" };
    const pipes: Outcome = { ...outcome, ...why, kind: "pipes", code: "left-out", message: "never written" };
    const named = { ...differs, sourceId: "2", name: "Hosts", targetName: "Old hosts" };
    expect(resultOf([differs, named, pipes]).split("\n").slice(2)).toEqual([
      '· kept dashboard "Hosts", which is "Old hosts" on the target: other content (exists)',
      '· kept dashboard "Checkout latency": other content (exists)',
      '· kept pipe "a": never written (left-out)',
      "",
      "Done: 3 kept.",
      "",
    ]);
  });

  it("names the first twenty of many records, and all of them with --verbose", () => {
    const many = Array.from({ length: 30 }, (_, index): Outcome => {
      return { ...outcome, name: `Board ${index + 10}`, action: "skip", code: "exists", message: "other" };
    });
    expect(resultOf(many)).toContain("Board 29 and 10 more\n");
    expect(resultOf(many, verbose)).toContain("Board 38, Board 39\n");
  });

  it("names the failed records with code and reason, and counts those that were not begun", () => {
    const failed: Outcome = { ...outcome, name: "b", status: "failed", code: "rejected", message: "400 No tile" };
    const left: Outcome = { ...outcome, status: "planned", code: "not-started" };
    const text = resultOf([failed, left]);
    expect(text).toContain('! failed alert "b": 400 No tile (rejected)\n');
    expect(text).toContain("Done: 1 failed, 1 not begun.");
  });
});
