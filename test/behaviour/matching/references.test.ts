import { describe, expect, it } from "vitest";
import { bodiesSentTo, importInto, outcomeOf, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import { recordOn, recordsOn } from "../../support/on-stack.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  source,
  targetIds,
  tileOf,
  tileWith,
  webhook,
} from "../../support/stack-records.ts";
import { usualTarget } from "../../support/import-samples.ts";

const archived = {
  sources: [1, 2, 3].map((number) => source(hexId("a", number), `S${number}`, hexId("c", 1), `t${number}`)),
  webhooks: [4, 5].map((number) => webhook(hexId("a", number), `hook ${number}`)),
};
const listed = {
  sources: [1, 2, 3].map((number) => source(hexId("b", number), `S${number}`, hexId("c", 2), `t${number}`)),
  webhooks: [4, 5].map((number) => webhook(hexId("b", number), `hook ${number}`)),
};
/** Records of the archive that the target lacks, and the id of a record that nobody has any more. */
const [GONE_SOURCE, GONE_HOOK, NOBODY] = [hexId("a", 7), hexId("a", 9), hexId("a", 99)];
const missing = records({
  sources: [source(GONE_SOURCE, "Gone", hexId("c", 1), "t7")],
  webhooks: [webhook(GONE_HOOK, "gone")],
});

const board = (more: JsonObject = {}): JsonObject => dashboard(hexId("a", 16), "Board", archiveIds.source, more);
const withTile = (config: JsonObject): JsonObject => board({ tiles: [tileWith(hexId("d", 1), "T", config)] });
const filtered = (more: JsonObject): JsonObject =>
  board({ filters: [{ id: hexId("e", 1), name: "F", expression: "s", ...more }] });
const searching = (id: string): JsonObject => {
  const onClick = { type: "search", target: { mode: "id", id } };
  return withTile({ displayType: "table", sourceId: archiveIds.source, onClick });
};
/** Returns the alert "Slow" on a dashboard, with a channel for each webhook number. */
function slow(numbers: readonly number[], on = board(), more: JsonObject = {}): JsonObject {
  const channels = numbers.map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
  return alert(hexId("a", 32), "Slow", on, hexId("a", numbers[0] ?? 0), { channels, ...more });
}

/** Imports these records onto the target once. */
async function imported(
  dashboards: readonly JsonObject[],
  alerts: readonly JsonObject[] = [],
  options: RunOptions = {},
  stack = usualTarget(listed),
) {
  const run = await importInto(stack, [...records({ dashboards, alerts, ...archived }), ...missing], options);
  return { stack, run };
}
const theirChannels = (...numbers: number[]) => numbers.map((number) => ({ webhookId: hexId("b", number) }));

describe("an alert", () => {
  it("has the target's ids in every place: dashboard, tile, the channel and all the channels", async () => {
    const { stack } = await imported([board()], [slow([4, 5])]);
    const made = recordOn(stack, "dashboards", "Board");
    const [channel, ...others] = theirChannels(4, 5);
    const ids = { dashboardId: made.id, tileId: tileOf(made), channel, channels: [channel, ...others] };
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([ids]);
  });

  it("has them with a channel alone, or with channels alone", async () => {
    const { channels: _channels, ...single }: JsonObject = { ...slow([4]), name: "Single" };
    const { channel: _channel, ...plural }: JsonObject = { ...slow([5]), id: hexId("a", 33), name: "Plural" };
    const { stack } = await imported([board()], [single, plural]);
    const sent = new Map(bodiesSentTo(stack, "create alerts").map((body) => [body["name"], body]));
    expect(sent.get("Single")).toMatchObject({ channel: { webhookId: hexId("b", 4) } });
    expect(sent.get("Plural")).toMatchObject({ channels: theirChannels(5) });
  });

  it("watches the tile of its own dashboard, where two dashboards have tiles of one id", async () => {
    const config = { displayType: "line", sourceId: archiveIds.source };
    const tiled = (number: number, ...names: string[]): JsonObject =>
      dashboard(hexId("a", number), `Board ${number}`, "", {
        tiles: names.map((name, index) => ({ id: `tile-${index}`, name, config })),
      });
    const on = { id: hexId("a", 17), tiles: [{ id: "tile-1" }] };
    const { stack } = await imported([tiled(16, "A", "B"), tiled(17, "C", "D")], [slow([4], on)]);
    const { id, tiles } = recordOn(stack, "dashboards", "Board 17");
    const tile = (tiles as { id: string; name: string }[]).find(({ name }) => name === "D");
    expect(bodiesSentTo(stack, "create alerts")).toMatchObject([{ dashboardId: id, tileId: tile?.id }]);
  });

  it("is sent without the members that the server refuses when they are empty", async () => {
    const more = { thresholdMax: null, scheduleOffsetMinutes: null, message: "" };
    const { stack } = await imported([board()], [slow([4], board(), more)]);
    const [sent] = bodiesSentTo(stack, "create alerts");
    expect(Object.keys(sent ?? {}).filter((member) => member in more)).toEqual([]);
  });
});

