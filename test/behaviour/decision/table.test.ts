import { describe, expect, it } from "vitest";
import type { ConflictPolicy } from "../../../src/core/plan/plan.ts";
import { recordsOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  type JsonObject,
  type RunOptions,
  type StackRecord,
} from "../../support/import-stage.ts";
import { deleteRecord, memoryStack, putRecord, type MemoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook, targetIds } from "../../support/stack-records.ts";
import { fromOtherStack } from "../../support/import-samples.ts";

// The table of decisions, line by line: who has changed a record since the last import, and what each --on-conflict does about it.

const [logs, hook, boardId, alertId] = [hexId("a", 1), hexId("a", 2), hexId("a", 16), hexId("a", 32)];
const config = { displayType: "line", sourceId: logs, select: [{ aggFn: "count" }] };
const tiles = [tileWith(hexId("d", 1), "Requests", config)];
const SAME = { tags: ["one"], savedQuery: "a", savedQueryLanguage: "lucene" };

/** The parts that a line changes: the tags on one side, the query on the other, or the tags on both. */
type Parts = Partial<typeof SAME>;
const board = (parts: Parts): JsonObject => dashboard(boardId, "Board", logs, { tiles, ...SAME, ...parts });
const busy = (threshold: number): JsonObject => alert(alertId, "Busy", board({}), hook, { threshold });
const archiveOf = (parts: Parts, threshold = 5): StackRecord[] =>
  records({
    dashboards: [board(parts)],
    alerts: [busy(threshold)],
    sources: [source(logs, "Logs", hexId("c", 1))],
    webhooks: [webhook(hook, "oncall")],
  });

function emptyTarget(): MemoryStack {
  const sources = [source(targetIds.source, "Logs", hexId("c", 2))];
  return memoryStack({ dashboards: [], alerts: [], sources, webhooks: [webhook(targetIds.webhook, "oncall")] });
}

function edit(stack: MemoryStack, kind: "dashboards" | "alerts", change: JsonObject): void {
  const [body = {}] = recordsOn(stack, kind) as JsonObject[];
  putRecord(stack, kind, { ...body, ...change });
}

type Change = "same" | "here" | "there" | "both" | "in different parts" | "unknown" | "new" | "gone";
interface Sides {
  readonly source: Parts;
  readonly target: Parts;
}
const SIDES: Readonly<Record<Change, Sides>> = {
  same: { source: {}, target: {} },
  here: { source: { tags: ["ours"] }, target: {} },
  there: { source: {}, target: { tags: ["theirs"] } },
  both: { source: { tags: ["ours"] }, target: { tags: ["theirs"] } },
  "in different parts": { source: { tags: ["ours"] }, target: { savedQuery: "theirs" } },
  unknown: { source: { tags: ["ours"] }, target: { tags: ["theirs"] } },
  new: { source: {}, target: {} },
  gone: { source: {}, target: {} },
};

type Line = [change: Change, policy: ConflictPolicy, decision: string, tags: string, query: string];

const LINES: readonly Line[] = [
  ["same", "keep", "unchanged", "one", "a"],
  ["same", "merge", "unchanged", "one", "a"],
  ["same", "overwrite", "unchanged", "one", "a"],
  ["same", "fail", "unchanged", "one", "a"],
  ["here", "keep", "update", "ours", "a"],
  ["here", "merge", "update", "ours", "a"],
  ["here", "overwrite", "update", "ours", "a"],
  ["here", "fail", "update", "ours", "a"],
  ["there", "keep", "skip edited", "theirs", "a"],
  ["there", "merge", "skip edited", "theirs", "a"],
  ["there", "overwrite", "update edited", "one", "a"],
  ["there", "fail", "conflict", "theirs", "a"],
  ["both", "keep", "skip both-changed", "theirs", "a"],
  ["both", "merge", "skip both-changed", "theirs", "a"],
  ["both", "overwrite", "update both-changed", "ours", "a"],
  ["both", "fail", "conflict", "theirs", "a"],
  ["in different parts", "keep", "skip both-changed", "one", "theirs"],
  ["in different parts", "merge", "update kept", "ours", "theirs"],
  ["in different parts", "overwrite", "update both-changed", "ours", "a"],
  ["in different parts", "fail", "conflict", "one", "theirs"],
  ["unknown", "keep", "skip exists", "theirs", "a"],
  ["unknown", "merge", "skip exists", "theirs", "a"],
  ["unknown", "overwrite", "update", "ours", "a"],
  ["unknown", "fail", "conflict", "theirs", "a"],
  ["new", "keep", "create", "one", "a"],
  ["new", "merge", "create", "one", "a"],
  ["new", "overwrite", "create", "one", "a"],
  ["new", "fail", "create", "one", "a"],
  ["gone", "keep", "create", "one", "a"],
  ["gone", "merge", "create", "one", "a"],
  ["gone", "overwrite", "create", "one", "a"],
  ["gone", "fail", "create", "one", "a"],
];

