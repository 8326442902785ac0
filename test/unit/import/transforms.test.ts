import { describe, expect, it } from "vitest";
import type { Transforms } from "../../../src/core/plan/plan.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { StackRecord } from "../../../src/core/records/record.ts";
import { NO_TRANSFORM_NOTES, transformRecords, transformsBetween } from "../../../src/import/transforms.ts";
import { alert, dashboard, hexId, records, source, archiveIds } from "../../support/stack-records.ts";

const everything = { include: [], exclude: [] };
const logs = hexId("a", 1);
const board = (number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), name, logs, more);
const on = (number: number, name: string | null, body: JsonObject, more: JsonObject = {}): JsonObject =>
  alert(hexId("a", number), name, body, archiveIds.webhook, more);
const keyOf = (kind: string, number: number): string => `${kind}/${hexId("a", number)}`;

/** Transforms a dashboard. Returns the record before and after, and the changes and warnings. */
function transformed(body: JsonObject, transforms: Transforms) {
  const [record] = records({ dashboards: [body] });
  const {
    records: made,
    changes,
    ...rest
  } = transformRecords(record === undefined ? [] : [record], transforms, everything);
  return { ...rest, record: made[0], before: record, changes: [...changes.values()].flat() };
}

describe("a record that no transform rule matches", () => {
  it("is returned as the same object, without changes and warnings", () => {
    const { record, before, changes, warnings, formerNames } = transformed(board(16, "One", { tags: ["kept"] }), {
      rename: [{ from: "Two", to: "Zwei" }],
      tags: { set: ["kept"], drop: ["gone"] },
      replace: [{ from: "nowhere", to: "somewhere" }],
    });
    expect(record).toBe(before);
    expect([changes, warnings, [...formerNames]]).toEqual([[], [], []]);
  });

  it("may be of an unknown kind", () => {
    const widget: StackRecord = { kind: "widgets", id: "w", name: "One", body: { id: "w", name: "One" } };
    const { records: made, leftOutNames } = transformRecords(
      [widget],
      { rename: [{ from: "*", to: "x *" }] },
      everything,
    );
    expect(made).toEqual([widget]);
    expect(leftOutNames.size).toBe(0);
  });

  it("is returned if there are no transforms, and transforms do not apply within one stack", () => {
    const all = records({ dashboards: [board(16, "One")] });
    const filter = { include: ["One"], exclude: [] };
    expect(transformRecords(all, undefined, filter)).toEqual({
      ...NO_TRANSFORM_NOTES,
      records: all,
      filter,
      warnings: [],
    });
    const [here, there] = (["http://here", "http://there"] as const).map((baseUrl) => ({
      variant: "self-hosted" as const,
      baseUrl,
    }));
    if (here === undefined || there === undefined) throw new Error("two stacks");
    expect(transformsBetween(here, here, { rename: [] })).toBeUndefined();
    expect(transformsBetween(here, there, { rename: [] })).toEqual({ rename: [] });
  });
});

describe("a rename rule", () => {
  it("applies to records of its kind, or to every kind if it names none", () => {
    const one = board(16, "One");
    const rename = [
      { kind: "alerts", from: "One", to: "Eins" },
      { from: "One", to: "Uno" },
    ] as const;
    const { records: made, formerNames } = transformRecords(
      records({ dashboards: [one], alerts: [on(32, "One", one)] }),
      { rename },
      everything,
    );
    expect(made.map(({ name, body }) => [name, body["name"]])).toEqual([
      ["Uno", "Uno"],
      ["Eins", "Eins"],
    ]);
    expect([...formerNames]).toEqual([
      [keyOf("dashboards", 16), "One"],
      [keyOf("alerts", 32), "One"],
    ]);
  });

  it("renames no alert without a name and no source", () => {
    const rename = [{ from: "*", to: "x*" }];
    const one = board(16, "One");
    const all = records({
      alerts: [on(32, null, one), on(33, "", one)],
      sources: [source(logs, "Logs", hexId("c", 1))],
    });
    expect(transformRecords(all, { rename }, everything).records).toEqual(all);
  });
});

describe("tags", () => {
  it.each([
    ["are set and dropped", ["a", "b"], { set: ["c"], drop: ["a"] }, ["b", "c"], "+ c, - a"],
    ["that are set are not dropped", ["a", "b"], { set: ["a"], drop: ["*"] }, ["a"], "- b"],
    ["are set behind those that are there", ["a"], { set: ["c", "d"] }, ["a", "c", "d"], "+ c, + d"],
    ["are dropped by a pattern", ["team-a", "team-b", "team"], { drop: ["team-*"] }, ["team"], "- team-a, - team-b"],
    ["are set where there are none", [], { set: ["c"] }, ["c"], "+ c"],
    ["are set where the member is null", null, { set: ["c"] }, ["c"], "+ c"],
    ["that are no text stay", [7, "a"], { drop: ["*"] }, [7], "- a"],
  ] as const)("%s", (_rule, tags, rules, expected, change) => {
    const { record, changes } = transformed(board(16, "One", { tags: tags === null ? null : [...tags] }), {
      tags: rules,
    });
    expect(record?.body["tags"]).toEqual(expected);
    expect(changes).toEqual([{ pointer: "/tags", change }]);
  });

  it("are not added to alerts, which have no tags", () => {
    const all = records({ alerts: [on(32, "Busy", board(16, "One"))] });
    const { records: made, changes } = transformRecords(all, { tags: { set: ["c"], drop: ["*"] } }, everything);
    expect([made, changes.size]).toEqual([all, 0]);
  });
});

