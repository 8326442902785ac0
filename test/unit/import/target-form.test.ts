import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { StackRecord, Variant } from "../../../src/core/records/record.ts";
import { convertForVariant } from "../../../src/import/transform/transform-records.ts";
import type { Inventory } from "../../../src/matching/inventory.ts";
import { alert, dashboard, hexId, records } from "../../support/stack-records.ts";

/** A stack with these alerts. */
const onto = (variant: Variant, alerts: readonly JsonObject[] = []): Inventory => ({
  stack: { variant, baseUrl: "http://target.test" },
  kinds: new Map([["alerts", { status: "complete", records: records({ alerts }) }]]),
});
const board = (more: JsonObject): JsonObject => dashboard(hexId("a", 16), "Board", hexId("a", 1), more);
const busy = alert(hexId("a", 32), "Busy", board({}), hexId("a", 2));
const channels = [2, 3, 4].map((number) => ({ type: "webhook", webhookId: hexId("a", number) }));
const several = { ...busy, channels };
const formsOf = (body: JsonObject, target: Inventory, split = false): readonly StackRecord[] =>
  convertForVariant(records({ alerts: [body] }), target, split);

describe("an alert on a managed stack", () => {
  it("has its one channel in one member", () => {
    const [form] = formsOf(busy, onto("managed"));
    const { channels: _channels, ...single } = busy;
    expect(form).toEqual({ kind: "alerts", id: hexId("a", 32), name: "Busy", body: single });
  });

  it("stays as it is where it has several and that was not asked for", () => {
    const archived = records({ alerts: [several] });
    const kept = convertForVariant(archived, onto("managed"), false);
    expect(kept[0]).toBe(archived[0]);
    expect(kept).toHaveLength(1);
  });

  it("becomes one for each channel where that is asked for, under ids that the next run makes again", () => {
    const made = formsOf(several, onto("managed"), true);
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
    expect(formsOf(twice, onto("managed"), true)).toHaveLength(1);
  });
});

describe("a record on a stack that takes several channels", () => {
  it.each([
    ["self-hosted", onto("self-hosted")],
    ["managed, as an alert of it shows", onto("managed", [several])],
  ])("keeps its channels, whatever is asked for, and is the very one of the archive: %s", (_, target) => {
    const archived = records({ alerts: [several] });
    const kept = convertForVariant(archived, target, true);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBe(archived[0]);
  });
});
