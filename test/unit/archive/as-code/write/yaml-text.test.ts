import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { schemaComment } from "../../../../../src/archive/as-code/schema.ts";
import { codeFileText, updateCodeFileText } from "../../../../../src/archive/as-code/write/yaml-text.ts";
import type { JsonObject } from "../../../../../src/core/json.ts";
import { dashboards } from "../../../../../src/kinds/dashboards.ts";

const FIRST = `${schemaComment(dashboards)}\n`;

/** Returns the text of a new file without its first line. */
const written = (code: JsonObject): string => {
  const text = codeFileText(dashboards, code);
  expect(text.startsWith(FIRST)).toBe(true);
  return text.slice(FIRST.length);
};

/** Returns the text of an updated file without its first line. */
const updated = (code: JsonObject, present: string): string => {
  const { text } = updateCodeFileText(dashboards, code, FIRST + present);
  expect(text.startsWith(FIRST)).toBe(true);
  expect(parse(text)).toEqual(code);
  return text.slice(FIRST.length);
};

it("a file with merge keys keeps its bytes, or has the merged members after a change", () => {
  const present = "tiles:\n  - &first\n    name: A # ours\n    w: 6\n  - <<: *first\n    x: 6\n";
  const tiles = [
    { name: "A", w: 6 },
    { name: "A", w: 6, x: 6 },
  ];
  expect(updateCodeFileText(dashboards, { tiles }, present)).toEqual({ text: present, replaced: [] });
  const text = updated(
    {
      tiles: [
        { name: "A", w: 6 },
        { name: "B", w: 6, x: 6 },
      ],
    },
    present,
  );
  expect(text).toContain("name: A # ours");
});

describe("the text of a new file", () => {
  it("has short texts plain on one line, however many words they have", () => {
    const words = "eleven more words ".repeat(5).trim();
    expect(written({ name: "a b", note: words })).toBe(`name: a b\nnote: ${words}\n`);
  });

  it("has texts of over a hundred letters, and of several lines, as blocks", () => {
    const [hundred, more] = ["x".repeat(100), "x".repeat(101)];
    expect(written({ a: hundred, b: more })).toBe(`a: ${hundred}\nb: |-\n  ${more}\n`);
    expect(written({ a: "one\n\ttwo\n" })).toBe("a: |\n  one\n  \ttwo\n");
    expect(written({ a: "tab\there" })).toBe("a: tab\there\n");
  });

  it.each(["x".repeat(200), " lead", "trail \n", "a\r\nb", "\ud800", "yes", "1e3", "\n\n", "\ta\n\tb"])(
    "has the text %j in a form that is parsed to the same text",
    (text) => {
      const code = { name: text, tiles: [{ config: { markdown: text } }] };
      expect(parse(written(code))).toEqual(code);
    },
  );

  it.each(["\u0000", "\u00ad", "\u061c", "\u200b", "\u200f", "\u202e", "\u2060", "\u206f", "\ufeff", "\ufff9"])(
    "escapes the invisible character %j",
    (hidden) => {
      const text = written({ a: `a\n${hidden}b` });
      expect(text).toMatch(/^a: "a\\n.*b"\n$/);
      expect(parse(text)).toEqual({ a: `a\n${hidden}b` });
    },
  );

  it("writes member names plain and shared objects twice, without aliases", () => {
    const shared = { x: 1 };
    const long = "m".repeat(120);
    expect(written({ [long]: "v", one: shared, two: shared })).toBe(`${long}: v\none:\n  x: 1\ntwo:\n  x: 1\n`);
  });
});