describe("a dashboard", () => {
  it("has the target's sources in tiles, filters, what filters apply to, and clicks", async () => {
    const { tiles = null } = searching(hexId("a", 3));
    const appliesToSourceIds = [hexId("a", 3), hexId("a", 1)];
    const { stack } = await imported([{ ...filtered({ sourceId: hexId("a", 2), appliesToSourceIds }), tiles }]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      {
        tiles: [{ config: { sourceId: targetIds.source, onClick: { target: { id: hexId("b", 3) } } } }],
        filters: [{ sourceId: hexId("b", 2), appliesToSourceIds: [hexId("b", 3), hexId("b", 1)] }],
      },
    ]);
    const [sent] = bodiesSentTo(stack, "create dashboards") as [{ tiles: object[]; filters: object[] }];
    expect([...sent.tiles, ...sent.filters].filter((part) => "id" in part)).toEqual([]);
  });

  it("is written though a filter applies to a source that nobody has any more, and a warning says so", async () => {
    const { run } = await imported([filtered({ appliesToSourceIds: [NOBODY] })]);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(run.plan.warnings).toMatchObject([{ code: "dead-link", pointer: "/filters/0/appliesToSourceIds/0" }]);
  });

  it("keeps references to records of its own stack that are not in the archive", async () => {
    const there = usualTarget({ ...listed, sources: [source(NOBODY, "Elsewhere", hexId("c", 1))] });
    const { stack, run } = await imported([dashboard(hexId("a", 16), "Board", NOBODY)], [], {}, there);
    expect(outcomeOf(run, "Board")).toMatchObject({ action: "create", status: "done" });
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tiles: [{ config: { sourceId: NOBODY } }] }]);
  });
});

describe("a record is blocked for what it references, which the server would refuse:", () => {
  const { channels: _none, ...single } = slow([9]);

  it.each<[string, JsonObject, JsonObject[]]>([
    ["a filter on a source that the target lacks", filtered({ sourceId: GONE_SOURCE }), []],
    ["a filter that applies to one", filtered({ appliesToSourceIds: [GONE_SOURCE] }), []],
    ["a click that searches one", searching(GONE_SOURCE), []],
    ["a tile's source in no archive", dashboard(hexId("a", 16), "Board", NOBODY), []],
    ["an alert whose only channel is a webhook that the target lacks", board(), [single]],
    ["an alert of which the second channel is one", board(), [slow([4, 9])]],
  ])("%s", async (_, body, alerts) => {
    const { run } = await imported([body], alerts);
    const blocked = run.outcomes.flatMap(({ action, code }) => (action === "blocked" ? [code] : []));
    expect([blocked, run.exitCode]).toEqual([["missing-reference"], 3]);
  });
});