describe("text replacement", () => {
  const noted = (...texts: string[]): JsonObject =>
    board(16, "One", {
      tiles: texts.map((markdown, index) => ({
        id: hexId("e", index),
        name: "Notes",
        config: { displayType: "markdown", markdown },
      })),
    });
  const textsOf = (record: StackRecord | undefined): unknown[] =>
    ((record?.body["tiles"] ?? []) as { config: { markdown: string } }[]).map(({ config }) => config.markdown);

  it("changes every matching text, and lists for each place the rules that changed it", () => {
    const replace = [
      { from: "prod", to: "lab" },
      { from: "eu", to: "us" },
      { from: "never", to: "x" },
    ];
    const { record, changes } = transformed(noted("prod eu", "none", "eu"), { replace });
    expect(textsOf(record)).toEqual(["lab us", "none", "us"]);
    expect(changes).toEqual([
      { pointer: "/tiles/0/config/markdown", change: '"lab" for "prod", "us" for "eu"' },
      { pointer: "/tiles/2/config/markdown", change: '"us" for "eu"' },
    ]);
  });

  it("warns of a text that it cannot change, and changes the others", () => {
    const text = `${hexId("d", 1)}/x`;
    const { record, changes, warnings } = transformed(noted(text, "a/b"), { replace: [{ from: "/", to: "-" }] });
    expect(textsOf(record)).toEqual([text, "a-b"]);
    expect(changes).toHaveLength(1);
    expect(warnings).toMatchObject([{ code: "unused", pointer: "/tiles/0/config/markdown" }]);
  });
});

describe("a record that leaveOut matches", () => {
  const one = board(16, "One");
  const all = records({ dashboards: [one], alerts: [on(32, "Page: a", one), on(33, "Busy", one)] });
  const rules = { leaveOut: { alerts: ["Page: *"] }, rename: [{ from: "*", to: "x *" }] } as const;

  it("is not transformed, and is listed under its name and the name that a rename rule would give it", () => {
    const { records: made, leftOut, leftOutNames, changes, formerNames } = transformRecords(all, rules, everything);
    expect(made.map(({ name }) => name)).toEqual(["x One", "Page: a", "x Busy"]);
    expect([...leftOut]).toEqual([keyOf("alerts", 32)]);
    expect([...leftOutNames].toSorted()).toEqual(["alerts Page: a", "alerts x Page: a"]);
    expect([...changes.keys()]).toEqual([keyOf("dashboards", 16), keyOf("alerts", 33)]);
    expect([...formerNames.keys()]).toEqual([keyOf("dashboards", 16), keyOf("alerts", 33)]);
  });

  it("is no part of a name collision", () => {
    const same = records({ alerts: [on(32, "Page: a", one), on(33, "a", one)] });
    const rename = [{ from: "a", to: "Page: a" }];
    expect(transformRecords(same, { leaveOut: rules.leaveOut, rename }, everything).collisions.size).toBe(0);
    expect(transformRecords(same, { rename }, everything).collisions.size).toBe(2);
  });
});

describe("records that rename rules give the same name", () => {
  const five = ["A1", "A2", "A3", "A4", "A5"];
  const all = records({ dashboards: five.map((name, index) => board(16 + index, name)) });

  it("are all reported, with three of their names and the count of the rest", () => {
    const { collisions } = transformRecords(all, { rename: [{ from: "A*", to: "A" }] }, everything);
    expect([...collisions.keys()]).toEqual(five.map((_, index) => keyOf("dashboards", 16 + index)));
    for (const message of collisions.values()) expect(message).toContain('"A1", "A2", "A3", 2 more the same name, "A"');
    const three = transformRecords(all.slice(0, 3), { rename: [{ from: "A*", to: "A" }] }, everything);
    expect([...three.collisions.values()][0]).toContain('"A1", "A2", "A3" the same name');
  });

  it("are both reported if only one of them was renamed", () => {
    const { collisions } = transformRecords(all, { rename: [{ from: "A1", to: "A2" }] }, everything);
    expect([...collisions.keys()]).toEqual([keyOf("dashboards", 16), keyOf("dashboards", 17)]);
  });

  it("are not reported if they are alerts on different dashboards", () => {
    const alerts = records({ alerts: [on(32, "A1", board(16, "One")), on(33, "A2", board(17, "Two"))] });
    const apart = alerts.map((record, index) => ({
      ...record,
      body: { ...record.body, tileId: hexId("e", index) },
    }));
    expect(transformRecords(apart, { rename: [{ from: "A*", to: "A" }] }, everything).collisions.size).toBe(0);
  });

  it("are not reported if they had the same name before", () => {
    const twins = records({ dashboards: [board(16, "One"), board(17, "One"), board(18, "Two")] });
    expect(transformRecords(twins, { tags: { set: ["c"] } }, everything).collisions.size).toBe(0);
    expect(transformRecords(twins, { rename: [{ from: "One", to: "Uno" }] }, everything).collisions.size).toBe(0);
  });
});

describe("a filter on records that are renamed", () => {
  const all = records({ dashboards: [board(16, "One"), board(17, "Two"), board(18, "Three")] });
  const rename = [{ from: "T*", to: "x T*" }];

  it("is extended by the ids of the renamed records that it selects by their old names", () => {
    const filter = { include: ["T*", "One"], exclude: ["Three"] };
    expect(transformRecords(all, { rename }, filter).filter).toEqual({
      include: ["T*", "One", hexId("a", 17), hexId("a", 18)],
      exclude: ["Three", hexId("a", 18)],
    });
    expect(transformRecords(all, { rename }, everything).filter).toEqual(everything);
  });
});
