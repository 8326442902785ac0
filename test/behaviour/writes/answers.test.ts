import { describe, expect, it } from "vitest";
import { archiveOf, board, dependencies, update, usualTarget } from "../../support/import-samples.ts";
import {
  bodiesSentTo,
  importInto,
  importStage,
  outcomeOf,
  writesDuring,
  type JsonObject,
  type StackRecord,
} from "../../support/import-stage.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, dashboard, hexId, records, targetIds, tileWith } from "../../support/stack-records.ts";
import { chain } from "./linked-boards.ts";

const their = (more: JsonObject = {}): JsonObject => dashboard(hexId("b", 16), "Board 16", targetIds.source, more);

describe("a record that the stack stores in another form than it was sent in", () => {
  it.each<[string, StackRecord[], JsonObject[]]>([
    ["a created one", archiveOf(board(16, { tags: ["ours"] })), []],
    ["an updated one", archiveOf(board(16, { tags: ["ours"] })), [their({ tags: ["theirs"] })]],
    ["several that link to one", chain, []],
  ])("is written once: %s", async (_, archive, dashboards) => {
    const stack = usualTarget({ dashboards });
    stack.replaceStored = (_operation, body) => ({ ...body, tags: ["added"] });
    const stage = importStage(stack);
    await stage.run(archive, update);
    expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toContainEqual(["added"]);
    for (const options of [update, {}]) {
      const again = async (): Promise<void> => {
        const { plan } = await stage.run(archive, options);
        const ends = plan.items.filter(({ kind }) => kind === "dashboards");
        expect(new Set(ends.map(({ action, code }) => `${action} ${code}`))).toEqual(new Set(["unchanged undefined"]));
      };
      expect(await writesDuring(stack, again)).toEqual([]);
    }
  });
});

describe("a stack that answers a create with other parts than were sent", () => {
  const config = { displayType: "line", sourceId: archiveIds.source };
  const twoTiles = board(16, {
    tiles: ["Requests", "Errors"].map((name, index) => tileWith(hexId("d", index), name, config)),
    filters: [{ id: hexId("e", 1), name: "Service", expression: "s", sourceId: archiveIds.source }],
  });
  const own = { id: hexId("e", 9), name: "Own" };

  it.each<[string, "tiles" | "filters", change: (parts: JsonObject[]) => JsonObject[]]>([
    ["a tile less", "tiles", (parts) => parts.slice(1)],
    ["a tile more", "tiles", (parts) => [...parts, own]],
    ["the same tiles in another order", "tiles", (parts) => parts.toReversed()],
    ["a filter less", "filters", () => []],
    ["a filter more", "filters", (parts) => [...parts, own]],
  ])("leads to a warning: %s", async (_, member, change) => {
    const stack = usualTarget();
    stack.replaceStored = (_operation, body) => ({ ...body, [member]: change(body[member] as JsonObject[]) });
    const { warnings } = await importInto(stack, archiveOf(twoTiles));
    expect(warnings.map(({ code }) => code)).toContain("not-stored");
  });

  it("does not bind an alert to a tile by its place", async () => {
    const stack = usualTarget();
    stack.replaceStored = (operation, body) =>
      operation === "create dashboards" ? { ...body, tiles: (body["tiles"] as JsonObject[]).slice(1) } : body;
    const on = { ...twoTiles, tiles: [{ id: hexId("d", 0) }] };
    const slow = alert(hexId("a", 32), "Slow", on, archiveIds.webhook);
    await importInto(stack, records({ dashboards: [twoTiles], alerts: [slow], ...dependencies.ours }));
    const [sent] = bodiesSentTo(stack, "create alerts");
    const [kept] = (recordsOn(stack, "dashboards")[0]?.["tiles"] ?? []) as { id: string }[];
    expect(sent?.["tileId"]).not.toBe(kept?.id);
  });
});

it("a created record whose answer has no id has failed, as nothing could be bound to it", async () => {
  const stack = usualTarget();
  const create = stack.client.create.bind(stack.client);
  stack.client.create = async (...sent) => {
    const { id: _id, ...rest } = await create(...sent);
    return rest;
  };
  const run = await importInto(stack, archiveOf(board(16)));
  expect(outcomeOf(run, "Board 16")).toMatchObject({ status: "failed", code: "protocol" });
  expect(run.exitCode).toBe(3);
});

it.each([
  ["create", []],
  ["update", [their()]],
])("a dashboard of which the stack drops a condition has failed: %s", async (action, dashboards) => {
  const select = [{ aggFn: "count", where: "level:error", whereLanguage: "lucene" }];
  const config = { displayType: "line", sourceId: archiveIds.source, fillNulls: true, select };
  const tiles = [tileWith(hexId("d", 1), "Requests", config)];
  const stack = usualTarget({ dashboards });
  stack.replaceStored = (_, body) =>
    JSON.parse(JSON.stringify(body).replace('"where":"level:error",', "")) as JsonObject;
  const run = await importInto(stack, archiveOf(board(16, { tiles })), update);
  expect(outcomeOf(run, "Board 16")).toMatchObject({ action, status: "failed", code: "not-stored" });
  expect(run.exitCode).toBe(3);
});
