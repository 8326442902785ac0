import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandFillLines, formatFillDraft, loadFillFile, parseFillFile } from "../../../src/config/fill-file.ts";
import { recordKey } from "../../../src/core/record.ts";
import { tries } from "../../support/tries.ts";

const missing = [
  {
    key: recordKey("dashboards", "d1"),
    name: 'Run "book"\n\u202e',
    pointer: "/tiles/0/a~1b",
    rules: ["jwt", "credential"],
  },
  { key: recordKey("alerts", "a1"), name: "", pointer: "/note", rules: ["credential"] },
];

describe("a fill file", () => {
  it("keeps text as text, and leaves out what is not filled in whole", () => {
    const text = `dashboards/d1:\n  /a: 12e4\n  /b: [x, "y z"]\n  /c: ""\n  /d: [x, ""]\n  /e:\nalerts/a1:\n`;
    expect(parseFillFile(text, "fill.yaml")).toEqual({ "dashboards/d1": { "/a": ["12e4"], "/b": ["x", "y z"] } });
  });

  it.each([
    "d1:\n  /a: x",
    "dashboards/d1:\n  a: x",
    "dashboards/d1:\n  /a: {b: c}",
    "dashboards/d1:\n  /a: x\n  /a: y",
  ])("refuses %j without showing a value", (text) => {
    expect(() => parseFillFile(text, "fill.yaml")).toThrow(expect.objectContaining({ code: "config" }));
  });

  it("is drafted with a line for each place, and empty lines are no values", () => {
    const draft = formatFillDraft(missing);
    expect(draft).toContain('"/tiles/0/a~1b": ["", ""]');
    expect(draft).not.toContain("\u202e");
    expect(parseFillFile(draft, "draft")).toEqual({});
  });

  it("keeps what is filled in, as it is written", () => {
    const value = fc.string({ minLength: 1 }).filter((text) => !["~", "null"].includes(text));
    const lines = fc.dictionary(
      fc.constantFrom("dashboards/d1", "alerts/a b: c"),
      fc.dictionary(fc.constantFrom("/note", "/x y: #z", "/a~1b"), fc.array(value, { minLength: 1, maxLength: 3 }), {
        minKeys: 1,
      }),
    );
    fc.assert(
      fc.property(lines, (filled) => {
        expect(parseFillFile(formatFillDraft(missing, filled), "draft")).toEqual({ ...filled });
      }),
      tries(),
    );
  });

  it("takes values from the environment and from files beside it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "stackferry-fill-"));
    const path = join(folder, "fill.yaml");
    await writeFile(join(folder, "pw"), "from file\n");
    await writeFile(path, 'alerts/a1:\n  /note: ${file:pw}\n  /message: ["a${env:X}", b]\n');
    const lines = await expandFillLines(await loadFillFile(path), path, { X: "1" });
    expect(lines).toEqual({ "alerts/a1": { "/note": ["from file"], "/message": ["a1", "b"] } });
    await expect(expandFillLines({ "alerts/a1": { "/n": ["${env:NONE}"] } }, path, {})).rejects.toMatchObject({
      code: "config",
    });
  });
});
