import { describe, expect, it } from "vitest";
import type { Bodies } from "../support/diff-bodies.ts";
import { askedFor, diffOf, linesOf, sideOf } from "../support/diff-bodies.ts";
import { alert, dashboard, hexId, source, tileOf, webhook } from "../support/stack-records.ts";
import type { JsonObject } from "../support/import-stage.ts";

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

describe("a comparison of two stacks", () => {
  const letter = { left: "a", right: "b" } as const;
  const stack = (side: keyof typeof letter, more: Partial<Record<string, Bodies[string]>> = {}): Bodies => {
    const of = letter[side];
    const one = dashboard(hexId(of, 16), "One", hexId(of, 1));
    const two = dashboard(hexId(of, 17), "Two", hexId(of, 1));
    const whole: Bodies = {
      dashboards: [one, two],
      alerts: [alert(hexId(of, 32), "Busy", one, hexId(of, 2)), alert(hexId(of, 33), "Quiet", two, hexId(of, 2))],
      sources: [source(hexId(of, 1), "Logs", hexId(of, 8))],
      webhooks: [webhook(hexId(of, 2), "pager")],
    };
    return { ...whole, ...(more as Bodies) };
  };
  const reversed = (bodies: Bodies): Bodies =>
    Object.fromEntries(Object.entries(bodies).map(([kind, all]) => [kind, all.toReversed()]));
  const pick = (bodies: Bodies, kind: string, index: number) => bodies[kind]?.[index] ?? {};

  it("counts neither ids nor the order in which records are listed", async () => {
    const left = sideOf(stack("left"));
    expect(await diffOf(left, sideOf(reversed(stack("right"))))).toEqual({
      changes: [],
      same: 6,
      notCompared: [],
      warnings: [],
    });
    expect((await diffOf(sideOf(reversed(stack("left"))), sideOf(stack("right")))).changes).toEqual([]);
  });

  it("names what is only on one side by the id that it has there", async () => {
    const [left, right] = [stack("left"), stack("right")];
    const without = { ...right, alerts: right["alerts"]?.slice(1) ?? [] };
    expect((await diffOf(sideOf(left), sideOf(without))).changes).toEqual([
      { kind: "alerts", change: "removed", name: "Busy", leftId: hexId("a", 32), members: [] },
    ]);
    expect((await diffOf(sideOf(without), sideOf(left))).changes).toEqual([
      { kind: "alerts", change: "added", name: "Busy", rightId: hexId("a", 32), members: [] },
    ]);
    const none = sideOf(Object.fromEntries(Object.keys(left).map((kind) => [kind, []])));
    expect(await diffOf(sideOf(left), none)).toMatchObject({ same: 0, notCompared: [], warnings: [] });
    expect(linesOf(await diffOf(sideOf(left), none))).toHaveLength(6);
    expect(linesOf(await diffOf(none, sideOf(left)))).toHaveLength(6);
    expect(await diffOf(none, none)).toEqual({ changes: [], same: 0, notCompared: [], warnings: [] });
  });

  it("lists changes by kind, then name, each side's own", async () => {
    const extra = (number: number, name: string) => dashboard(hexId("a", number), name, hexId("a", 1));
    const left = stack("left");
    const more = {
      ...left,
      dashboards: [extra(20, "b"), extra(19, "C"), ...(left["dashboards"] ?? []), extra(18, "a")],
    };
    const right = stack("right", { alerts: [] });
    expect(linesOf(await diffOf(sideOf(more), sideOf(right)))).toEqual([
      "- dashboards C",
      "- dashboards a",
      "- dashboards b",
      "- alerts Busy",
      "- alerts Quiet",
    ]);
    expect(linesOf(await diffOf(sideOf(right), sideOf(more))).slice(0, 3)).toEqual([
      "+ dashboards C",
      "+ dashboards a",
      "+ dashboards b",
    ]);
  });

  it("follows a reference to the record that it means: the same is no difference, another one is", async () => {
    const right = stack("right");
    const [one, two] = [pick(right, "dashboards", 0), pick(right, "dashboards", 1)];
    const moved = {
      ...pick(right, "alerts", 0),
      dashboardId: two["id"] ?? null,
      tileId: `${hexId("b", 17).slice(0, 20)}f001`,
    };
    const other = webhook(hexId("b", 3), "chat");
    const found = await diffOf(sideOf(stack("left")), sideOf({ ...right, alerts: [moved, pick(right, "alerts", 1)] }));
    expect(linesOf(found)).not.toEqual([]);
    expect(linesOf(found).every((line) => line.includes("alerts Busy"))).toBe(true);
    const channel = { type: "webhook", webhookId: hexId("b", 3) };
    const toChat = { ...pick(right, "alerts", 0), channel, channels: [channel] };
    const rerouted = await diffOf(
      sideOf(stack("left")),
      sideOf({ ...right, alerts: [toChat, pick(right, "alerts", 1)], webhooks: [...(right["webhooks"] ?? []), other] }),
    );
    expect(linesOf(rerouted)).toEqual(["+ webhooks chat", "~ alerts Busy"]);
    expect(rerouted.changes[1]?.members).toContainEqual(
      expect.objectContaining({ change: "changed", from: hexId("b", 2), to: hexId("b", 3) }),
    );
    expect(one["name"]).toBe("One");
  });

  it("tells of a kind that one side lacks which side, and why; of one that neither has, nothing", async () => {
    const { webhooks: _left, ...left } = stack("left");
    const { webhooks: _right, ...right } = stack("right");
    const found = await diffOf(sideOf(left, { webhooks: "not-requested" }), sideOf(stack("right")));
    expect(found.notCompared).toEqual([{ kind: "webhooks", side: "left", reason: "not-requested" }]);
    expect(found.changes).toEqual([]);
    expect((await diffOf(sideOf(left), sideOf(right))).notCompared).toEqual([]);
    const both = await diffOf(sideOf(left, { webhooks: "not-offered" }), sideOf(right, { webhooks: "failed" }));
    expect(both.notCompared).toEqual([
      { kind: "webhooks", side: "left", reason: "not-offered" },
      { kind: "webhooks", side: "right", reason: "failed" },
    ]);
    const failed = await diffOf(sideOf(left, { webhooks: "failed" }), sideOf(right, { webhooks: "failed" }));
    expect(failed.notCompared).toHaveLength(2);
    expect(failed.same).toBe(5);
  });

  it("compares only what is asked for, a renamed record by either name", async () => {
    const left = stack("left");
    const tiles = { tiles: [{ ...(pick(left, "dashboards", 0)["tiles"] as object[])[0] }] };
    const renamed = { ...pick(left, "dashboards", 0), ...tiles, name: "Uno" };
    const same = sideOf({ ...left, dashboards: [renamed, pick(left, "dashboards", 1)] });
    for (const name of ["One", "Uno"]) {
      const found = await diffOf(sideOf(left), same, {
        kinds: ["dashboards"],
        filter: { include: [name], exclude: [] },
      });
      expect(found.changes).toMatchObject([{ change: "changed", name: "Uno", leftId: hexId("a", 16) }]);
      expect(found.changes[0]?.members).toEqual([{ pointer: "/name", change: "changed", from: "One", to: "Uno" }]);
      expect(found.same).toBe(0);
    }
    const none = await diffOf(sideOf(left), same, { filter: { include: ["Two"], exclude: [] } });
    expect(none).toMatchObject({ changes: [], same: 1 });
  });

  it("does not call a pipe removed that a stack was not asked for", async () => {
    const pipe = (id: string) => ({ id, name: `Pipe ${id}` });
    const left = sideOf({ pipes: [pipe("p1"), pipe("p2")] });
    const right = sideOf({ pipes: [pipe("p2")] });
    expect(linesOf(await diffOf(left, right))).toEqual(["- pipes Pipe p1"]);
    expect(linesOf(await diffOf(left, askedFor(right, "p1", "p2")))).toEqual(["- pipes Pipe p1"]);
    expect(linesOf(await diffOf(left, askedFor(right, "p2")))).toEqual([]);
    expect(linesOf(await diffOf(right, left))).toEqual(["+ pipes Pipe p1"]);
    expect(linesOf(await diffOf(askedFor(right, "p2"), left))).toEqual([]);
  });

  it("does not count what the server adds or keeps for itself", async () => {
    const [left, right] = [stack("left"), stack("right")];
    const stamped = { ...pick(right, "dashboards", 0), createdAt: "2026-01-01", updatedAt: "2026-01-02", teamId: "t" };
    const firing = { ...pick(right, "alerts", 0), state: "ALERT", updatedAt: "2026-01-02" };
    const found = await diffOf(
      sideOf(left),
      sideOf({
        ...right,
        dashboards: [stamped, pick(right, "dashboards", 1)],
        alerts: [firing, pick(right, "alerts", 1)],
      }),
    );
    expect(found).toMatchObject({ changes: [], same: 6 });
  });

  it("tells every member that differs, added, removed, changed and moved", async () => {
    const [left, right] = [stack("left"), stack("right")];
    const tile = (name: string, x: number) => ({
      id: `${name}${x}`,
      name,
      x,
      y: 0,
      w: 6,
      h: 3,
      config: { displayType: "markdown", markdown: name },
    });
    const before = {
      ...pick(left, "dashboards", 0),
      tiles: [tile("A", 0), tile("B", 6)],
      savedQuery: "a:b",
      tags: ["x"],
    };
    const after = { ...pick(right, "dashboards", 0), tiles: [tile("B", 6), tile("A", 0)], tags: ["x", "y"] };
    const found = await diffOf(
      sideOf({ ...left, dashboards: [before], alerts: [] }),
      sideOf({ ...right, dashboards: [after], alerts: [] }),
    );
    expect(found.changes).toMatchObject([{ name: "One", rightId: hexId("b", 16) }]);
    expect(found.changes[0]?.members).toEqual([
      { pointer: "/savedQuery", change: "removed", from: "a:b" },
      { pointer: "/tags/1", change: "added", to: "y" },
    ]);
    const reordered = await diffOf(
      sideOf({ ...left, dashboards: [before], alerts: [] }),
      sideOf({ ...right, dashboards: [{ ...after, savedQuery: "a:b", tags: ["x"] }], alerts: [] }),
    );
    expect(reordered.changes[0]?.members).toEqual([{ pointer: "/tiles", change: "moved" }]);
  });
});

