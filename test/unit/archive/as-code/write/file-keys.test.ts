import { describe, expect, it } from "vitest";
import { labelRecords } from "../../../../../src/archive/as-code/write/file-keys.ts";
import { toCode } from "../../../../../src/archive/as-code/convert-record.ts";
import type { JsonObject } from "../../../../../src/core/json.ts";
import { findKind } from "../../../../../src/kinds/registry.ts";
import { alert, dashboard, hexId, records, source, webhook } from "../../../../support/stack-records.ts";

type Bodies = Readonly<Record<string, readonly JsonObject[]>>;

const LOGS = hexId("c", 1);
const board = (number: number, name: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), name, LOGS, more);

/** Returns the label of each record, by id. */
function labelsOf(byKind: Bodies): Record<string, string | undefined> {
  const { labels } = labelRecords(records(byKind));
  return Object.fromEntries([...labels].map(([key, { label }]) => [key.split("/")[1] ?? "", label]));
}

/** Returns the content of a record's file, in a stack with these records. */
function codeOf(byKind: Bodies, kindName: string, id: string): JsonObject {
  const all = records(byKind);
  const { names } = labelRecords(all);
  const record = all.find((each) => each.kind === kindName && each.id === id);
  const kind = findKind(kindName);
  if (record === undefined || kind === undefined) throw new Error("no such record");
  return toCode(kind, record.body, names);
}

describe("the label of a record in files", () => {
  it("is its name, or a key with a number from 2 if other records have the name", () => {
    const boards = ["x", "y", "z"].map((tag, at) => board(at, "Hosts", { tags: [tag] }));
    const { labels } = labelRecords(records({ dashboards: [...boards, board(9, "Other")] }));
    expect([...labels.values()]).toEqual([
      { slug: "hosts", label: "Hosts" },
      { slug: "hosts-2", label: "hosts-2", key: "hosts-2" },
      { slug: "hosts-3", label: "hosts-3", key: "hosts-3" },
      { slug: "other", label: "Other" },
    ]);
  });

  it("skips a number that makes the name of another record", () => {
    const boards = [board(1, "Hosts", { tags: ["x"] }), board(2, "Hosts", { tags: ["y"] }), board(3, "Hosts 2")];
    expect(labelsOf({ dashboards: boards })).toEqual({
      [hexId("a", 1)]: "Hosts",
      [hexId("a", 2)]: "hosts-3",
      [hexId("a", 3)]: "Hosts 2",
    });
    const four = [...boards, board(4, "Hosts 2", { tags: ["z"] })];
    const all = Object.values(labelsOf({ dashboards: four }));
    expect(new Set(all).size).toBe(4);
  });

  it("is a key if the record has no name or the name of another kind's record", () => {
    const watching = [1, 2].map((number) => alert(hexId("b", number), number === 1 ? null : " ", board(1, "One"), "h"));
    const labels = Object.values(labelsOf({ alerts: watching, dashboards: [board(1, "Alert")] }));
    expect(labels.toSorted((one, other) => ((one ?? "") < (other ?? "") ? -1 : 1))).toEqual([
      "Alert",
      "alert",
      "alert-2",
    ]);
  });

  it("is undefined for a record of an unknown kind", () => {
    expect(labelsOf({ gadgets: [{ id: "g", name: "G" }], dashboards: [board(1, "One")] })).toEqual({
      [hexId("a", 1)]: "One",
    });
  });
});

