import { describe, expect, it } from "vitest";
import {
  arrangeChildren,
  arrangeChildrenLike,
  childName,
  listChildren,
  childReference,
  plainName,
} from "../../../../src/archive/as-code/plain-names.ts";
import { replaceIdsByMentions, replaceMentionsByIds } from "../../../../src/archive/as-code/reference-members.ts";
import { fileSlug, labelRecords } from "../../../../src/archive/as-code/write/file-keys.ts";
import { pairByLabel } from "../../../../src/archive/as-code/read/open-code.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import type { StackRecord } from "../../../../src/core/records/record.ts";
import { recordKey } from "../../../../src/core/records/record.ts";
import { alerts } from "../../../../src/kinds/alerts.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";
import { sources } from "../../../../src/kinds/sources.ts";
import { dashboard, hexId, records, source, webhook } from "../../../support/stack-records.ts";

const tile = (name: string, x: number, y: number): JsonObject => ({ id: `id-${name}-${x}-${y}`, name, x, y });
const board = (...tiles: JsonObject[]): JsonObject => ({ name: "Board", tiles });
const TILES = "dashboards/tiles";

describe("the tiles of a dashboard", () => {
  const [top, right, below] = [tile("A", 0, 0), tile("B", 6, 0), tile("C", 0, 3)];

  it("are written from the top to the bottom, and in a row from the left", () => {
    expect(arrangeChildren(dashboards, board(below, right, top))).toEqual(board(top, right, below));
    const [one, two] = [tile("1", 0, 0), tile("2", 0, 0)];
    expect(arrangeChildren(dashboards, board(two, one))).toEqual(board(two, one));
  });

  it("are put in the order that the target has them in, rank by rank, where there are as many", () => {
    const theirs = board(tile("c", 0, 9), tile("a", 0, 1), tile("b", 0, 5));
    expect(arrangeChildrenLike(dashboards, board(top, right, below), theirs)).toEqual(board(below, top, right));
    const fewer = board(top, right);
    expect(arrangeChildrenLike(dashboards, fewer, theirs)).toBe(fewer);
    const none = { name: "Board" };
    expect(arrangeChildrenLike(dashboards, none, theirs)).toBe(none);
    expect(arrangeChildrenLike(dashboards, fewer, none)).toBe(fewer);
  });

  it("of kinds without an order stay as they are", () => {
    const body = { tiles: [below, top] };
    expect(arrangeChildren(alerts, body)).toBe(body);
    expect(arrangeChildrenLike(alerts, body, { tiles: [top, below] })).toBe(body);
  });

  it("are called by their name, and by their place from 1 where that is empty or not the only one", () => {
    const body = board(below, right, top, tile("B", 9, 9), tile(" ", 10, 10));
    const called = listChildren(TILES, body).map(({ id }) => childName(TILES, body, id));
    expect(called).toEqual(["C", 2, "A", 4, 5]);
    expect(childName(TILES, body, "none")).toBeUndefined();
    expect(listChildren("dashboards/other", body)).toEqual([]);
    expect(listChildren("none/tiles", body)).toEqual([]);
    expect(listChildren(TILES, { tiles: "x" })).toEqual([]);
    expect(listChildren(TILES, { tiles: [{ name: "N" }, 7] })).toEqual([
      { id: "", name: "N" },
      { id: "", name: "" },
    ]);
  });

  it("stand for themselves where their dashboard is not there, and for nothing without one", () => {
    const [record] = records({ dashboards: [{ id: "o", ...board(top) }] }) as [StackRecord];
    const byKey = new Map([[recordKey("dashboards", "o"), record]]);
    expect(childReference(TILES, String(top["id"]), "o", byKey)).toBe("A");
    expect(childReference(TILES, "none", "o", byKey)).toEqual({ id: "none" });
    expect(childReference(TILES, "none", "p", byKey)).toEqual({ id: "none" });
    expect(childReference(TILES, String(top["id"]), undefined, byKey)).toBeUndefined();
  });
});

describe("what a record is called", () => {
  it("is its name, or all that names it", () => {
    expect(plainName({ kind: "dashboards", body: { name: "N" } })).toBe("N");
    expect(plainName({ kind: "webhooks", body: webhook("h", "pager", "slack") })).toBe("slack/pager");
    expect(plainName({ kind: "webhooks", body: { name: "pager" } })).toBe("/pager");
    expect(plainName({ kind: "none", body: { name: "N" } })).toBe("");
  });
});

