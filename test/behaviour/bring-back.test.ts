import { describe, expect, it } from "vitest";
import type { ImportStage, JsonObject } from "../support/import-stage.ts";
import { importStage, storedRecords, writesOn } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { interrupt, refuse } from "../support/memory-stack.ts";
import type { JournalEntry } from "../support/resume-into.ts";
import { alertOn, archive, board, importedStage, mirror, theOne } from "../support/mirror-stage.ts";
import { journalOf, undo, undoPlan } from "../support/resume-into.ts";
import { alert, dashboard, hexId, records, webhook } from "../support/stack-records.ts";
import { needs, usualTarget } from "../support/usual-stacks.ts";

const overview = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
const watching = alert(hexId("b", 32), "Watching", overview, hexId("b", 2), { message: "call me" });
const archived = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
const others = {
  ...needs.ours,
};
const update = { onConflict: "update" } as const;

const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  usualTarget({ dashboards: [overview], alerts: [watching], ...more });

/** A run that updates the dashboard of that name, which somebody has changed, and whose server deletes these alerts meanwhile. */
async function updateAndLose(stage: ImportStage, stack: MemoryStack, board: JsonObject, ids: string[]): Promise<void> {
  const [there = {}] = storedRecords(stack, "dashboards").filter(({ name }) => name === board["name"]);
  stack.records.get("dashboards")?.set(String(there["id"]), { ...(there as JsonObject), tags: ["changed since"] });
  stack.interceptAfter = (operation) => {
    if (operation === "update dashboards") for (const id of ids) stack.records.get("alerts")?.delete(id);
  };
  await stage.run(records({ dashboards: [board], ...others }), update);
  stack.interceptAfter = () => {};
  expect(stage.history.filter(({ type }) => type === "cascade-loss")).toHaveLength(ids.length);
}

const alertsOf = (items: Awaited<ReturnType<typeof undoPlan>>): unknown[] =>
  items.filter(({ kind }) => kind === "alerts").map(({ name, action, code }) => [name, action, code]);