describe("the order of records of one name", () => {
  const link = (to: number): JsonObject => {
    const config = { displayType: "table", onClick: { type: "dashboard", target: { mode: "id", id: hexId("a", to) } } };
    return { tiles: [{ id: hexId("d", 1), name: "T", x: 0, y: 0, w: 1, h: 1, config }] };
  };
  const text = (markdown: string): JsonObject => ({
    tiles: [{ id: hexId("d", 1), name: "T", x: 0, y: 0, w: 1, h: 1, config: { displayType: "markdown", markdown } }],
  });

  /** Makes the dashboards and alerts of one of two namesakes. Only the mark, A or B, distinguishes the two. */
  type Own = (number: number, mark: string) => { readonly dashboards: JsonObject[]; readonly alerts?: JsonObject[] };
  const hosts = (number: number, more: JsonObject = {}): JsonObject => board(number, "Hosts", more);

  it.each<[string, Own]>([
    ["their names", (at, mark) => ({ dashboards: [board(at, mark === "A" ? "HOSTS" : "Hosts")] })],
    ["their content", (at, mark) => ({ dashboards: [hosts(at, { tags: [mark] })] })],
    [
      "the names of the records that they reference",
      (at, mark) => ({ dashboards: [hosts(at, link(at + 10)), board(at + 10, mark)] }),
    ],
    [
      "the names of the records that they mention, in upper or lower case",
      (at, mark) => {
        const id = hexId("a", at + 10);
        return { dashboards: [hosts(at, text(`see ${mark === "A" ? id : id.toUpperCase()}`)), board(at + 10, mark)] };
      },
    ],
    [
      "which of several records of one name they reference",
      (at, mark) => ({ dashboards: [hosts(at, link(at + 10)), board(at + 10, "Twin", { tags: [mark] })] }),
    ],
  ])("follows %s, whatever their ids", (_, own) => {
    const [one, other] = [1, 2].map((first) => {
      const both = [own(first, "A"), own(3 - first, "B")];
      const labels = labelsOf({
        dashboards: both.flatMap(({ dashboards }) => dashboards),
        alerts: both.flatMap(({ alerts = [] }) => alerts),
      });
      return [labels[hexId("a", first)], labels[hexId("a", 3 - first)]];
    });
    expect(one).toContain("hosts-2");
    expect(other).toEqual(one);
  });

  it("is the order of their ids if nothing else distinguishes them", () => {
    const twins = [2, 1].map((number) => board(number, "Hosts"));
    expect(labelsOf({ dashboards: twins })).toEqual({ [hexId("a", 1)]: "Hosts", [hexId("a", 2)]: "hosts-2" });
    const many = Array.from({ length: 130 }, (_, at) => board(200 - at, "Hosts"));
    const labels = labelsOf({ dashboards: many });
    expect(labels[hexId("a", 71)]).toBe("Hosts");
    expect(labels[hexId("a", 200)]).toBe("hosts-130");
  });

  it("does not depend on the order in which a stack lists them", () => {
    const told = ["x", "y"].map((tag, at) => board(5 + at, "Alike", { tags: [tag] }));
    const boards = [
      ...told,
      board(1, "Ones", link(12)),
      board(2, "Ones", link(11)),
      board(11, "Twins"),
      board(12, "Twins"),
    ];
    const labels = labelsOf({ dashboards: boards });
    expect(labelsOf({ dashboards: boards.toReversed() })).toEqual(labels);
    expect(labels).toMatchObject({
      [hexId("a", 1)]: "Ones",
      [hexId("a", 2)]: "ones-2",
      [hexId("a", 11)]: "Twins",
      [hexId("a", 12)]: "twins-2",
    });
  });

  it("decides the order of records that reference them", () => {
    const boards = [1, 2].map((number) => board(number, "Hosts"));
    const watching = boards.map((on, at) => alert(hexId("b", 9 - at), "Busy", on, "h"));
    expect(labelsOf({ dashboards: boards, alerts: watching })).toMatchObject({
      [hexId("a", 1)]: "Hosts",
      [hexId("b", 9)]: "Busy",
      [hexId("b", 8)]: "busy-2",
    });
  });
});

describe("a reference written to a file", () => {
  const stack: Bodies = {
    sources: [source(LOGS, "Logs", hexId("d", 9))],
    webhooks: [
      webhook(hexId("e", 1), "pager"),
      webhook(hexId("e", 2), "Chat!", "slack"),
      webhook(hexId("e", 3), "chat", "slack"),
    ],
    dashboards: [board(1, "One"), { ...board(2, "Two"), tags: ["t"] }, board(3, "Two")],
  };
  const onBoard = (number: number, hook: string): JsonObject =>
    codeOf({ ...stack, alerts: [alert(hexId("b", 1), "Busy", board(number, ""), hook)] }, "alerts", hexId("b", 1));

  it("is the record's name, its key, or a webhook's service and name", () => {
    expect(onBoard(1, hexId("e", 1))).toMatchObject({
      dashboard: "One",
      tile: "Requests",
      channel: { type: "webhook", webhook: { service: "generic", name: "pager" } },
    });
    expect(onBoard(3, hexId("e", 3))).toMatchObject({ dashboard: "two-2", channel: { webhook: "slack-chat-2" } });
  });

  it("is the id if the stack has no such record", () => {
    expect(onBoard(7, hexId("e", 7))).toMatchObject({
      dashboard: { id: hexId("a", 7) },
      tile: { id: `${"a".repeat(20)}f001` },
      channel: { webhook: { id: hexId("e", 7) } },
    });
  });

  it("is a mention in a text, whatever kind the record has", () => {
    const message = `see ${hexId("a", 3)}, ${hexId("e", 1).toUpperCase()}, ${hexId("a", 9)}`;
    const alerts = [alert(hexId("b", 1), `Busy ${hexId("a", 1)}`, board(1, ""), "", { message })];
    const code = codeOf({ ...stack, alerts }, "alerts", hexId("b", 1));
    expect(code["message"]).toBe(
      `see \${stackferry:dashboards/two-2}, \${stackferry:webhooks/generic/pager}, ${hexId("a", 9)}`,
    );
    // Ids in a name stay, because references use the name.
    expect(code["name"]).toBe(`Busy ${hexId("a", 1)}`);
  });
});