describe("the text of a file whose record has changed", () => {
  it.each([
    ["# above\nname: A\n", "# above\nname: B\n"],
    ["name: A # beside\n", "name: B # beside\n"],
    ["name: A\n\n# below\n", "name: B\n\n# below\n"],
    ["name:\n  # under\n  A\n", "name:\n  # under\n  B\n"],
    ['"name": "A" # quoted\n', '"name": B # quoted\n'],
    ["\n# apart\n\nname: A\n", "\n# apart\n\nname: B\n"],
  ])("keeps the comment that was added by hand to %j", (present, text) => {
    expect(updated({ name: "B" }, present)).toBe(text);
  });

  it("is rewritten if it has no comment added by hand", () => {
    expect(updated({ name: "B", tags: ["t"] }, 'tags: [ t ]\n"name": "A"\n')).toBe("name: B\ntags:\n  - t\n");
    expect(updated({ name: "B" }, '{\n  "name": "A"\n}\n')).toBe("name: B\n");
    const own = "# yaml-language-server: $schema=../own.json\n";
    expect(updateCodeFileText(dashboards, { name: "B" }, `${own}name: A\n`).text).toBe(`${own}name: B\n`);
    expect(updateCodeFileText(dashboards, { name: "B" }, "[]\n").text).toBe(`${FIRST}name: B\n`);
    expect(updateCodeFileText(dashboards, { name: "B" }, "# a list\n- a\n").text).toBe(`${FIRST}name: B\n`);
  });

  it("gets the schema comment as first line if it had none", () => {
    expect(updateCodeFileText(dashboards, { name: "B" }, "# ours\nname: A\n").text).toBe(`${FIRST}# ours\nname: B\n`);
    const other = "# yaml-language-server: $schema=./mine.json\n";
    for (const apart of ["", "\n", "\n\n"]) {
      const text = `${other}${apart}# ours\nname: A\n`;
      expect(updateCodeFileText(dashboards, { name: "B" }, text).text).toBe(text.replace("name: A", "name: B"));
    }
    const below = `# ours\n${other}name: A\n`;
    expect(updateCodeFileText(dashboards, { name: "B" }, below).text).toBe(FIRST + below.replace("name: A", "name: B"));
  });

  it("has members in the kind's order, without removed members", () => {
    const present = "# ours\ntags: [a]\nold: 1 # gone\nname: A # the name\n";
    expect(updated({ name: "A", note: "n", tags: ["a", "b"] }, present)).toBe(
      "name: A # the name\nnote: n\n# ours\ntags: [ a, b ]\n",
    );
  });

  it("keeps the notation of unchanged members", () => {
    const present = "# ours\nname: 'A'\nnote: \"n\"\nsize: 0x10\n";
    expect(updated({ name: "A", note: "m", size: 16 }, present)).toBe("# ours\nname: 'A'\nnote: m\nsize: 0x10\n");
  });

  it("writes changed values in the YAML form of their type", () => {
    const present = "# ours\na: 1\nb: [x]\nc: {d: 1}\ne: t\nf: t\n";
    const code = { a: { x: 1 }, b: "text", c: ["y"], e: null, f: "z".repeat(101), g: { h: "one\ntwo\n" } };
    expect(updated(code, present)).toBe(
      `# ours\na:\n  x: 1\nb: text\nc:\n  - y\ne: null\nf: |-\n  ${"z".repeat(101)}\ng:\n  h: |\n    one\n    two\n`,
    );
    expect(updated({ e: { a: 1 }, f: ["a"] }, "# ours\ne: null\nf: ~\n")).toBe("# ours\ne:\n  a: 1\nf:\n  - a\n");
    expect(updated({ e: ["one\ntwo\n"] }, "# ours\ne: 1\n")).toBe("# ours\ne:\n  - |\n    one\n    two\n");
  });

  it("matches list items by name, then by position", () => {
    const present = "tiles:\n  - name: A # a\n  - name: B # b\n  - name: C # c\n";
    const tiles = (...names: string[]) => ({ tiles: names.map((name) => ({ name })) });
    expect(updated(tiles("C", "A"), present)).toBe("tiles:\n  - name: C # c\n  - name: A # a\n");
    expect(updated(tiles("A", "X", "C"), present)).toBe("tiles:\n  - name: A # a\n  - name: X # b\n  - name: C # c\n");
    expect(updated(tiles("B", "X"), present)).toBe("tiles:\n  - name: B # b\n  - name: X\n");
    const twins = "tiles:\n  - name: A # first\n  - name: A # second\n";
    expect(updated(tiles("A", "A", "A"), twins)).toBe(`${twins}  - name: A\n`);
    const plain = "# ours\ntags:\n  - a # a\n  - b # b\n";
    expect(updated({ tags: ["b", "c"] }, plain)).toBe("# ours\ntags:\n  - b # b\n  - c\n");
    const nameless = "filters:\n  - {x: 1} # one\n  - {x: 2} # two\n";
    expect(updated({ filters: [{ x: 3 }, { x: 4 }] }, nameless)).toBe(
      "filters:\n  - { x: 3 } # one\n  - { x: 4 } # two\n",
    );
  });

  it("is rewritten if the kept text would be parsed to other content", () => {
    const anchored = "# ours\na: &x\n  b: 1\nc: *x\n";
    const { text } = updateCodeFileText(dashboards, { a: { b: 2 }, c: { b: 1 } }, FIRST + anchored);
    expect(parse(text)).toEqual({ a: { b: 2 }, c: { b: 1 } });
  });
});