describe("an alert that the server took away during an import", () => {
  it("and that the import had created is not brought back", async () => {
    const stack = target({ alerts: [] });
    const stage = importStage(stack);
    const ours = alert(hexId("a", 32), "Ours", archived, hexId("a", 2));
    await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
    const [{ id = "" } = {}] = storedRecords(stack, "alerts");
    await updateAndLose(stage, stack, archived, [String(id)]);
    expect(alertsOf(await undoPlan(stack, stage.history))).toEqual([["Ours", "skip", "gone"]]);
  });

  it("and that the import had updated comes back as it was before", async () => {
    const stack = target();
    const stage = importStage(stack);
    const ours = alert(hexId("a", 32), "Watching", archived, hexId("a", 2), { message: "nobody" });
    await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ message: "nobody" }]);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    const { outcomes } = await undo(stack, stage.history);
    expect(outcomes.filter(({ kind }) => kind === "alerts")).toMatchObject([{ action: "create", status: "done" }]);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ name: "Watching", message: "call me" }]);
  });

  it("is brought back with the run that lost it, and with no other", async () => {
    const stack = target();
    const stage = importStage(stack);
    await stage.run(records({ dashboards: [archived], ...others }), update);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    expect(alertsOf(await undoPlan(stack, stage.history, false, [1]))).toEqual([]);
    expect(alertsOf(await undoPlan(stack, stage.history, false, [2]))).toEqual([["Watching", "create", undefined]]);
  });

  it("is brought back where only its twin is there again", async () => {
    const twin = { ...watching, id: hexId("b", 33) };
    const stack = target({ alerts: [watching, twin] });
    const stage = importStage(stack);
    await updateAndLose(stage, stack, archived, [hexId("b", 32), hexId("b", 33)]);
    stack.records.get("alerts")?.set(hexId("b", 60), { ...watching, id: hexId("b", 60) });
    expect(alertsOf(await undoPlan(stack, stage.history))).toEqual([
      ["Watching", "skip", "put-back"],
      ["Watching", "create", undefined],
    ]);
  });

  it("is there again under its own id, with whatever content", async () => {
    const stack = target();
    const stage = importStage(stack);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    stack.records.get("alerts")?.set(hexId("b", 32), { ...watching, threshold: 99 });
    expect(alertsOf(await undoPlan(stack, stage.history))).toEqual([["Watching", "skip", "put-back"]]);
  });

  it("and that is there again under its own id as the import had left it is put back as it was before", async () => {
    const stack = target();
    const stage = importStage(stack);
    const ours = alert(hexId("a", 32), "Watching", archived, hexId("a", 2), { message: "nobody" });
    await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
    const left = stack.records.get("alerts")?.get(hexId("b", 32)) ?? {};
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    stack.records.get("alerts")?.set(hexId("b", 32), left);
    await undo(stack, stage.history);
    expect(storedRecords(stack, "alerts")).toMatchObject([{ id: hexId("b", 32), message: "call me" }]);
  });

  it("and that nobody could look for is left alone where somebody has made it again", async () => {
    const stack = target();
    const at = "2026-01-01T00:00:00.000Z";
    const key = `alerts/${hexId("b", 32)}` as const;
    const entries: JournalEntry[] = [{ type: "at-risk", at, key, name: "Watching", body: watching }];
    expect(alertsOf(await undoPlan(stack, entries))).toEqual([]);
    stack.records.get("alerts")?.delete(hexId("b", 32));
    expect(alertsOf(await undoPlan(stack, entries))).toEqual([["Watching", "create", undefined]]);
    stack.records.get("alerts")?.set(hexId("b", 60), { ...watching, id: hexId("b", 60) });
    expect(alertsOf(await undoPlan(stack, entries))).toEqual([["Watching", "skip", "put-back"]]);
  });

  it("is not brought back twice: whoever deletes it after the rollback wants it gone", async () => {
    const stack = target();
    const stage = importStage(stack);
    await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
    const { entries } = await undo(stack, stage.history);
    expect(storedRecords(stack, "alerts")).toHaveLength(1);
    stack.records.get("alerts")?.clear();
    expect(alertsOf(await undoPlan(stack, entries))).toEqual([]);
  });

  it.each([hexId("a", 32), hexId("b", 32)])(
    "stays where a later run has made it again (archived as %s)",
    async (id) => {
      const stack = target();
      const stage = importStage(stack);
      const ours = alert(id, "Watching", archived, hexId("a", 2), { message: "call me" });
      await updateAndLose(stage, stack, archived, [hexId("b", 32)]);
      await stage.run(records({ dashboards: [archived], alerts: [ours], ...others }), update);
      const [made] = storedRecords(stack, "alerts");
      for (const entries of [stage.history, (await undo(stack, stage.history)).entries]) {
        expect(alertsOf(await undoPlan(stack, entries))).toEqual([
          ["Watching", "skip", "put-back"],
          ["Watching", "skip", "put-back"],
        ]);
      }
      expect(storedRecords(stack, "alerts")).toEqual([made]);
      // Where somebody has made another, the import's own is not needed.
      stack.records.get("alerts")?.set(hexId("b", 60), { ...watching, id: hexId("b", 60) });
      await undo(stack, stage.history);
      expect(storedRecords(stack, "alerts")).toMatchObject([{ id: hexId("b", 60) }]);
    },
  );

  it("keeps the dashboard that it is on, which the import had created", async () => {
    const stack = target();
    const stage = importStage(stack);
    const made = dashboard(hexId("a", 17), "Made", hexId("a", 1));
    await stage.run(records({ dashboards: [made], ...others }));
    const [there = {}] = storedRecords(stack, "dashboards").filter(({ name }) => name === "Made");
    const hung = alert(hexId("b", 34), "Hung", there as JsonObject, hexId("b", 2));
    stack.records.get("alerts")?.set(hexId("b", 34), hung);
    await updateAndLose(stage, stack, made, [hexId("b", 34)]);
    const plan = await undoPlan(stack, stage.history);
    expect(plan.map(({ name, action, code }) => [name, action, code])).toEqual([
      ["Made", "skip", "in-use"],
      ["Hung", "create", undefined],
    ]);
    expect(plan[0]?.message).toBe('the alert "Hung" stays and points to it; --force undoes it anyway');
  });
});

/** A dashboard whose one tile opens another. */
const linking = (number: number, name: string, to: number): JsonObject => {
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("b", to) } };
  const config = { displayType: "table", sourceId: hexId("b", 1), onClick };
  return dashboard(hexId("b", number), name, "", { tiles: [{ id: hexId("d", number), name: "Table", config }] });
};

