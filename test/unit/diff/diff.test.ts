import { describe, expect, it } from "vitest";
import { ignoreEvents } from "../../../src/core/events.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { KindStatus } from "../../../src/core/manifest.ts";
import type { DiffRequest, WarnedDiff } from "../../../src/diff/diff-stacks.ts";
import { diffStacks } from "../../../src/diff/diff-stacks.ts";
import { diffMembers } from "../../../src/references/member-changes.ts";
import type { DiffSide } from "../../../src/diff/side.ts";
import { sideOfStack } from "../../../src/diff/side.ts";
import { findKind } from "../../../src/kinds/registry.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { memoryStack } from "../../support/memory-stack.ts";
import { alert, dashboard, hexId, records, source, tileOf, webhook } from "../../support/stack-records.ts";

type Bodies = Readonly<Record<string, readonly JsonObject[]>>;

function side(bodies: Bodies, unread: Readonly<Record<string, KindStatus>> = {}): DiffSide {
  const statuses = Object.keys(bodies).map((kind): [string, KindStatus] => [kind, "complete"]);
  return {
    identity: { variant: "self-hosted", baseUrl: "http://memory.test" },
    records: records(bodies),
    statuses: new Map([...statuses, ...Object.entries(unread)]),
  };
}

function diff(left: DiffSide, right: DiffSide, request: Partial<DiffRequest> = {}): Promise<WarnedDiff> {
  return diffStacks(left, right, { kinds: [], filter: { include: [], exclude: [] }, mapping: {}, ...request });
}

/** A stack whose ids all begin with one letter: two letters make two stacks that say the same. */
function stack(letter: "a" | "b"): { logs: JsonObject; hook: JsonObject; board: JsonObject; busy: JsonObject } {
  const logs = source(hexId(letter, 1), "Logs", hexId(letter, 8));
  const hook = webhook(hexId(letter, 2), "pager");
  const board = dashboard(hexId(letter, 16), "Overview", hexId(letter, 1));
  return { logs, hook, board, busy: alert(hexId(letter, 32), "Busy", board, hexId(letter, 2)) };
}

const a = stack("a");
const b = stack("b");
const whole = (of: typeof a): Bodies => ({
  dashboards: [of.board],
  alerts: [of.busy],
  sources: [of.logs],
  webhooks: [of.hook],
});

describe("two stacks that say the same under other ids", () => {
  it("do not differ", async () => {
    expect(await diff(side(whole(a)), side(whole(b)))).toEqual({ changes: [], same: 4, notCompared: [], warnings: [] });
  });

  it.each([
    ["the left", { ...whole(a) }, "left"],
    ["the right", { ...whole(b) }, "right"],
  ] as const)("do not differ where %s lists no webhooks either, and it says so", async (_, bodies, where) => {
    const { webhooks: _webhooks, ...listed } = bodies;
    const without = side(listed, { webhooks: "not-offered" });
    const found = where === "left" ? await diff(without, side(whole(b))) : await diff(side(whole(a)), without);
    const notCompared = [{ kind: "webhooks", side: where, reason: "not-offered" }];
    expect(found).toEqual({ changes: [], same: 3, notCompared, warnings: [] });
  });

  it("differ in what was changed, named by its pointer and with the right side's ids", async () => {
    const other = { ...b.busy, threshold: 99 };
    const found = await diff(side(whole(a)), side({ ...whole(b), alerts: [other] }));
    expect(found.changes).toEqual([
      {
        kind: "alerts",
        change: "changed",
        name: "Busy",
        leftId: hexId("a", 32),
        rightId: hexId("b", 32),
        members: [{ pointer: "/threshold", change: "changed", from: 10, to: 99 }],
      },
    ]);
  });

  it("need a map file for what has another name, and a wrong one is refused", async () => {
    const renamed = { ...b.logs, name: "Records", from: { databaseName: "default", tableName: "records" } };
    const right = side({ ...whole(b), sources: [renamed] });
    expect((await diff(side(whole(a)), right)).changes.length).toBeGreaterThan(1);
    const mapped = await diff(side(whole(a)), right, { mapping: { sources: { Logs: "Records" } } });
    expect(mapped.changes.map(({ kind, change }) => [kind, change])).toEqual([["sources", "changed"]]);
    await expect(diff(side(whole(a)), right, { mapping: { sources: { Logs: "Recrds" } } })).rejects.toThrow("Recrds");
    const lacking = await diff(side(whole(a)), right, { mapping: { sources: { Logs: "Records", Logz: "Records" } } });
    expect(lacking).toMatchObject({ changes: mapped.changes, warnings: [{ code: "map-entry-unused" }] });
  });
});

