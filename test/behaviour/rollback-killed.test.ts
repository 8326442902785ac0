import { describe, expect, it } from "vitest";
import type { JsonObject } from "../support/import-stage.ts";
import { storedRecords, writesOn } from "../support/import-stage.ts";
import { instantClock } from "../support/instant-clock.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { journalOf, readAfter, undo, undoPlan } from "../support/resume-into.ts";
import { alert, dashboard, hexId } from "../support/stack-records.ts";
import { needs } from "../support/usual-stacks.ts";

/** A dashboard whose second tile opens another, and whose third speaks of it. */
const linking = (number: number, name: string, to: number): JsonObject => {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("b", to) } };
  const plain = dashboard(hexId("b", number), name, hexId("b", 1));
  const config = { displayType: "table", sourceId: hexId("b", 1), onClick };
  const link = { id: hexId("d", number + 100), name: "Table", config };
  const markdown = `Then look at https://stack.test/dashboards/${hexId("b", to)}?from=now-1h.`;
  const text = { id: hexId("d", number + 200), name: "Notes", config: { displayType: "markdown", markdown } };
  return { ...plain, tiles: [...(plain["tiles"] as JsonObject[]), link, text] };
};

const [one, two] = [linking(20, "One", 21), linking(21, "Two", 20)];
const message = `See /dashboards/${hexId("b", 21)}`;
const watching = alert(hexId("b", 32), "Watching", one, hexId("b", 2), { message });

const emptied = (more: readonly JsonObject[] = []): MemoryStack =>
  memoryStack({
    dashboards: more,
    alerts: [],
    ...needs.theirs,
  });

/** What a mirror writes down of a record that it deletes. */
function removed(kind: string, body: JsonObject): JournalEntry[] {
  const at = "2026-01-01T00:00:00.000Z";
  const id = String(body["id"]);
  const write = { at, key: `${kind}/${id}` as const, write: "remove", targetId: id } as const;
  return [
    { type: "intent", name: String(body["name"]), previous: body, ...write },
    { type: "done", content: "digest", ...write },
  ];
}

const entries = [...removed("alerts", watching), ...[one, two].flatMap((body) => removed("dashboards", body))];

/** A rollback that dies at a write, before the stack has seen it or once it is stored. */
async function killed(
  moment: "intercept" | "interceptAfter",
  at: number,
  stack = emptied(),
): Promise<{ readonly stack: MemoryStack; readonly history: readonly JournalEntry[] }> {
  const journal = journalOf(entries);
  let writes = 0;
  stack[moment] = (operation) => {
    if (!/^(?:create|update) /.test(operation)) return;
    writes += 1;
    if (writes >= at) throw new Error("killed");
  };
  await expect(undo(stack, entries, { journal })).rejects.toThrow("killed");
  // What the dead run had begun is dead, too.
  await new Promise((resolve) => setTimeout(resolve, 1));
  stack[moment] = () => {};
  return { stack, history: [...entries, ...journal.appended] };
}

/** By name of a dashboard: the names of the one that it opens, and of the one that its text leads to. */
function linksOn(stack: MemoryStack): unknown[] {
  const dashboards = storedRecords(stack, "dashboards");
  return dashboards.map(({ name, tiles }) => {
    const [, tile] = tiles as { config: { onClick?: { target: { id: string } } } }[];
    const opened = dashboards.find(({ id }) => id === tile?.config.onClick?.target.id);
    return [name, opened?.["name"], spokenOf(stack, JSON.stringify((tiles as unknown[])[2]))];
  });
}

/** The name of the dashboard that is there and that a text leads to. */
function spokenOf(stack: MemoryStack, text: unknown): unknown {
  return storedRecords(stack, "dashboards").find(({ id }) => String(text).includes(`/dashboards/${String(id)}`))?.[
    "name"
  ];
}