/** What a mirror writes down of a record that it deletes. */
function removed(kind: string, { id = "", name = "", ...body }: JsonObject): JournalEntry[] {
  const at = "2026-01-01T00:00:00.000Z";
  const write = { at, key: `${kind}/${String(id)}` as const, write: "remove", targetId: String(id) } as const;
  return [
    { type: "intent", name: String(name), previous: { id, name, ...body }, ...write },
    { type: "done", content: "digest", ...write },
  ];
}

describe("dashboards that a mirror deleted and that link to each other", () => {
  const [one, two] = [linking(20, "One", 21), linking(21, "Two", 20)];
  const entries = [one, two, dashboard(hexId("b", 22), "Plain", hexId("b", 1))].flatMap((body) =>
    removed("dashboards", body),
  );
  const linkOf = (stack: MemoryStack, name: string): unknown => {
    const [{ tiles = [] } = {}] = storedRecords(stack, "dashboards").filter((body) => body["name"] === name);
    return (tiles as { config: { onClick: { target: { id: string } } } }[])[0]?.config.onClick.target.id;
  };
  const idOf = (stack: MemoryStack, wanted: string): unknown =>
    storedRecords(stack, "dashboards").find(({ name }) => name === wanted)?.["id"];

  it("come back with these links, in two writes each", async () => {
    const stack = target({ dashboards: [], alerts: [] });
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, status }) => [name, status])).toEqual([
      ["One", "done"],
      ["Two", "done"],
      ["Plain", "done"],
    ]);
    expect(linkOf(stack, "One")).toBe(idOf(stack, "Two"));
    expect(linkOf(stack, "Two")).toBe(idOf(stack, "One"));
    expect(writesOn(stack).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => "create dashboards"),
      ...Array.from({ length: 2 }, () => "update dashboards"),
    ]);
  });

  it.each([
    ["refused", () => refuse("rejected", "no"), "rejected"],
    ["never sent", interrupt, "link-failed"],
  ] as const)("have failed where these links were %s, and nothing else has", async (_, error, code) => {
    const stack = target({ dashboards: [], alerts: [] });
    stack.intercept = (operation) => {
      if (operation === "update dashboards") throw error();
    };
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, status, code: why }) => [name, status, why])).toEqual([
      ["One", "failed", code],
      ["Two", "failed", code],
      ["Plain", "done", undefined],
    ]);
  });
});

describe("dashboards that a rollback has made again without their links, as it was killed", () => {
  const entries = [linking(20, "One", 21), linking(21, "Two", 20)].flatMap((body) => removed("dashboards", body));
  const linksOf = (stack: MemoryStack): unknown[] =>
    storedRecords(stack, "dashboards").map(({ tiles }) => {
      const [tile] = tiles as { config: { onClick?: { target: { id: string } } } }[];
      const to = tile?.config.onClick?.target.id;
      return storedRecords(stack, "dashboards").find(({ id }) => id === to)?.["name"];
    });
  /** Killed before the write of that number, from 0. */
  async function killed(
    at: number,
    of: readonly JournalEntry[] = entries,
  ): Promise<{ stack: MemoryStack; history: readonly JournalEntry[] }> {
    const stack = target({ dashboards: [], alerts: [] });
    const journal = journalOf(of);
    let writes = 0;
    stack.intercept = (operation) => {
      if (!/^(?:create|update) /.test(operation)) return;
      if (writes >= at) throw new Error("killed");
      writes += 1;
    };
    await expect(undo(stack, of, { journal, fitLimits: true })).rejects.toThrow("killed");
    stack.intercept = () => {};
    return { stack, history: [...of, ...journal.appended] };
  }
  const shown = (items: readonly { name: string; action: string; code?: string }[]): unknown[] =>
    items.map(({ name, action, code }) => [name, action, code]);

  it.each([0, 1, 2, 3])("have them after the next rollback (killed before write %i)", async (at) => {
    const { stack, history } = await killed(at);
    const { outcomes, entries: after } = await undo(stack, history);
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "done"));
    expect(new Set(linksOf(stack))).toEqual(new Set(["One", "Two"]));
    const writes = writesOn(stack);
    expect((await undo(stack, after)).outcomes).toEqual([]);
    expect(writesOn(stack)).toEqual(writes);
  });

  it("have them after the next rollback, where --fit-limits made them again in another form than they had", async () => {
    const wide = [linking(20, "One", 21), linking(21, "Two", 20)].flatMap((body) =>
      removed("dashboards", { ...body, tiles: (body["tiles"] as JsonObject[]).map((tile) => ({ ...tile, w: 36 })) }),
    );
    const { stack, history } = await killed(2, wide);
    const { outcomes } = await undo(stack, history);
    expect(shown(outcomes)).toEqual([
      ["One", "update", "finish-links"],
      ["Two", "update", "finish-links"],
    ]);
    expect(new Set(linksOf(stack))).toEqual(new Set(["One", "Two"]));
    expect(storedRecords(stack, "dashboards")).toMatchObject([{ tiles: [{ w: 24 }] }, { tiles: [{ w: 24 }] }]);
  });

  it("are made again and linked side by side where only one was there", async () => {
    const { stack, history } = await killed(1);
    expect(shown(await undoPlan(stack, history))).toEqual([
      ["Two", "create", undefined],
      ["One", "update", "finish-links"],
    ]);
  });

  it("are left without them where somebody took them out after a rollback that was complete", async () => {
    const stack = target({ dashboards: [], alerts: [] });
    const { entries: after } = await undo(stack, entries);
    for (const body of storedRecords(stack, "dashboards")) {
      const tiles = (body["tiles"] as { config: JsonObject }[]).map((tile) => {
        const { onClick: _, ...config } = tile.config;
        return { ...tile, config };
      });
      stack.records.get("dashboards")?.set(String(body["id"]), { ...(body as JsonObject), tiles });
    }
    expect(await undoPlan(stack, after)).toEqual([]);
  });

  it("are left to those who have changed them since", async () => {
    const { stack, history } = await killed(2);
    const [one = {}] = storedRecords(stack, "dashboards");
    stack.records.get("dashboards")?.set(String(one["id"]), { ...(one as JsonObject), tags: ["mine"] });
    expect(shown(await undoPlan(stack, history))).toEqual([
      ["One", "skip", "changed-since"],
      ["Two", "update", "finish-links"],
    ]);
  });

  it("have them only where the run that deleted them is undone", async () => {
    const { stack, history } = await killed(2);
    expect(shown(await undoPlan(stack, history, false, [2]))).toEqual([]);
    expect(shown(await undoPlan(stack, history, false, [1]))).toHaveLength(2);
  });
});