describe("what is told apart in a comparison", () => {
  const twoHooks = [a.hook, webhook(hexId("a", 3), "chat")];

  it("counts as the same what both sides show without the webhooks that one of them does not list", async () => {
    for (const [left, right] of [
      [a, b],
      [b, a],
    ] as const) {
      const { webhooks: _webhooks, ...listed } = whole(left);
      const found = await diffOf(sideOf(listed, { webhooks: "not-offered" }), sideOf(whole(right)));
      expect(found).toMatchObject({ changes: [], same: 3, warnings: [] });
    }
  });

  it("need a map file for what has another name, and a wrong one is refused", async () => {
    const renamed = { ...b.logs, name: "Records", from: { databaseName: "default", tableName: "records" } };
    const right = sideOf({ ...whole(b), sources: [renamed] });
    expect((await diffOf(sideOf(whole(a)), right)).changes.length).toBeGreaterThan(1);
    const mapped = await diffOf(sideOf(whole(a)), right, { mapping: { sources: { Logs: "Records" } } });
    expect(mapped.changes.map(({ kind, change }) => [kind, change])).toEqual([["sources", "changed"]]);
    await expect(diffOf(sideOf(whole(a)), right, { mapping: { sources: { Logs: "Recrds" } } })).rejects.toThrow(
      "Recrds",
    );
    const lacking = await diffOf(sideOf(whole(a)), right, {
      mapping: { sources: { Logs: "Records", Logz: "Records" } },
    });
    expect(lacking).toMatchObject({ changes: mapped.changes, warnings: [{ code: "map-entry-unused" }] });
  });

  it("differ when the only alert on a webhook goes to another, though no list says so", async () => {
    const moved = alert(hexId("a", 32), "Busy", a.board, hexId("a", 3));
    const unlisted = { webhooks: "not-offered" } as const;
    const bodies = { dashboards: [a.board], sources: [a.logs] };
    const before = sideOf({ ...bodies, alerts: [a.busy] }, unlisted);
    const found = await diffOf(before, sideOf({ ...bodies, alerts: [moved] }, unlisted));
    const pointers = found.changes.flatMap(({ members }) => members.map(({ pointer }) => pointer));
    expect(pointers).toEqual(["/channels/0/webhookId"]);
    const listed = { ...whole(a), webhooks: twoHooks };
    expect((await diffOf(sideOf(listed), sideOf({ ...listed, alerts: [moved] }))).changes).toHaveLength(1);
  });

  it("differ when a source gets another connection", async () => {
    const other = { ...a.logs, connection: hexId("a", 9) };
    const found = await diffOf(sideOf(whole(a)), sideOf({ ...whole(a), sources: [other] }));
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
    const found = await diffOf(
      sideOf({ ...whole(a), dashboards: [before], alerts: [watching] }),
      sideOf({ ...whole(a), dashboards: [after], alerts: [watching] }),
    );
    expect(found.changes.map(({ kind }) => kind)).toEqual(["dashboards"]);
  });

  it("see two records that swapped what they say as two that changed", async () => {
    const named = (number: number, name: string): JsonObject => dashboard(hexId("a", number), name, hexId("a", 1));
    const before = sideOf({ ...whole(a), dashboards: [a.board, named(17, "One"), named(18, "Two")] });
    const after = sideOf({ ...whole(a), dashboards: [a.board, named(17, "Two"), named(18, "One")] });
    const found = (await diffOf(before, after)).changes;
    expect(found.map(({ leftId, rightId }) => [leftId, rightId])).toEqual([
      [hexId("a", 17), hexId("a", 17)],
      [hexId("a", 18), hexId("a", 18)],
    ]);
  });

  it("name what came, what went, and what nothing tells apart", async () => {
    const twin = (letter: "a" | "b", number: number, tag: string): JsonObject =>
      dashboard(hexId(letter, number), "Twin", hexId(letter, 1), { tags: [tag] });
    const left = sideOf({ ...whole(a), dashboards: [a.board, twin("a", 17, "one"), twin("a", 18, "two")] });
    const right = sideOf({ ...whole(b), dashboards: [b.board, twin("b", 17, "three"), twin("b", 18, "four")] });
    expect((await diffOf(left, right)).changes).toMatchObject([
      { change: "removed", name: "Twin", ambiguous: true },
      { change: "removed", name: "Twin", ambiguous: true },
      { change: "added", name: "Twin" },
      { change: "added", name: "Twin" },
    ]);
    const { dashboards: _dashboards, ...rest } = whole(b);
    expect((await diffOf(sideOf(whole(a)), sideOf(rest, { dashboards: "failed" }))).notCompared).toEqual([
      { kind: "dashboards", side: "right", reason: "failed" },
    ]);
  });

  it("call an alert without a name by what it watches, on the side that has it", async () => {
    const unnamed = ({ busy }: typeof a): JsonObject => ({ ...busy, name: "" });
    const without = (of: typeof a): Bodies => ({ ...whole(of), alerts: [] });
    const went = await diffOf(sideOf({ ...whole(a), alerts: [unnamed(a)] }), sideOf(without(b)));
    const came = await diffOf(sideOf(without(a)), sideOf({ ...whole(b), alerts: [unnamed(b)] }));
    expect([...went.changes, ...came.changes].map(({ change, displayName }) => [change, displayName])).toEqual([
      ["removed", "on Requests (Overview)"],
      ["added", "on Requests (Overview)"],
    ]);
  });

  it("leaves out what is excluded", async () => {
    const right = sideOf({ ...whole(b), alerts: [{ ...b.busy, threshold: 99 }] });
    const filter = { include: [], exclude: ["Bus*"] };
    expect(await diffOf(sideOf(whole(a)), right, { filter })).toMatchObject({ changes: [], same: 3 });
  });
});