describe("a rollback of deletes that was killed", () => {
  it.each([1, 2, 3, 4, 5].flatMap((at) => [["intercept", at] as const, ["interceptAfter", at] as const]))(
    "doubles nothing and leaves nothing out (%s write %i)",
    async (moment, at) => {
      const { stack, history } = await killed(moment, at);
      const { entries: after } = await undo(stack, history);
      expect(linksOn(stack)).toHaveLength(2);
      const links = [
        ["One", "Two", "Two"],
        ["Two", "One", "One"],
      ];
      expect(linksOn(stack)).toEqual(expect.arrayContaining(links));
      const [made] = storedRecords(stack, "dashboards").filter(({ name }) => name === "One");
      const [again] = storedRecords(stack, "alerts");
      expect(again).toMatchObject({ name: "Watching", dashboardId: made?.["id"] });
      expect(storedRecords(stack, "alerts")).toHaveLength(1);
      expect(spokenOf(stack, again?.["message"])).toBe("Two");
      const writes = writesOn(stack);
      await undo(stack, after);
      expect(writesOn(stack)).toEqual(writes);
    },
  );

  it("makes nothing again that may be there in another form", async () => {
    const { stack, history } = await killed("interceptAfter", 1);
    for (const body of storedRecords(stack, "dashboards")) {
      stack.records.get("dashboards")?.set(String(body["id"]), { ...(body as JsonObject), tags: ["kept otherwise"] });
    }
    const codes = (await undoPlan(stack, history)).map(({ name, action, code }) => [name, action, code]);
    const [there] = storedRecords(stack, "dashboards");
    expect(codes).toContainEqual([there?.["name"], "skip", "ambiguous"]);
    expect(codes.filter(([name, action]) => name === there?.["name"] && action === "create")).toEqual([]);
  });

  it("makes the second of two equal dashboards again, where it had come to the first", async () => {
    const stack = emptied();
    const twin = { ...dashboard(hexId("b", 40), "Twin", hexId("b", 1)) };
    const twins = [twin, { ...twin, id: hexId("b", 41) }].flatMap((body) => removed("dashboards", body));
    const journal = journalOf(twins);
    let creates = 0;
    stack.intercept = (operation) => {
      if (operation !== "create dashboards") return;
      creates += 1;
      if (creates > 1) throw new Error("killed");
    };
    await expect(undo(stack, twins, { journal })).rejects.toThrow("killed");
    await new Promise((resolve) => setTimeout(resolve, 1));
    stack.intercept = () => {};
    await undo(stack, [...twins, ...journal.appended]);
    expect(storedRecords(stack, "dashboards").map(({ name }) => name)).toEqual(["Twin", "Twin"]);
  });

  it("waits for lists that lag: for what it began, for what it made, and for what had been deleted", async () => {
    const { stack, history } = await killed("interceptAfter", 1);
    const last = Date.parse(history.at(-1)?.at ?? "");
    expect((await readAfter(stack, history, instantClock(last))).waitedMs).toBe(10_000);
    const { entries: after } = await undo(stack, history);
    const end = Date.parse(after.at(-1)?.at ?? "");
    const ended = { type: "end", at: new Date(end).toISOString(), result: "complete" } as const;
    expect((await readAfter(stack, [...after, ended], instantClock(end))).waitedMs).toBe(0);
    stack.show = () => [];
    expect((await readAfter(stack, [...after, ended], instantClock(end))).waitedMs).toBe(10_000);
    const deleted = [...entries, { ...ended, at: "2026-01-01T00:00:00.000Z" }];
    const before = emptied([one, two]);
    expect((await readAfter(before, deleted, instantClock(Date.parse("2026-01-01T00:00:00.000Z")))).waitedMs).toBe(
      10_000,
    );
  });
});

it("an edit between a dashboard that is made again and its link is left to whoever made it", async () => {
  const stack = emptied();
  stack.intercept = (operation) => {
    if (operation !== "update dashboards") return;
    throw new Error("nobody may overwrite the edit");
  };
  stack.interceptAfter = (operation) => {
    if (operation !== "create dashboards") return;
    for (const [id, body] of stack.records.get("dashboards") ?? []) {
      stack.records.get("dashboards")?.set(id, { ...body, tags: ["theirs"] });
    }
  };
  const { outcomes } = await undo(
    stack,
    [one, two].flatMap((body) => removed("dashboards", body)),
  );
  expect(outcomes.map(({ status, code }) => [status, code])).toEqual([
    ["failed", "changed-since"],
    ["failed", "changed-since"],
  ]);
});
