import { describe, expect, it } from "vitest";
import type { ConflictPolicy } from "../../../src/core/plan/plan.ts";
import { board, dependencies, fromOtherStack, usualTarget } from "../../support/import-samples.ts";
import { importStage, outcomeOf, writesOn, type JsonObject, type StackRecord } from "../../support/import-stage.ts";
import { deleteRecord } from "../../support/memory-stack.ts";
import { changeOn, recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, hexId, records } from "../../support/stack-records.ts";

type Kind = "dashboards" | "alerts";

const NAMES = { dashboards: "Board 16", alerts: "Busy" } as const;

/** The members that a change is about, as both sides had them at the last import. */
const BEFORE: Readonly<Record<Kind, JsonObject>> = {
  dashboards: { tags: ["one"], savedQuery: "a", savedQueryLanguage: "lucene" },
  alerts: { threshold: 5, interval: "5m" },
};

function archiveOf(kind: Kind, changed: JsonObject): StackRecord[] {
  const membersOf = (of: Kind): JsonObject => ({ ...BEFORE[of], ...(of === kind && changed) });
  return records({
    dashboards: [board(16, membersOf("dashboards"))],
    alerts: [alert(hexId("a", 32), NAMES.alerts, board(16), archiveIds.webhook, membersOf("alerts"))],
    ...dependencies.ours,
  });
}

/** Who has changed a record since the last import. */
type Change = "same" | "here" | "there" | "both" | "both alike" | "in different parts" | "unknown" | "new" | "gone";

interface Sides {
  readonly source: JsonObject;
  readonly target: JsonObject;
}

function sidesOf(ours: JsonObject, theirs: JsonObject, other: JsonObject): Readonly<Record<Change, Sides>> {
  const same: Sides = { source: {}, target: {} };
  return {
    same,
    here: { source: ours, target: {} },
    there: { source: {}, target: theirs },
    both: { source: ours, target: theirs },
    "both alike": { source: ours, target: ours },
    "in different parts": { source: ours, target: other },
    unknown: { source: ours, target: theirs },
    new: same,
    gone: same,
  };
}

const SIDES: Readonly<Record<Kind, Readonly<Record<Change, Sides>>>> = {
  dashboards: sidesOf({ tags: ["ours"] }, { tags: ["theirs"] }, { savedQuery: "theirs" }),
  alerts: sidesOf({ threshold: 9 }, { threshold: 7 }, { interval: "1h" }),
};

/** The changes of which a plan names the parts that each side has changed. */
const NAMED: ReadonlySet<Change> = new Set(["there", "both", "in different parts"]);

type Policies = readonly [keep: string, merge: string, overwrite: string, fail: string];

const TABLE: Readonly<Record<Change, Policies>> = {
  same: ["unchanged", "unchanged", "unchanged", "unchanged"],
  here: ["update", "update", "update", "update"],
  there: ["skip edited", "skip edited", "update edited", "conflict"],
  both: ["skip both-changed", "skip both-changed", "update both-changed", "conflict"],
  "both alike": ["unchanged", "unchanged", "unchanged", "unchanged"],
  "in different parts": ["skip both-changed", "update kept", "update both-changed", "conflict"],
  unknown: ["skip exists", "skip exists", "update", "conflict"],
  new: ["create", "create", "create", "create"],
  gone: ["create", "create", "create", "create"],
};

/** An alert is one thing to people: nothing of it is merged. */
const ALERTS: typeof TABLE = {
  ...TABLE,
  "in different parts": ["skip both-changed", "skip both-changed", "update both-changed", "conflict"],
};

const linesOf = (table: typeof TABLE): [Change, ConflictPolicy, string][] =>
  (Object.entries(table) as [Change, Policies][]).flatMap(([change, [keep, merge, overwrite, fail]]) =>
    Object.entries({ keep, merge, overwrite, fail }).map(([policy, decision]): [Change, ConflictPolicy, string] => [
      change,
      policy as ConflictPolicy,
      decision,
    ]),
  );

/** Makes a target on which an import and the edits of a line have been. Returns what the next import does to the record. */
async function decisionOn(kind: Kind, change: Change, onConflict: ConflictPolicy) {
  const { source, target } = SIDES[kind][change];
  const stack = usualTarget();
  const stage = importStage(stack);
  if (change !== "new") expect((await stage.run(archiveOf(kind, {}), fromOtherStack)).exitCode).toBe(0);
  if (change === "unknown") stage.history.length = 0;
  if (change === "gone") deleteRecord(stack, kind, NAMES[kind]);
  else if (change !== "new") changeOn(stack, kind, target);
  const next = async (policy: ConflictPolicy) => {
    stack.requests.length = 0;
    const run = await stage.run(archiveOf(kind, source), { ...fromOtherStack, onConflict: policy });
    const { action, code, status } = outcomeOf(run, NAMES[kind]) ?? {};
    expect(status).toBe("done");
    const since = run.plan.items.find((item) => item.kind === kind)?.since;
    return { decision: [action, code].filter(Boolean).join(" "), since };
  };
  const conflict = (error: unknown) => {
    expect(error).toMatchObject({ code: "incomplete" });
    expect(writesOn(stack)).toEqual([]);
    return { decision: "conflict", since: undefined };
  };
  return { stack, next, ...(await next(onConflict).catch(conflict)) };
}

/** Returns the members that the target has after a decision. */
function membersAfter(kind: Kind, decision: string, { source, target }: Sides): JsonObject {
  if (decision === "update kept") return { ...BEFORE[kind], ...source, ...target };
  return { ...BEFORE[kind], ...(/^(?:skip|conflict)/.test(decision) ? target : source) };
}

/** Returns what a second run decides, which finds the same archive. */
function decisionAgain(decision: string): string {
  if (decision === "update kept") return "skip edited";
  return decision.startsWith("skip") ? decision : "unchanged";
}

describe.each([
  ["a dashboard", "dashboards", TABLE],
  ["an alert", "alerts", ALERTS],
] as const)("the decision about %s", (_, kind, table) => {
  it.each(linesOf(table))("that changed %s, under %s: %s", async (change, onConflict, decision) => {
    const made = await decisionOn(kind, change, onConflict);
    expect(made.decision).toBe(decision);
    const sides = SIDES[kind][change];
    expect(recordsOn(made.stack, kind)).toMatchObject([membersAfter(kind, decision, sides)]);
    if (decision === "conflict") return;
    const since = { source: Object.keys(sides.source), target: Object.keys(sides.target) };
    expect(made.since).toEqual(NAMED.has(change) ? since : undefined);
    const again = await made.next(onConflict === "fail" ? "keep" : onConflict);
    expect(again.decision).toBe(decisionAgain(decision));
    expect(writesOn(made.stack)).toEqual([]);
  });
});

it("several conflicts under fail are all named", async () => {
  const stage = importStage(usualTarget());
  await stage.run(archiveOf("dashboards", {}), fromOtherStack);
  stage.history.length = 0;
  const [boards, alerts] = [archiveOf("dashboards", { tags: ["b"] }), archiveOf("alerts", { threshold: 9 })];
  const changed = [
    ...boards.filter(({ kind }) => kind !== "alerts"),
    ...alerts.filter(({ kind }) => kind === "alerts"),
  ];
  const run = stage.run(changed, { ...fromOtherStack, onConflict: "fail" });
  const named = Object.values(NAMES).map((name) => expect.stringContaining(`"${name}"`));
  await expect(run).rejects.toMatchObject({ code: "incomplete", faults: named });
});