describe("mentions of other records in a text", () => {
  const id = hexId("a", 1);
  const name = (of: string) => (text: string) => replaceIdsByMentions(text, (found) => (found === id ? of : undefined));
  const find = (of: string) => (label: string) => (label === of ? "found" : undefined);

  it.each([
    "dashboards/Latency",
    "dashboards/50 % {of} $all",
    "dashboards/a\nb\u0007",
    "dashboards/=",
    "dashboards/%007d",
  ])("take the id's place and are found again: %j", (label) => {
    const text = name(label)(`see ${id.toUpperCase()}, ${hexId("b", 1)}`);
    expect(text).not.toContain(id.toUpperCase());
    expect(replaceMentionsByIds(text, find(label))).toBe(`see found, ${hexId("b", 1)}`);
  });

  it("are left where nothing has that name", () => {
    const text = "${stackferry:dashboards/Gone} and ${stackferry:open";
    expect(replaceMentionsByIds(text, () => undefined)).toBe(text);
  });

  it("are no texts that only look like one", () => {
    const text = "literal ${stackferry:x} ${stackferry:=} ${stackferry:";
    const written = name("dashboards/x")(text);
    expect(written).not.toBe(text);
    expect(replaceMentionsByIds(written, () => "wrong")).toBe(text);
  });
});

describe("the name of a file", () => {
  it.each([
    ["Checkout latency", "checkout-latency"],
    ["Übersicht: Kosten/Monat", "ubersicht-kosten-monat"],
    ["../../etc/passwd", "etc-passwd"],
    ["漢字 🎉", "漢字"],
    ["e\u0301tat", "etat"],
    ["CON", "con-a-b"],
    ["", "a-b"],
    ["🎉", "a-b"],
    ["a\nb", "a-b"],
    ["com1", "com1-a-b"],
    ["LPT9", "lpt9-a-b"],
    ["console", "console"],
    ["xcon", "xcon"],
    ["-- a --", "a"],
    ["?!", "a-b"],
    [`${"x".repeat(49)} y`, "x".repeat(49)],
    ["x".repeat(51), "x".repeat(50)],
  ])("of %j is %s", (name, slug) => {
    expect(fileSlug(name, "a b")).toBe(slug);
  });

  it("fits every file system", () => {
    expect(Buffer.byteLength(`${fileSlug("漢".repeat(500), "x")}-1000.yaml`)).toBeLessThan(255);
  });
});

describe("files' records and the target's of the same name", () => {
  const entry = (id: string, plain: string, label = plain, code: JsonObject = {}, kind = dashboards) =>
    ({ id, kind, plain, label, code }) as unknown as Parameters<typeof pairByLabel>[0][number];
  const theirs = (...tags: string[]) =>
    records({ dashboards: tags.map((tag, at) => dashboard(hexId("b", at), "Hosts", "", { tags: [tag] })) });
  const paired = (entries: Parameters<typeof pairByLabel>[0], there: StackRecord[], ...more: unknown[]) => {
    const target = new Map([[there[0]?.kind ?? "dashboards", { records: there }]]);
    const pairs = pairByLabel(entries, target as never, labelRecords(there).labels, ...(more as []));
    return [...pairs].map(([id, record]) => [id, record.body["tags"]]);
  };

  it("are the same where both sides have the same labels for it", () => {
    expect(paired([entry("1", "Hosts")], theirs("x"))).toEqual([["1", ["x"]]]);
    const two = [entry("2", "Hosts", "hosts-2"), entry("1", "Hosts")];
    expect(paired(two, theirs("x", "y"))).toEqual([
      ["2", ["y"]],
      ["1", ["x"]],
    ]);
  });

  it("are left to their content where one side has more, or other labels", () => {
    expect(paired([entry("1", "Hosts")], theirs("x", "y"))).toEqual([]);
    expect(paired([entry("1", "Hosts"), entry("2", "Hosts", "hosts-2")], theirs("x"))).toEqual([]);
    expect(paired([entry("1", "Hosts"), entry("2", "Hosts", "mine")], theirs("x", "y"))).toEqual([]);
    expect(paired([entry("1", "Other")], theirs("x"))).toEqual([]);
  });

  it("are left to their content where something was taken out of a file that has rivals, and not elsewhere", () => {
    const cut = { markdown: "«redacted:jwt»" };
    const two = [entry("1", "Hosts", "Hosts", cut), entry("2", "Hosts", "hosts-2")];
    expect(paired(two, theirs("x", "y"))).toEqual([]);
    expect(paired([entry("1", "Hosts", "Hosts", cut)], theirs("x"))).toEqual([["1", ["x"]]]);
  });

  it("are the same under the name that they get on the target", () => {
    expect(paired([entry("1", "osts")], theirs("x"), (_: unknown, name: string) => `H${name}`)).toEqual([["1", ["x"]]]);
  });

  it("are left to the import's rules where such records are never written", () => {
    const there = records({ sources: [source(hexId("b", 1), "Logs", "")] });
    expect(paired([entry("1", "Logs", "Logs", {}, sources)], there)).toEqual([]);
  });
});
