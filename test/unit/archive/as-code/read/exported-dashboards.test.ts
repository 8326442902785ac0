import { describe, expect, it } from "vitest";
import { exportedBoard, readTexts } from "../../../../support/code-folder.ts";

const read = (text: string) => readTexts({ "board.json": text });

describe("a dashboard that the web interface has exported", () => {
  const markdown = { displayType: "markdown", markdown: "x" };
  const place = { x: 1, y: 2, w: 3, h: 4, containerId: "c", tabId: "t" };

  it("keeps its own members, those of its containers, of its filters and of the places of its tiles", async () => {
    const own = { tags: ["t"], savedQuery: "a:1", savedQueryLanguage: "sql", savedFilterValues: [{ type: "sql" }] };
    const filter = { type: "QUERY_EXPRESSION", name: "F", expression: "x", source: "Logs" };
    const container = { id: "c", title: "C", collapsed: true, collapsible: true, bordered: true, tabs: [{ id: "t" }] };
    const tile = { id: "x", ...place, config: { name: "T", ...markdown } };
    const text = exportedBoard(
      [
        { ...tile, color: "red" },
        { x: 1, config: markdown },
      ],
      {
        ...own,
        description: "D",
        filters: [{ id: "f", ...filter }, "none"],
        containers: [{ ...container, type: "section" }, "none"],
      },
    );
    const { files, problems, notes } = await read(text);
    expect(problems).toEqual([]);
    expect(files.map(({ kind, path }) => [kind.name, path])).toEqual([["dashboards", "in/board.json"]]);
    expect(files[0]?.code).toEqual({
      name: "Board",
      ...own,
      filters: [filter],
      containers: [container, {}],
      tiles: [
        { name: "T", ...place, config: markdown },
        { name: "", x: 1, config: markdown },
      ],
    });
    const lineOf = (member: string): number =>
      text.split("\n").findIndex((line) => line.trim().startsWith(`"${member}"`)) + 1;
    expect(notes).toEqual([
      expect.stringContaining(`in/board.json:${lineOf("description")}:2: "description" is left out`),
      expect.stringContaining(`in/board.json:${lineOf("color")}:4: "color" is left out`),
    ]);
  });

  it("warns once of a member left out in several places, with their number", async () => {
    const tile = { config: { ...markdown, color: "red" } };
    expect((await read(exportedBoard([tile]))).notes).toHaveLength(1);
    expect((await read(exportedBoard([tile]))).notes[0]).not.toMatch(/other place/);
    expect((await read(exportedBoard([tile, tile]))).notes).toEqual([expect.stringMatching(/1 other place$/)]);
    expect((await read(exportedBoard([tile, tile, tile]))).notes).toEqual([expect.stringMatching(/2 other places$/)]);
  });

  it("is refused at the filter whose source does not exist", async () => {
    const text = exportedBoard([], {
      filters: [
        { id: "f", name: "F", source: "Logs" },
        { name: "G", source: "" },
      ],
    });
    const { files, problems } = await read(text);
    expect(files).toEqual([]);
    const line = text.split("\n").findIndex((each) => each.includes('"source": ""')) + 1;
    expect(problems).toEqual([expect.stringContaining(`in/board.json:${line}:14: source is empty`)]);
  });

  it.each([
    ['{"version":"1","name":"B","tiles":[]}', true],
    ['version: "1"\nname: B\ntiles: []\n', true],
    ['{"version" : "1", "name": "B", "tiles"\n: []}', true],
    ['{"version":1,"name":"B","tiles":[]}', false],
    ['{"name":"B","tiles":[],"description":"version: 1"}', false],
    ['{"version":"1","name":"B","tiles":{}}', false],
    ['{"version":"1","name":"B","tiles":["x"]}', false],
    ['{"version":"1","name":"B","tiles":[{"name":"T"}]}', false],
    ['{"version":"1","name":"B","tiles":[{"config":{}},{"name":"T"}]}', false],
    ['{"version":"1","name":"B","tiles":[', false],
  ])("is recognised by its content, whatever its path: %s is %s", async (text, isOne) => {
    const { files, problems } = await readTexts({ "else/board.json": text });
    // Only files in the form of code files keep their text.
    expect(files.filter((file) => file.text === undefined)).toHaveLength(isOne ? 1 : 0);
    expect(problems).toEqual([]);
  });

  it("is read as a stackferry file if its first line says so", async () => {
    const line = "# yaml-language-server: $schema=../schema/code/dashboards.schema.json\n";
    const text = `${line}version: "1"\nname: B\ntiles: []\n`;
    const { files } = await readTexts({ "board.yaml": text });
    expect(files[0]?.code).toEqual({ version: "1", name: "B", tiles: [] });
    expect(files[0]?.notes).toBeUndefined();
  });
});