describe("dashboards that an import updated and that link to each other", () => {
  it("are put back in one write each", async () => {
    const linked = (letter: "a" | "b", number: number, name: string, to: number, more: JsonObject): JsonObject => {
      const onClick = { type: "dashboard", target: { mode: "id", id: hexId(letter, to) } };
      const config = { displayType: "table", sourceId: hexId(letter, 1), onClick };
      const tiles = [{ id: hexId(letter === "a" ? "d" : "e", number), name: "Table", config }];
      return dashboard(hexId(letter, number), name, "", { tiles, ...more });
    };
    const pair = (letter: "a" | "b", more: JsonObject): JsonObject[] => [
      linked(letter, 20, "One", 21, more),
      linked(letter, 21, "Two", 20, more),
    ];
    const before = pair("b", { tags: ["theirs"] });
    const stack = target({ dashboards: before, alerts: [] });
    const stage = importStage(stack);
    expect((await stage.run(records({ dashboards: pair("a", {}), ...others }), update)).exitCode).toBe(0);
    expect(storedRecords(stack, "dashboards").map(({ tags }) => tags)).toEqual([[], []]);
    stack.requests.length = 0;
    await undo(stack, stage.history);
    expect(storedRecords(stack, "dashboards")).toMatchObject(before);
    expect(writesOn(stack)).toEqual(["update dashboards", "update dashboards"]);
  });
});

describe("what a mirror deleted and may have held what no stack shows", () => {
  it("is not made again without it, and what holds nothing of the kind is", async () => {
    const stack = target({ webhooks: [], connections: [], "saved-searches": [] });
    const hooks = [
      { ...webhook(hexId("b", 50), "generic"), service: "generic" },
      { ...webhook(hexId("b", 51), "chat"), service: "slack" },
    ];
    const main = { id: hexId("b", 52), name: "Main", host: "http://db", username: "reader" };
    const entries = [...hooks.flatMap((hook) => removed("webhooks", hook)), ...removed("connections", main)];
    const plan = await undoPlan(stack, entries);
    expect(new Map(plan.map(({ name, action, code }) => [name, [action, code]]))).toEqual(
      new Map([
        ["Main", ["skip", "write-only"]],
        ["generic", ["skip", "write-only"]],
        ["chat", ["create", undefined]],
      ]),
    );
  });
});

