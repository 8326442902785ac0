import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { kindOfSchemaComment, schemaComment, codeJsonSchema } from "../../../../src/archive/as-code/schema.ts";
import { slugOf, labelRecords } from "../../../../src/archive/as-code/write/file-keys.ts";
import { toCode } from "../../../../src/archive/as-code/write/to-code.ts";
import { fileText, updatedText } from "../../../../src/archive/as-code/write/yaml-text.ts";
import { alerts } from "../../../../src/kinds/alerts.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";
import { kinds } from "../../../../src/kinds/registry.ts";
import { alert, dashboard, hexId, records, source } from "../../../support/stack-records.ts";

describe("the JSON Schemas of files", () => {
  it.each(kinds.map(({ name }) => name))("of %s is shipped as it is: npm run schema writes it again", async (kind) => {
    const shipped = await readFile(new URL(`../../../../schema/code/${kind}.schema.json`, import.meta.url), "utf8");
    expect(JSON.parse(shipped)).toEqual(JSON.parse(JSON.stringify(codeJsonSchema(kind))));
  });

  it("are named by the first line, which says the kind as well", () => {
    for (const kind of kinds) expect(kindOfSchemaComment(`${schemaComment(kind)}\nname: x\n`)).toBe(kind);
    expect(kindOfSchemaComment("# yaml-language-server: $schema=../schema/code/nothing.schema.json\n")).toBeUndefined();
    expect(kindOfSchemaComment("name: x\n")).toBeUndefined();
  });
});

describe("the name of a file", () => {
  it.each([
    ["Checkout latency", "checkout-latency"],
    ["Übersicht: Kosten/Monat", "ubersicht-kosten-monat"],
    ["../../etc/passwd", "etc-passwd"],
    ["漢字 🎉", "漢字"],
    ["e\u0301tat", "etat"],
    ["CON", "con-dashboard"],
    ["", "dashboard"],
    ["🎉", "dashboard"],
    ["a\nb", "a-b"],
  ])("of %j is %s", (name, slug) => {
    expect(slugOf(name, "dashboard")).toBe(slug);
  });

  it("fits every file system", () => {
    expect(Buffer.byteLength(`${slugOf("漢".repeat(500), "x")}-1000.yaml`)).toBeLessThan(255);
  });
});

describe("records of one name", () => {
  it("get a number and a key, in an order that ids do not decide", () => {
    const labelsOf = (ids: readonly [number, number]) => {
      const [one, other] = ids;
      const boards = [
        dashboard(hexId("a", one), "Hosts", hexId("c", 1), { tags: ["x"] }),
        dashboard(hexId("a", other), "Hosts", hexId("c", 1), { tags: ["y"] }),
      ];
      const { labels } = labelRecords(records({ dashboards: boards, sources: [source(hexId("c", 1), "Logs", "")] }));
      return boards.map(({ id }) => labels.get(`dashboards/${String(id)}`));
    };
    const expected = [
      { slug: "hosts", label: "Hosts" },
      { slug: "hosts-2", label: "hosts-2", key: "hosts-2" },
    ];
    expect(labelsOf([1, 2])).toEqual(expected);
    expect(labelsOf([2, 1])).toEqual(expected);
  });

  it("are told apart by what points to them", () => {
    const boards = [1, 2].map((number) => ({ ...dashboard(hexId("a", number), "Twin", ""), tiles: [] }));
    const tiles = boards.map((board, at) => ({
      ...board,
      tiles: [{ id: hexId("d", at), name: "T", x: 0, y: 0, w: 1, h: 1 }],
    }));
    const labelsWith = (names: readonly [string, string]) => {
      const watching = tiles.map((board, at) => alert(hexId("b", at), names[at] ?? "", board, hexId("e", 1)));
      const { labels, names: stack } = labelRecords(records({ dashboards: tiles, alerts: watching }));
      return watching.map(({ id, ...body }, at) => [
        labels.get(`alerts/${String(id)}`)?.label,
        toCode(alerts, { id, ...body }, stack)["dashboard"],
        at,
      ]);
    };
    expect(labelsWith(["A", "B"]).map(([label, board]) => `${String(label)} ${String(board)}`)).toEqual([
      "A Twin",
      "B twin-2",
    ]);
    expect(labelsWith(["B", "A"]).map(([label, board]) => `${String(label)} ${String(board)}`)).toEqual([
      "B twin-2",
      "A Twin",
    ]);
  });
});

describe("the text of a file", () => {
  it("has long texts as blocks, and any text as it was", () => {
    const texts = [
      "SELECT 1\nFROM x\n",
      "x".repeat(200),
      " lead",
      "trail \n",
      "a\r\nb",
      "\u0000\u2028\ufeff",
      "\ud800",
      "yes",
      "1e3",
      "\n\n",
      "\ta\n\tb",
    ];
    for (const text of texts) {
      const written = fileText(dashboards, { name: text, tiles: [{ config: { markdown: text } }] });
      expect(parse(written)).toEqual({ name: text, tiles: [{ config: { markdown: text } }] });
    }
    expect(fileText(dashboards, { name: "SELECT 1\nFROM x\n" })).toContain("name: |\n  SELECT 1\n  FROM x\n");
    expect(fileText(dashboards, { name: "x".repeat(200) })).toContain("name: |-\n  xxx");
  });

  it("keeps its bytes where it says the same, however it is written", () => {
    const present = '# mine\n{"name": "x", "tags": ["a"]}\n';
    expect(updatedText(dashboards, { name: "x", tags: ["a"] }, present).text).toBe(present);
  });

  it("keeps comments at the items that they were written to", () => {
    const tile = (name: string, x: number) => ({ name, x });
    const present = fileText(dashboards, { name: "B", tiles: [tile("one", 0), tile("two", 1)] })
      .replace("  - name: two", "  # about two\n  - name: two # here")
      .replace("name: B", "# the board\nname: B");
    const { text } = updatedText(
      dashboards,
      { name: "B", tags: ["t"], tiles: [tile("new", 0), tile("two", 2), tile("three", 3)] },
      present,
    );
    expect(text).toContain("# the board\nname: B\ntags:\n  - t\n");
    expect(text).toContain("  # about two\n  - name: two # here\n    x: 2\n");
    expect(parse(text)).toEqual({ name: "B", tags: ["t"], tiles: [tile("new", 0), tile("two", 2), tile("three", 3)] });
  });
});