describe("two moments of one stack", () => {
  const twoHooks = [a.hook, webhook(hexId("a", 3), "chat")];

  it("differ when the only alert on a webhook goes to another, though no list says so", async () => {
    const moved = alert(hexId("a", 32), "Busy", a.board, hexId("a", 3));
    const unlisted = { webhooks: "not-offered" } as const;
    const bodies = { dashboards: [a.board], sources: [a.logs] };
    const before = side({ ...bodies, alerts: [a.busy] }, unlisted);
    const found = await diff(before, side({ ...bodies, alerts: [moved] }, unlisted));
    const pointers = found.changes.flatMap(({ members }) => members.map(({ pointer }) => pointer));
    expect(pointers).toEqual(["/channels/0/webhookId"]);
    const listed = { ...whole(a), webhooks: twoHooks };
    expect((await diff(side(listed), side({ ...listed, alerts: [moved] }))).changes).toHaveLength(1);
  });

  it("differ when a source gets another connection", async () => {
    const other = { ...a.logs, connection: hexId("a", 9) };
    const found = await diff(side(whole(a)), side({ ...whole(a), sources: [other] }));
    expect(found.changes).toMatchObject([{ kind: "sources", members: [{ pointer: "/connection" }] }]);
  });

  it("tell tiles by their id, so that an alert stays on its tile when two of them swap names", async () => {
    const tile = { config: { displayType: "line", sourceId: hexId("a", 1) }, x: 0, y: 0, w: 6, h: 3 };
    const tiles = (first: string, second: string): JsonObject => ({
      tiles: [
        { ...tile, id: hexId("d", 1), name: first },
        { ...tile, id: hexId("d", 2), name: second },
      ],
    });
    const before = dashboard(hexId("a", 16), "Overview", hexId("a", 1), tiles("One", "Two"));
    const after = dashboard(hexId("a", 16), "Overview", hexId("a", 1), tiles("Two", "One"));
    const watching = alert(hexId("a", 32), "Busy", before, hexId("a", 2));
    expect(tileOf(before)).toBe(hexId("d", 1));
    const found = await diff(
      side({ ...whole(a), dashboards: [before], alerts: [watching] }),
      side({ ...whole(a), dashboards: [after], alerts: [watching] }),
    );
    expect(found.changes.map(({ kind }) => kind)).toEqual(["dashboards"]);
  });

  it("see two records that swapped what they say as two that changed", async () => {
    const named = (number: number, name: string): JsonObject => dashboard(hexId("a", number), name, hexId("a", 1));
    const before = side({ ...whole(a), dashboards: [a.board, named(17, "One"), named(18, "Two")] });
    const after = side({ ...whole(a), dashboards: [a.board, named(17, "Two"), named(18, "One")] });
    const found = (await diff(before, after)).changes;
    expect(found.map(({ leftId, rightId }) => [leftId, rightId])).toEqual([
      [hexId("a", 17), hexId("a", 17)],
      [hexId("a", 18), hexId("a", 18)],
    ]);
  });

  it("name what came, what went, and what nothing tells apart", async () => {
    const twin = (letter: "a" | "b", number: number, tag: string): JsonObject =>
      dashboard(hexId(letter, number), "Twin", hexId(letter, 1), { tags: [tag] });
    const left = side({ ...whole(a), dashboards: [a.board, twin("a", 17, "one"), twin("a", 18, "two")] });
    const right = side({ ...whole(b), dashboards: [b.board, twin("b", 17, "three"), twin("b", 18, "four")] });
    expect((await diff(left, right)).changes).toMatchObject([
      { change: "removed", name: "Twin", ambiguous: true },
      { change: "removed", name: "Twin", ambiguous: true },
      { change: "added", name: "Twin" },
      { change: "added", name: "Twin" },
    ]);
    const { dashboards: _dashboards, ...rest } = whole(b);
    expect((await diff(side(whole(a)), side(rest, { dashboards: "failed" }))).notCompared).toEqual([
      { kind: "dashboards", side: "right", reason: "failed" },
    ]);
  });

  it("call an alert without a name by what it watches, on the side that has it", async () => {
    const unnamed = ({ busy }: typeof a): JsonObject => ({ ...busy, name: "" });
    const without = (of: typeof a): Bodies => ({ ...whole(of), alerts: [] });
    const went = await diff(side({ ...whole(a), alerts: [unnamed(a)] }), side(without(b)));
    const came = await diff(side(without(a)), side({ ...whole(b), alerts: [unnamed(b)] }));
    expect([...went.changes, ...came.changes].map(({ change, displayName }) => [change, displayName])).toEqual([
      ["removed", "on Requests (Overview)"],
      ["added", "on Requests (Overview)"],
    ]);
  });

  it("are compared only in what is selected", async () => {
    const right = side({ ...whole(b), alerts: [{ ...b.busy, threshold: 99 }] });
    const exclude = (name: string): Partial<DiffRequest> => ({ filter: { include: [], exclude: [name] } });
    expect(await diff(side(whole(a)), right, exclude("Bus*"))).toMatchObject({ changes: [], same: 3 });
    expect(await diff(side(whole(a)), right, { kinds: ["sources"] })).toMatchObject({ changes: [], same: 1 });
  });
});

