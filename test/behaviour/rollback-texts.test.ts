import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { contentOf, journalOf, undo } from "../support/resume-into.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

const at = "2026-01-01T00:00:00.000Z";
const textOn = (number: number): string => `See https://stack.test/dashboards/${hexId("b", number)}?from=now-1h.`;

/** A dashboard that speaks of another in its one text, and links to nothing. */
function speaking(number: number, name: string, markdown: string): JsonObject {
  const tile = { id: hexId("d", number), name: "Notes", config: { displayType: "markdown", markdown } };
  return dashboard(hexId("b", number), name, "", { tiles: [tile] });
}

const one = speaking(20, "One", textOn(21));
const two = speaking(21, "Two", textOn(20));

/** What a mirror writes down of a dashboard that it deletes. */
function removed(body: JsonObject): JournalEntry[] {
  const targetId = String(body["id"]);
  const write = { at, key: `dashboards/${targetId}` as const, write: "remove", targetId } as const;
  return [
    { type: "intent", name: String(body["name"]), previous: body, ...write },
    { type: "done", content: "digest", ...write },
  ];
}

/** What an import writes down of a dashboard that it updates. */
function updated(previous: JsonObject, current: JsonObject): JournalEntry[] {
  const targetId = String(previous["id"]);
  const write = { at, key: "dashboards/x", write: "update", targetId } as const;
  return [
    { type: "intent", name: String(previous["name"]), previous, ...write },
    { type: "done", content: contentOf("dashboards", current), ...write },
  ];
}

const stackOf = (...dashboards: JsonObject[]): MemoryStack =>
  memoryStack({ dashboards, alerts: [], sources: [], webhooks: [] });

/** By name of a dashboard: the name of the one that its text leads to. */
function led(stack: MemoryStack): Readonly<Record<string, unknown>> {
  const dashboards = storedRecords(stack, "dashboards");
  return Object.fromEntries(
    dashboards.map(({ name, tiles }) => {
      const text = JSON.stringify(tiles);
      return [name, dashboards.find(({ id }) => text.includes(`/dashboards/${String(id)}?`))?.["name"]];
    }),
  );
}

/** Undoes it, and then once more, which writes nothing. */
async function undoTwice(stack: MemoryStack, entries: readonly JournalEntry[]): Promise<void> {
  const { entries: after, exitCode } = await undo(stack, entries);
  expect(exitCode).toBe(0);
  const writes = writesOn(stack);
  await undo(stack, after);
  expect(writesOn(stack)).toEqual(writes);
}

/** A rollback that has made the first again and dies before the second is sent; the journal as it leaves it. */
async function killedAfterFirst(stack: MemoryStack): Promise<readonly JournalEntry[]> {
  const entries = [one, two].flatMap(removed);
  const journal = journalOf(entries);
  let writes = 0;
  stack.intercept = (operation) => {
    if (!operation.startsWith("create")) return;
    writes += 1;
    if (writes > 1) throw new Error("killed");
  };
  await expect(undo(stack, entries, { journal })).rejects.toThrow("killed");
  await new Promise((resolve) => setTimeout(resolve, 1));
  stack.intercept = () => {};
  expect(storedRecords(stack, "dashboards")).toHaveLength(1);
  return [...entries, ...journal.appended];
}

function theFirst(stack: MemoryStack): JsonObject & { id: string } {
  const [body] = storedRecords(stack, "dashboards");
  return { ...(body as JsonObject), id: String(body?.["id"]) };
}

describe("a text that speaks of what a rollback makes again", () => {
  it("leads to it, in a record that is made again with it", async () => {
    const stack = stackOf();
    await undoTwice(stack, [one, two].flatMap(removed));
    expect(led(stack)).toEqual({ One: "Two", Two: "One" });
  });

  it("leads to it, in a record that is put back", async () => {
    const before = speaking(22, "Speaking", textOn(20));
    const current = { ...before, tags: ["imported"] };
    const stack = stackOf(current);
    await undoTwice(stack, [...[one, two].flatMap(removed), ...updated(before, current)]);
    expect(led(stack)).toEqual({ One: "Two", Two: "One", Speaking: "One" });
  });

  it("leads to it after a rollback that was cut short, though only the next one makes the other", async () => {
    const stack = stackOf();
    await undoTwice(stack, await killedAfterFirst(stack));
    expect(led(stack)).toEqual({ One: "Two", Two: "One" });
  });

  it("stays as somebody has written it since, old id or not", async () => {
    const stack = stackOf();
    const history = await killedAfterFirst(stack);
    const { tiles, id, name, ...rest } = theFirst(stack);
    const [tile] = tiles as JsonObject[];
    const markdown = `Mine: ${textOn(name === "One" ? 21 : 20)}`;
    const mine = { ...tile, config: { displayType: "markdown", markdown } } as JsonObject;
    stack.records.get("dashboards")?.set(id, { ...rest, id, name, tiles: [mine] });
    await undo(stack, history);
    expect(storedRecords(stack, "dashboards")).toHaveLength(2);
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).toContain(markdown);
  });
});

it("a text that speaks of what is put back is right as it is", async () => {
  const before = dashboard(hexId("b", 22), "Kept", "");
  const current = { ...before, tags: ["imported"] };
  const stack = stackOf(current);
  await undoTwice(stack, [...removed(speaking(23, "Speaking", textOn(22))), ...updated(before, current)]);
  expect(led(stack)).toMatchObject({ Speaking: "Kept" });
});

it("what somebody has made again by hand, its text as it was, is not made a second time", async () => {
  const stack = stackOf();
  const history = await killedAfterFirst(stack);
  const other = theFirst(stack)["name"] === "One" ? two : one;
  const begun = ({ type, ...entry }: JournalEntry): boolean =>
    type === "intent" && "write" in entry && entry.write === "restore" && entry.key.endsWith(String(other["id"]));
  stack.records.get("dashboards")?.set(hexId("e", 1), { ...other, id: hexId("e", 1) });
  await undo(
    stack,
    history.filter((entry) => !begun(entry)),
  );
  expect(storedRecords(stack, "dashboards").map(({ name }) => name)).toHaveLength(2);
});