it("what another version of the program has brought back is passed by", async () => {
  const at = "2026-01-01T00:00:00.000Z";
  const key = "widgets/a";
  const entries: JournalEntry[] = [
    { type: "cascade-loss", at, key, name: "Widget", body: { id: "a" } },
    { type: "intent", at, key, name: "Widget", write: "restore" },
    { type: "done", at, key, write: "restore", targetId: "b", content: "aa" },
  ];
  expect(await undoPlan(target(), entries)).toEqual([]);
});

describe("a dashboard that a mirror deleted and that held a secret", () => {
  const secret = { ...overview, tags: ["«redacted:assigned-secret»"] };
  const onClick = { type: "dashboard", target: { mode: "id", id: hexId("b", 16) } };
  const linking = dashboard(hexId("b", 17), "Linking", "", {
    tiles: [{ id: hexId("d", 17), name: "Table", config: { displayType: "table", sourceId: hexId("b", 1), onClick } }],
  });

  it("cannot be brought back, nor an alert on it; a dashboard that only links to it can", async () => {
    const stack = target({ dashboards: [], alerts: [] });
    const entries = [
      ...removed("alerts", watching),
      ...removed("dashboards", secret),
      ...removed("dashboards", linking),
    ];
    const plan = await undoPlan(stack, entries);
    expect(plan.map(({ name, action, code }) => [name, action, code])).toEqual([
      ["Overview", "skip", "redacted"],
      ["Linking", "create", "left-out"],
      ["Watching", "skip", "dependency-failed"],
    ]);
    const { exitCode } = await undo(stack, entries);
    expect(JSON.stringify(storedRecords(stack, "dashboards"))).not.toContain("onClick");
    expect(exitCode).toBe(3);
  });
});

describe("what an import moved off a dashboard that its mirror deleted", () => {
  const table = (config: JsonObject): JsonObject => ({
    tiles: [
      { id: hexId("d", 17), name: "Table", config: { displayType: "table", sourceId: hexId("a", 1), ...config } },
    ],
  });
  const linking = board(17, table({ onClick: { type: "dashboard", target: { mode: "id", id: hexId("a", 16) } } }));
  const watchesOld = alertOn(16);
  const watchesNew = alert(hexId("a", 1016), "Alert 16", board(18), hexId("a", 2));
  /** A target on which a dashboard and an alert lost what they pointed to. */
  async function moved() {
    const { stack, stage } = await importedStage([board(16), linking, board(18)], [watchesOld]);
    const moving = archive([board(17, table({})), board(18)], [watchesNew]);
    const run = await stage.run(moving, mirror);
    expect(run.outcomes.filter(({ action }) => action === "delete")).toMatchObject([
      { name: "Board 16", status: "done" },
    ]);
    stack.requests.length = 0;
    return { stack, entries: stage.history };
  }

  const expectBack = (stack: MemoryStack): void => {
    const again = theOne(stack, "dashboards", "Board 16") as { id: string; tiles: { id: string }[] };
    const [tile] = theOne(stack, "dashboards", "Board 17")["tiles"] as {
      config: { onClick: { target: JsonObject } };
    }[];
    expect(tile?.config.onClick.target["id"]).toBe(again.id);
    expect(theOne(stack, "alerts", "Alert 16")).toMatchObject({ dashboardId: again.id, tileId: again.tiles[0]?.id });
  };

  it("points to it again, under its new id, in one write each", async () => {
    const { stack, entries } = await moved();
    const { outcomes } = await undo(stack, entries);
    expect(outcomes.map(({ name, action, status }) => [name, action, status])).toEqual([
      ["Board 16", "create", "done"],
      ["Board 17", "update", "done"],
      ["Alert 16", "update", "done"],
    ]);
    expect(writesOn(stack)).toEqual(["create dashboards", "update dashboards", "update alerts"]);
    expectBack(stack);
  });

  it("is put back by the next rollback where the first ended before", async () => {
    const { stack, entries } = await moved();
    stack.intercept = (operation) => {
      if (operation.startsWith("update")) throw interrupt();
    };
    const first = await undo(stack, entries);
    expect(first.outcomes.filter(({ status }) => status === "done")).toMatchObject([{ name: "Board 16" }]);
    stack.intercept = () => {};
    const second = await undo(stack, first.entries);
    expect(
      second.outcomes
        .filter(({ status }) => status === "done")
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["Alert 16", "Board 17"]);
    expectBack(stack);
    expect(await undoPlan(stack, second.entries)).toEqual([]);
  });
});