describe("what a stack answers", () => {
  it("is compared without its secrets, and none of them is in the result", async () => {
    const secret = {
      ...b.hook,
      url: "https://hooks.example.com/services/T000/B000/c4naryc4naryc4nary",
      description: "new",
    };
    const live = memoryStack({ ...whole(b), webhooks: [secret] });
    const redact = createRedactor();
    const right = await sideOfStack(live.client, [], redact, { events: ignoreEvents });
    const kind = findKind("webhooks");
    if (!kind) throw new Error("no webhooks");
    const left = side({ ...whole(a), webhooks: [(await redact(kind, a.hook)).body] });
    const found = await diff(left, right);
    expect(found.changes).toMatchObject([
      { kind: "webhooks", members: [{ pointer: "/description", change: "added" }] },
    ]);
    expect(JSON.stringify([found, [...right.records]])).not.toContain("c4nary");
  });
});

describe("diffMembers", () => {
  const kind = findKind("dashboards");
  const tile = (name: string, x = 0): JsonObject => ({
    name,
    x,
    y: 0,
    w: 6,
    h: 3,
    config: { displayType: "markdown", markdown: name },
  });
  const members = (left: JsonObject, right: JsonObject): unknown[] =>
    kind ? diffMembers(kind, left, right).map(({ pointer, change }) => [change, pointer]) : [];

  it("sees one tile more, not every tile changed", () => {
    const [one, two, three] = [tile("1"), tile("2", 6), tile("3", 12)];
    expect(members({ tiles: [two, three] }, { tiles: [one, two, three] })).toEqual([["added", "/tiles/0"]]);
    expect(members({ tiles: [one, two, three] }, { tiles: [one, three] })).toEqual([["removed", "/tiles/1"]]);
    expect(members({ tiles: [one, two] }, { tiles: [two, one] })).toEqual([["moved", "/tiles"]]);
    expect(members({ tiles: [one, two] }, { tiles: [one, { ...two, w: 7 }] })).toEqual([["changed", "/tiles/1/w"]]);
  });

  it("holds items without an identity against what stands in their place", () => {
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
    expect(members({ tags: [] }, {})).toEqual([["removed", "/tags"]]);
    expect(members({ "a/b": 1, c: { d: null } }, { "a/b": 2, c: { d: {} } })).toEqual([
      ["changed", "/a~1b"],
      ["changed", "/c/d"],
    ]);
  });
});
