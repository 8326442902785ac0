import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { codeJsonSchema, kindOfSchemaComment, schemaComment } from "../../../../src/archive/as-code/schema.ts";
import { kinds } from "../../../../src/kinds/registry.ts";

describe("the JSON Schemas of files", () => {
  it.each(kinds.map(({ name }) => name))(
    "of %s is identical to the shipped file (if not: npm run schema)",
    async (kind) => {
      const shipped = await readFile(new URL(`../../../../schema/code/${kind}.schema.json`, import.meta.url), "utf8");
      expect(JSON.parse(shipped)).toEqual(JSON.parse(JSON.stringify(codeJsonSchema(kind))));
    },
  );

  it("are named by the first line, which says the kind as well", () => {
    for (const kind of kinds) expect(kindOfSchemaComment(`${schemaComment(kind)}\nname: x\n`)).toBe(kind);
    expect(kindOfSchemaComment("# yaml-language-server: $schema=../schema/code/nothing.schema.json\n")).toBeUndefined();
    expect(kindOfSchemaComment("name: x\n")).toBeUndefined();
  });
});
