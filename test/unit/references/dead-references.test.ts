import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { alerts } from "../../../src/kinds/alerts.ts";
import { DeadReferenceFinder, deadReferencesOf } from "../../../src/references/dead-references.ts";
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
const found = (seen: readonly StackRecord[], isWhole = noConnections): unknown[] => {
  const survey = new DeadReferenceFinder();
  for (const record of seen) survey.addRecord(record);
  const dead = survey.findDeadKeys(isWhole);
  return seen
    .flatMap((record) => deadReferencesOf(record, dead))
    .map(({ name, space, to, pointer, places }) => [name, space, to, pointer, places]);
};

describe("a reference between records", () => {
  it("is not dangling if its target was read, in either case of the id", () => {
    expect(found(records(stack))).toEqual([]);
    const spelt = alert(hexId("a", 32), "Busy", board, HOOK.toUpperCase(), {
      dashboardId: hexId("a", 16).toUpperCase(),
      tileId: `${hexId("a", 16).slice(0, 20)}f001`.toUpperCase(),
    });
    expect(found(records({ ...stack, alerts: [spelt] }))).toEqual([]);
  });

  const tile = `${hexId("a", 16).slice(0, 20)}f001`;
  const other = dashboard(hexId("a", 17), "Other", LOGS, { tiles: [{ id: "one", name: "One" }] });
  const watching = (tileId: string) => alert(hexId("a", 32), "Busy", board, HOOK, { tileId });
  const deadTile = (id: string): unknown[] => ["Busy", "dashboards/tiles", id, "/tileId", 1];

  it.each<[string, Partial<typeof stack>, dead: unknown[][]]>([
    [
      "a missing webhook, which is reported once for two places",
      { webhooks: [] },
      [["Busy", "webhooks", HOOK, "/channel/webhookId", 2]],
    ],
    ["a missing source", { sources: [] }, [["Board", "sources", LOGS, "/tiles/0/config/sourceId", 1]]],
    ["a missing tile of an existing dashboard", { alerts: [watching(hexId("e", 1))] }, [deadTile(hexId("e", 1))]],
    [
      "a tile of a dashboard without any",
      { alerts: [watching(tile)], dashboards: [{ ...board, tiles: [] }] },
      [deadTile(tile)],
    ],
    ["a part of a tile's id", { alerts: [watching(tile.slice(0, 20))] }, [deadTile(tile.slice(0, 20))]],
    [
      "a tile of another dashboard",
      { dashboards: [board, other], alerts: [watching("one"), alert(hexId("a", 33), "Right", other, HOOK)] },
      [deadTile("one")],
    ],
    [
      "a missing dashboard, and so is the one to its tile",
      { dashboards: [] },
      [["Busy", "dashboards", hexId("a", 16), "/dashboardId", 1], deadTile(tile)],
    ],
  ])("is dangling if its target is %s", (_, lacking, dead) => {
    expect(found(records({ ...stack, ...lacking }))).toEqual(dead);
  });

  it("to a tile is dangling if the alert names no dashboard", () => {
    const lone = alert(hexId("a", 32), "Busy", board, HOOK, { dashboardId: null });
    expect(found(records({ ...stack, alerts: [lone] }))).toEqual([deadTile(tile)]);
    const [declared] = findReferences(alerts, { ...lone, channel: null, channels: [] }, new Map());
    expect(declared).toMatchObject({ space: "dashboards/tiles", id: tile, record: undefined });
  });

  it("is not dangling if the target's kind was not read completely", () => {
    const dashboardsOnly = records({ dashboards: [board], alerts: [busy] });
    expect(found(dashboardsOnly, (kind) => kind === "dashboards")).toEqual([]);
    expect(found(dashboardsOnly, (kind) => kind === "webhooks")).toHaveLength(1);
    expect(found(records({ alerts: [busy] }), () => false)).toEqual([]);
  });

  it("to a tile is not dangling if the tiles of its dashboard were not surveyed", () => {
    const survey = new DeadReferenceFinder();
    survey.addId("dashboards", hexId("a", 16));
    for (const record of records({ alerts: [busy], webhooks: stack.webhooks })) survey.addRecord(record);
    expect(survey.findDeadKeys(noConnections)).toEqual(new Set());
  });

  it("is checked only in records of a supported kind", () => {
    const unknown = records({ gadgets: [{ id: "g", name: "G", webhookId: HOOK }] });
    expect(found([...unknown, ...records({ ...stack, webhooks: [] })])).toHaveLength(1);
    const [record] = unknown as [StackRecord];
    expect(deadReferencesOf(record, new Set([`webhooks ${HOOK}`]))).toEqual([]);
  });
});
