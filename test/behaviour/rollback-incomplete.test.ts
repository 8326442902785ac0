import { describe, expect, it } from "vitest";
import type { JournalEntry, JsonObject } from "../support/import-stage.ts";
import { importStage, storedRecords } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { undo } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, tileOf, webhook } from "../support/stack-records.ts";
import { logs, usualTarget } from "../support/usual-stacks.ts";

/** A target and a journal of it that one record of cannot be undone. */
interface Stage {
  readonly stack: MemoryStack;
  readonly entries: readonly JournalEntry[];
}

const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const secret = { ...theirs, tags: ["«redacted:assigned-secret»"] };
const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
const target = (...dashboards: JsonObject[]): MemoryStack => usualTarget({ dashboards });
const archive = records({ dashboards: [dashboard(hexId("a", 16), "Overview", hexId("a", 1))], sources: [logs] });

/** The archive's dashboard written over what the target has of it. */
async function imported(stack: MemoryStack, edit: (entry: JournalEntry) => readonly JournalEntry[]): Promise<Stage> {
  const stage = importStage(stack);
  await stage.run(archive, { onConflict: "update" });
  return { stack, entries: stage.history.flatMap(edit) };
}

/** What a mirror has deleted, which is to be made again. */
function deleted(...bodies: readonly (readonly [string, JsonObject])[]): Stage {
  const entries = bodies.flatMap(([kind, body]): JournalEntry[] => {
    const [at, targetId] = ["2026-01-01T00:00:00.000Z", String(body["id"])];
    const write = { at, key: `${kind}/${targetId}` as const, write: "remove", targetId } as const;
    return [
      { type: "intent", name: String(body["name"]), previous: body, ...write },
      { type: "done", content: "digest", ...write },
    ];
  });
  return { stack: target(), entries };
}

/** Two records that could both be what a killed import has made. */
async function twoCandidates(): Promise<Stage> {
  const stack = target();
  const stage = importStage(stack);
  stack.interceptAfter = (operation) => {
    if (operation === "create dashboards") throw new Error("killed");
  };
  await expect(stage.run(archive)).rejects.toThrow("killed");
  const [made] = storedRecords(stack, "dashboards");
  stack.records.get("dashboards")?.set(hexId("e", 1), { ...(made as JsonObject), id: hexId("e", 1) });
  return { stack, entries: stage.history };
}

async function hiddenSince(): Promise<Stage> {
  const stage = await imported(target(theirs), (entry) => [entry]);
  stage.stack.substitutes.add(tileOf(theirs));
  return stage;
}

const withPrevious = (previous: JsonObject | undefined) => (entry: JournalEntry) => {
  if (entry.type !== "intent") return [entry];
  const { previous: _, ...rest } = entry;
  return [{ ...rest, ...(previous && { previous }) }];
};

describe("a rollback that cannot undo a record is incomplete (exit 3), and leaves it as it is", () => {
  it.each<[string, () => Stage | Promise<Stage>]>([
    ["ambiguous", twoCandidates],
    ["unproven", () => imported(target(), (entry) => (entry.type === "intent" ? [] : [entry]))],
    ["no-previous", () => imported(target(theirs), withPrevious(undefined))],
    ["redacted", () => imported(target(theirs), withPrevious(secret))],
    ["redacted", () => deleted(["dashboards", secret])],
    ["dependency-failed", () => deleted(["dashboards", secret], ["alerts", watching])],
    ["write-only", () => deleted(["webhooks", { ...webhook(hexId("b", 50), "generic"), service: "generic" }])],
    ["would-lose-hidden", hiddenSince],
  ])("%s", async (code, stageOf) => {
    const { stack, entries } = await stageOf();
    const before = storedRecords(stack, "dashboards");
    const { outcomes, exitCode } = await undo(stack, entries);
    expect(outcomes.map((outcome) => outcome.code)).toContain(code);
    expect(exitCode).toBe(3);
    expect(storedRecords(stack, "dashboards")).toEqual(before);
  });

  it("what somebody has changed is such a record, what is gone is none", async () => {
    const { stack, entries } = await imported(target(theirs), (entry) => [entry]);
    const [body] = storedRecords(stack, "dashboards");
    stack.records.get("dashboards")?.set(hexId("b", 16), { ...(body as JsonObject), tags: ["changed"] });
    expect((await undo(stack, entries)).exitCode).toBe(3);
    stack.records.get("dashboards")?.clear();
    expect((await undo(stack, entries)).exitCode).toBe(0);
  });
});
