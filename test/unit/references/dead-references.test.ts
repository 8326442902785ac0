import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { alerts } from "../../../src/kinds/alerts.ts";
import { ReferenceSurvey, deadReferencesOf, findDeadReferences } from "../../../src/references/dead-references.ts";
import { findReferences } from "../../../src/references/references.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../../support/stack-records.ts";

const LOGS = hexId("a", 1);
const HOOK = hexId("a", 2);
const board = dashboard(hexId("a", 16), "Board", LOGS);
const busy = alert(hexId("a", 32), "Busy", board, HOOK);
const stack = {
  dashboards: [board],
  alerts: [busy],
  sources: [source(LOGS, "Logs", "")],
  webhooks: [webhook(HOOK, "p")],
};
const noConnections = (kind: string): boolean => kind !== "connections";
const found = (seen: readonly StackRecord[], isWhole = noConnections): unknown[] =>
  findDeadReferences(seen, isWhole).map(({ name, space, to, pointer, places }) => [name, space, to, pointer, places]);

describe("what records point to", () => {
  it("is not dead where it is there, in whichever case its id is spelt", () => {
    expect(found(records(stack))).toEqual([]);
    const spelt = alert(hexId("a", 32), "Busy", board, HOOK.toUpperCase(), {
      dashboardId: hexId("a", 16).toUpperCase(),
      tileId: `${hexId("a", 16).slice(0, 20)}f001`.toUpperCase(),
    });
    expect(found(records({ ...stack, alerts: [spelt] }))).toEqual([]);
  });

  it("is dead where no record has its id, and is named once with the number of its places", () => {
    expect(found(records({ ...stack, webhooks: [] }))).toEqual([["Busy", "webhooks", HOOK, "/channel/webhookId", 2]]);
    expect(found(records({ ...stack, sources: [] }))).toEqual([
      ["Board", "sources", LOGS, "/tiles/0/config/sourceId", 1],
    ]);
  });

  it("is dead where the record is there and the child of it is not, also when no record has a child", () => {
    const gone = alert(hexId("a", 32), "Busy", board, HOOK, { tileId: hexId("e", 1) });
    const dead = [["Busy", "dashboards/tiles", hexId("e", 1), "/tileId", 1]];
    expect(found(records({ ...stack, alerts: [gone] }))).toEqual(dead);
    expect(found(records({ ...stack, alerts: [gone], dashboards: [{ ...board, tiles: [] }] }))).toEqual(dead);
  });

  it("is a tile of no dashboard where none is named beside it", () => {
    const lone = alert(hexId("a", 32), "Busy", board, HOOK, { dashboardId: null });
    const tile = `${hexId("a", 16).slice(0, 20)}f001`;
    expect(found(records({ ...stack, alerts: [lone] }))).toEqual([["Busy", "dashboards/tiles", tile, "/tileId", 1]]);
    const [declared] = findReferences(alerts, { ...lone, channel: null, channels: [] }, new Map());
    expect(declared).toMatchObject({ space: "dashboards/tiles", id: tile, record: undefined });
  });

  it("is no part of another tile's id", () => {
    const part = alert(hexId("a", 32), "Busy", board, HOOK, { tileId: hexId("a", 16).slice(0, 20) });
    expect(found(records({ ...stack, alerts: [part] }))).toEqual([
      ["Busy", "dashboards/tiles", hexId("a", 16).slice(0, 20), "/tileId", 1],
    ]);
  });

  it("is a tile of the dashboard that is meant, not of another one", () => {
    const other = dashboard(hexId("a", 17), "Other", LOGS, { tiles: [{ id: "one", name: "One" }] });
    const wrong = alert(hexId("a", 32), "Busy", board, HOOK, { tileId: "one" });
    const right = alert(hexId("a", 33), "Right", other, HOOK);
    const seen = records({ ...stack, dashboards: [board, other], alerts: [wrong, right] });
    expect(found(seen)).toEqual([["Busy", "dashboards/tiles", "one", "/tileId", 1]]);
  });

  it("is dead with the dashboard that held it", () => {
    expect(found(records({ ...stack, dashboards: [] }))).toEqual([
      ["Busy", "dashboards", hexId("a", 16), "/dashboardId", 1],
      ["Busy", "dashboards/tiles", `${hexId("a", 16).slice(0, 20)}f001`, "/tileId", 1],
    ]);
  });

  it("is not called dead where not all of its kind was read", () => {
    const dashboardsOnly = records({ dashboards: [board], alerts: [busy] });
    expect(found(dashboardsOnly, (kind) => kind === "dashboards")).toEqual([]);
    expect(found(dashboardsOnly, (kind) => kind === "webhooks")).toHaveLength(1);
    expect(found(records({ alerts: [busy] }), () => false)).toEqual([]);
  });

  it("may be any tile of a dashboard that was left out of the look", () => {
    const survey = new ReferenceSurvey();
    survey.seeId("dashboards", hexId("a", 16));
    for (const record of records({ alerts: [busy], webhooks: stack.webhooks })) survey.see(record);
    expect(survey.dead(noConnections)).toEqual(new Set());
  });

  it("is looked for in the records of known kinds only", () => {
    const unknown = records({ gadgets: [{ id: "g", name: "G", webhookId: HOOK }] });
    expect(found([...unknown, ...records({ ...stack, webhooks: [] })])).toHaveLength(1);
    const [record] = unknown as [StackRecord];
    expect(deadReferencesOf(record, new Set([`webhooks ${HOOK}`]))).toEqual([]);
  });
});
