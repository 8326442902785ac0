import { describe, expect, it } from "vitest";
import {
  arrangeChildren,
  replaceIdsByMentions,
  replaceMentionsByIds,
} from "../../../../src/archive/as-code/convert-record.ts";
import {
  childName,
  childReference,
  fileSlug,
  labelRecords,
  listChildren,
  plainName,
} from "../../../../src/archive/as-code/write/file-keys.ts";
import { pairByLabel } from "../../../../src/archive/as-code/read/open-code.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { recordKey, type StackRecord } from "../../../../src/core/records/record.ts";
import { alerts } from "../../../../src/kinds/alerts.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";
import { sources } from "../../../../src/kinds/sources.ts";
import { dashboard, hexId, records, source, webhook, targetIds } from "../../../support/stack-records.ts";

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

  it("keep their order in kinds that declare no order", () => {
    const body = { tiles: [below, top] };
    expect(arrangeChildren(alerts, body)).toBe(body);
  });

  it("are referenced by name, or by position from 1 if the name is empty or not unique", () => {
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

  it("are referenced by id if tile or dashboard is missing, and not at all without a dashboard id", () => {
    const [record] = records({ dashboards: [{ id: "o", ...board(top) }] }) as [StackRecord];
    const byKey = new Map([[recordKey("dashboards", "o"), record]]);
    expect(childReference(TILES, String(top["id"]), "o", byKey)).toBe("A");
    expect(childReference(TILES, "none", "o", byKey)).toEqual({ id: "none" });
    expect(childReference(TILES, "none", "p", byKey)).toEqual({ id: "none" });
    expect(childReference(TILES, String(top["id"]), undefined, byKey)).toBeUndefined();
  });
});

describe("the plain name of a record", () => {
  it("is its name, or service and name for a webhook", () => {
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
  ])("such as %j replace an id and are resolved to an id again", (label) => {
    const text = name(label)(`see ${id.toUpperCase()}, ${hexId("b", 1)}`);
    expect(text).not.toContain(id.toUpperCase());
    expect(replaceMentionsByIds(text, find(label))).toBe(`see found, ${hexId("b", 1)}`);
  });

  it("stay in the text if no record has that name", () => {
    const text = "${stackferry:dashboards/Gone} and ${stackferry:open";
    expect(replaceMentionsByIds(text, () => undefined)).toBe(text);
  });

  it("are distinguished from literal text that looks like a mention", () => {
    const text = "literal ${stackferry:x} ${stackferry:=} ${stackferry:";
    const written = name("dashboards/x")(text);
    expect(written).not.toBe(text);
    expect(replaceMentionsByIds(written, () => "wrong")).toBe(text);
  });
});

describe("the file name of a record", () => {
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
  ])("of a record named %j is %s", (name, slug) => {
    expect(fileSlug(name, "a b")).toBe(slug);
  });

  it("is short enough for every file system", () => {
    expect(Buffer.byteLength(`${fileSlug("漢".repeat(500), "x")}-1000.yaml`)).toBeLessThan(255);
  });
});

describe("pairing records of files with records of the target by name", () => {
  const entry = (id: string, plain: string, label = plain, code: JsonObject = {}, kind = dashboards) =>
    ({ id, kind, plain, label, code }) as unknown as Parameters<typeof pairByLabel>[0][number];
  const theirs = (...tags: string[]) =>
    records({ dashboards: tags.map((tag, at) => dashboard(hexId("b", at), "Hosts", "", { tags: [tag] })) });
  const paired = (entries: Parameters<typeof pairByLabel>[0], there: StackRecord[], ...more: unknown[]) => {
    const target = new Map([[there[0]?.kind ?? "dashboards", { records: there }]]);
    const pairs = pairByLabel(entries, target as never, labelRecords(there).labels, ...(more as []));
    return [...pairs].map(([id, record]) => [id, record.body["tags"]]);
  };

  it("pairs records of one name if both sides have the same labels", () => {
    expect(paired([entry("1", "Hosts")], theirs("x"))).toEqual([["1", ["x"]]]);
    const two = [entry("2", "Hosts", "hosts-2"), entry("1", "Hosts")];
    expect(paired(two, theirs("x", "y"))).toEqual([
      ["2", ["y"]],
      ["1", ["x"]],
    ]);
  });

  it("pairs no records of one name if the sides have different counts or labels", () => {
    expect(paired([entry("1", "Hosts")], theirs("x", "y"))).toEqual([]);
    expect(paired([entry("1", "Hosts"), entry("2", "Hosts", "hosts-2")], theirs("x"))).toEqual([]);
    expect(paired([entry("1", "Hosts"), entry("2", "Hosts", "mine")], theirs("x", "y"))).toEqual([]);
    expect(paired([entry("1", "Other")], theirs("x"))).toEqual([]);
  });

  it("pairs a redacted record only if no other record has its name", () => {
    const cut = { markdown: "«redacted:jwt»" };
    const two = [entry("1", "Hosts", "Hosts", cut), entry("2", "Hosts", "hosts-2")];
    expect(paired(two, theirs("x", "y"))).toEqual([]);
    expect(paired([entry("1", "Hosts", "Hosts", cut)], theirs("x"))).toEqual([["1", ["x"]]]);
  });

  it("compares the name that a record gets on the target", () => {
    expect(paired([entry("1", "osts")], theirs("x"), (_: unknown, name: string) => `H${name}`)).toEqual([["1", ["x"]]]);
  });

  it("pairs no records of kinds that an import does not write", () => {
    const there = records({ sources: [source(targetIds.source, "Logs", "")] });
    expect(paired([entry("1", "Logs", "Logs", {}, sources)], there)).toEqual([]);
  });
});