/** Makes a target on which an import and the edits of a line have been. Returns what the next import does to the record. */
async function runLine(
  change: Change,
  make: (stack: MemoryStack) => void,
  archive: { readonly before: readonly StackRecord[]; readonly after: readonly StackRecord[] },
  { name, ...options }: RunOptions & { readonly name: string },
) {
  const stack = emptyTarget();
  const stage = importStage(stack);
  if (change !== "new") expect((await stage.run(archive.before, fromOtherStack)).exitCode).toBe(0);
  if (change === "unknown") stage.history.length = 0;
  if (change === "gone") deleteRecord(stack, name === "Board" ? "dashboards" : "alerts", name);
  else if (change !== "new") make(stack);
  stack.requests.length = 0;
  const run = await stage.run(archive.after, { ...fromOtherStack, ...options }).catch((error: unknown) => error);
  if (run instanceof Error) {
    expect(run).toMatchObject({ code: "incomplete" });
    expect(stack.requests.filter(({ operation }) => /^(?:create|update|delete)/.test(operation))).toEqual([]);
    return { stack, stage, decision: "conflict" };
  }
  const outcome = outcomeOf(run as Parameters<typeof outcomeOf>[0], name);
  expect(outcome?.status).toBe("done");
  return { stack, stage, decision: [outcome?.action, outcome?.code].filter(Boolean).join(" ") };
}

describe("the decision about a dashboard", () => {
  it.each(LINES)("that changed %s, under %s: %s", async (change, onConflict, decision, tags, query) => {
    const { source: ours, target: theirs } = SIDES[change];
    const archive = { before: archiveOf({}), after: archiveOf(ours) };
    const made = await runLine(change, (stack) => edit(stack, "dashboards", theirs), archive, {
      name: "Board",
      onConflict,
    });
    expect(made.decision).toBe(decision);
    expect(recordsOn(made.stack, "dashboards").filter(({ name }) => name === "Board")).toMatchObject([
      { tags: [tags], savedQuery: query },
    ]);
    if (decision === "conflict") return;
    // Whatever was decided, the next run writes nothing.
    made.stack.requests.length = 0;
    await made.stage.run(archive.after, { ...fromOtherStack, onConflict: onConflict === "fail" ? "keep" : onConflict });
    expect(made.stack.requests.filter(({ operation }) => /^(?:create|update|delete)/.test(operation))).toEqual([]);
  });
});

it("several conflicts under fail are all named", async () => {
  const stage = importStage(emptyTarget());
  await stage.run(archiveOf({}), fromOtherStack);
  stage.history.length = 0;
  const run = stage.run(archiveOf({ tags: ["b"] }, 9), { ...fromOtherStack, onConflict: "fail" });
  const named = [expect.stringMatching(/^the dashboard "Board"/), expect.stringMatching(/^the alert "Busy"/)];
  await expect(run).rejects.toMatchObject({ code: "incomplete", faults: named });
});

// An alert is one part: nothing of it is merged.
it.each<[Change, ConflictPolicy, string, threshold: number]>([
  ["same", "merge", "unchanged", 5],
  ["here", "keep", "update", 9],
  ["there", "merge", "skip edited", 7],
  ["there", "overwrite", "update edited", 5],
  ["both", "merge", "skip both-changed", 7],
  ["both", "fail", "conflict", 7],
  ["unknown", "keep", "skip exists", 7],
  ["gone", "keep", "create", 5],
])("an alert that changed %s, under %s: %s", async (change, onConflict, decision, threshold) => {
  const { source: ours, target: theirs } = SIDES[change];
  const archive = { before: archiveOf({}), after: archiveOf({}, ours.tags === undefined ? 5 : 9) };
  const make = (stack: MemoryStack): void => {
    if (theirs.tags !== undefined) edit(stack, "alerts", { threshold: 7 });
  };
  const made = await runLine(change, make, archive, { name: "Busy", onConflict });
  expect(made.decision).toBe(decision);
  expect(recordsOn(made.stack, "alerts")).toMatchObject([{ threshold }]);
});

describe("a first merge, without a base", () => {
  it("adds new tiles, and keeps and names what differs", async () => {
    const stack = emptyTarget();
    await importStage(stack).run(archiveOf({}), fromOtherStack);
    edit(stack, "dashboards", { tags: ["theirs"] });
    const more = [...tiles, tileWith(hexId("d", 2), "Errors", config)];
    const after = [
      ...records({ dashboards: [{ ...board({ tags: ["ours"] }), tiles: more }] }),
      ...archiveOf({}).slice(1),
    ];
    const run = await importStage(stack).run(after, { ...fromOtherStack, onConflict: "merge" });
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "update", code: "kept" });
    expect(outcomeOf(run, "Board")?.message).toMatch(/: tags$/);
    const [stored] = recordsOn(stack, "dashboards") as { tags: string[]; tiles: unknown[] }[];
    expect([stored?.tags, stored?.tiles.length]).toEqual([["theirs"], 2]);
  });
});
