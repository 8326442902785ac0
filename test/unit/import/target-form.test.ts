import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { Crossing, TargetForm } from "../../../src/import/read/target-form.ts";
import { inFormOf } from "../../../src/import/read/target-form.ts";
import { alert, dashboard, hexId, records } from "../../support/stack-records.ts";

const onto = (to: Crossing["to"], more: Partial<Crossing> = {}): Crossing => ({
  from: to === "managed" ? "self-hosted" : "managed",
  to,
  split: false,
  ...more,
});
const board = (more: JsonObject): JsonObject => dashboard(hexId("a", 16), "Board", hexId("a", 1), more);
const tiled = (config: JsonObject): JsonObject => board({ tiles: [{ id: "t", name: "T", config }] });
const busy = alert(hexId("a", 32), "Busy", board({}), hexId("a", 2));
const channels = [2, 3, 4].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
const several = { ...busy, channels };
const formOf = (kind: string, body: JsonObject, crossing: Crossing): TargetForm =>
  inFormOf(records({ [kind]: [body] }), crossing);

describe("an alert on a managed stack", () => {
  it("has its one channel in one member", () => {
    const [form] = formOf("alerts", busy, onto("managed")).records;
    const { channels: _channels, ...single } = busy;
    expect(form).toEqual({ kind: "alerts", id: hexId("a", 32), name: "Busy", body: single });
  });

  it("stays as it is where it has several and that was not asked for", () => {
    const archived = records({ alerts: [several] });
    const { records: kept } = inFormOf(archived, onto("managed"));
    expect(kept[0]).toBe(archived[0]);
    expect(kept).toHaveLength(1);
  });

  it("becomes one for each channel where that is asked for, under ids that the next run makes again", () => {
    const { records: made } = formOf("alerts", several, onto("managed", { split: true }));
    const id = hexId("a", 32);
    expect(made.map((each) => [each.id, each.body["channel"], "channels" in each.body])).toEqual([
      [id, channels[0], false],
      [`${id}#2`, channels[1], false],
      [`${id}#3`, channels[2], false],
    ]);
  });

  it("is one where its only channel is named twice", () => {
    const [first] = channels;
    const twice = { ...busy, channels: [first, first] as JsonObject[] };
    expect(formOf("alerts", twice, onto("managed", { split: true })).records).toHaveLength(1);
  });
});

describe("a record on a self-hosted stack", () => {
  it("keeps its channels, whatever is asked for, and is the very one of the archive", () => {
    const archived = records({ alerts: [several] });
    const { records: kept, withheld } = inFormOf(archived, onto("self-hosted", { split: true }));
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBe(archived[0]);
    expect(withheld.size).toBe(0);
  });
});

describe("members that stacks of the target's variant do not know", () => {
  const limited = tiled({ displayType: "line", seriesLimit: 5 });

  it("are taken out and named, where they say anything", () => {
    const { records: known, withheld } = formOf("dashboards", limited, onto("managed"));
    expect(known[0]?.body).toEqual(tiled({ displayType: "line" }));
    expect([...withheld]).toEqual([[`dashboards/${hexId("a", 16)}`, ["/tiles/0/config/seriesLimit"]]]);
  });

  it("are taken out without a word where they say what is meant without them", () => {
    const counting = { displayType: "line", select: [{ aggFn: "count", valueExpression: "" }] };
    const { records: known, withheld } = formOf("dashboards", tiled(counting), onto("managed"));
    expect(known[0]?.body).toEqual(tiled({ displayType: "line", select: [{ aggFn: "count" }] }));
    expect(withheld.size).toBe(0);
  });

  it("stay where the other kind of stack knows them, or the archive is from one of the same variant", () => {
    for (const crossing of [onto("self-hosted"), onto("managed", { from: "managed" })]) {
      const archived = records({ dashboards: [limited] });
      const { records: kept, withheld } = inFormOf(archived, crossing);
      expect(kept[0]).toBe(archived[0]);
      expect(withheld.size).toBe(0);
    }
  });

  it("are taken out of files that people write, too", () => {
    const crossing: Crossing = { ...onto("managed"), from: undefined };
    expect(formOf("dashboards", limited, crossing).records[0]?.body).toEqual(tiled({ displayType: "line" }));
  });

  it("are not looked for in a record of an unknown kind, or in one that has none", () => {
    for (const [kind, body] of [
      ["gadgets", { id: "g", seriesLimit: 1 }],
      ["dashboards", board({})],
    ] as const) {
      const archived = records({ [kind]: [body] });
      const { records: kept, withheld } = inFormOf(archived, onto("managed"));
      expect(kept[0]).toBe(archived[0]);
      expect(withheld.size).toBe(0);
    }
  });
});
