import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { compareStored } from "../../../src/import/unknown-members.ts";
import { alerts } from "../../../src/kinds/alerts.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";

const [on, off] = [
  { type: "webhook", webhookId: "6b00000000000000000000a1" },
  { type: "webhook", webhookId: "6b00000000000000000000a2" },
];
const pointers = (kind: typeof alerts, sent: JsonObject, stored: JsonObject): (string | undefined)[] =>
  compareStored(kind, "a", sent, stored).map(({ pointer }) => pointer);

describe("what a stack stored, against what was sent", () => {
  it("is as it was sent where only what the server adds is more", () => {
    const sent = { name: "a", tiles: [{ name: "t", config: { where: "", sourceId: "6B00000000000000000000A1" } }] };
    const config = { sourceId: "6b00000000000000000000a1", fillNulls: true, added: 1 };
    const stored = { id: "x", name: "a", tiles: [{ id: "y", name: "t", config }] };
    expect(pointers(dashboards, sent, stored)).toEqual([]);
  });

  it("names a member that was dropped or changed", () => {
    const sent = { name: "a", tiles: [{ name: "t", config: { query: "q", unit: "ms" } }] };
    expect(pointers(dashboards, sent, { name: "a", tiles: [{ name: "t", config: { unit: "s" } }] })).toEqual([
      "/tiles/0/config/query",
      "/tiles/0/config/unit",
    ]);
  });

  it("counts another channel of an alert as a change, though all that was sent is there", () => {
    expect(pointers(alerts, { name: "a", channel: on }, { name: "a", channel: on, channels: [on] })).toEqual([]);
    expect(pointers(alerts, { name: "a", channel: on }, { name: "a", channel: on, channels: [on, off] })).toEqual([
      "/channels",
    ]);
  });

  it("tells an empty list in a list from nothing", () => {
    expect(pointers(dashboards, { name: "a", rows: [[]] }, { name: "a", rows: [null] })).toEqual(["/rows/0"]);
  });
});
