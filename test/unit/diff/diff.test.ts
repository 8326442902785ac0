import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../src/core/events.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { diffStacks } from "../../../src/diff/diff-stacks.ts";
import { sideOfStack } from "../../../src/diff/side.ts";
import { dashboards } from "../../../src/kinds/dashboards.ts";
import { webhooks } from "../../../src/kinds/webhooks.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { changedMembers } from "../../support/changed-members.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records, webhook, archiveIds } from "../../support/stack-records.ts";

it("the comparison of a stack with an archive redacts the stack's records, and its result has no secret", async () => {
  const hook = webhook(archiveIds.webhook, "pager");
  const url = "https://hooks.example.com/services/T000/B000/c4naryc4naryc4nary";
  const { client } = memoryStack({ webhooks: [{ ...hook, url, description: "new" }] });
  const redact = createRedactor();
  const right = await sideOfStack(client, redact, { events: ignoreEvents });
  const archived = records({ webhooks: [(await redact(webhooks, hook)).body] });
  const left = { identity: client.identity, records: archived, statuses: new Map([["webhooks", "complete"] as const]) };
  const found = await diffStacks(left, right, { kinds: [], filter: { include: [], exclude: [] }, mapping: {} });
  expect(found.changes).toMatchObject([{ kind: "webhooks", members: [{ pointer: "/description", change: "added" }] }]);
  expect(JSON.stringify([found, [...right.records]])).not.toContain("c4nary");
});

it("a stack's side of a comparison holds the listed records, also of a kind that no import writes", async () => {
  const pipes = ["p1", "p2"].map((id) => ({ id, name: `Pipe ${id}` }));
  const { client } = memoryStack({ alerts: [], dashboards: [dashboard(hexId("a", 16), "One", "")], pipes }, "managed");
  const side = await sideOfStack(client, createRedactor(), { events: ignoreEvents });
  expect(side.records.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "dashboards One",
    "pipes Pipe p1",
    "pipes Pipe p2",
  ]);
  expect([side.statuses.get("dashboards"), side.statuses.get("pipes")]).toEqual(["complete", "complete"]);
});

describe("a drawing of changes", () => {
  const tile = (name: string, x = 0): JsonObject => ({
    id: name,
    name,
    x,
    y: 0,
    w: 6,
    h: 3,
    config: { displayType: "markdown", markdown: name },
  });
  const members = (left: JsonObject, right: JsonObject): unknown[] =>
    changedMembers(dashboards, left, right).map(({ pointer, change }) => [change, pointer]);

  it("reports one added or removed tile, not every tile as changed, and no order of tiles", () => {
    const [one, two, three] = [tile("1"), tile("2", 6), tile("3", 12)];
    expect(members({ tiles: [two, three] }, { tiles: [one, two, three] })).toEqual([["added", "/tiles/0"]]);
    expect(members({ tiles: [one, two, three] }, { tiles: [one, three] })).toEqual([["removed", "/tiles/1"]]);
    expect(members({ tiles: [one, two] }, { tiles: [two, one] })).toEqual([]);
    expect(members({ tiles: [one, two] }, { tiles: [one, { ...two, w: 7 }] })).toEqual([["changed", "/tiles/1/w"]]);
  });

  it("compares items without an identity by their position", () => {
    expect(members({ tags: ["a", "b"] }, { tags: ["a", "c"] })).toEqual([["changed", "/tags/1"]]);
    expect(members({ tags: ["a", "b"] }, { tags: ["c", "d"] })).toEqual([
      ["changed", "/tags/0"],
      ["changed", "/tags/1"],
    ]);
    expect(members({ tags: ["a", "b", "c"] }, { tags: ["d"] })).toEqual([
      ["changed", "/tags/0"],
      ["removed", "/tags/1"],
      ["removed", "/tags/2"],
    ]);
    expect(members({ tags: ["a"] }, { tags: ["a", "b"] })).toEqual([["added", "/tags/1"]]);
    expect(members({ tags: ["a"] }, {})).toEqual([["removed", "/tags"]]);
    expect(members({ tags: [] }, {})).toEqual([]);
    expect(members({ "a/b": 1, c: { d: 1 } }, { "a/b": 2, c: { d: [1] } })).toEqual([
      ["changed", "/a~1b"],
      ["changed", "/c/d"],
    ]);
  });
});
