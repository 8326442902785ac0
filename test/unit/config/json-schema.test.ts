import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { mapJsonSchema, parseMapFile } from "../../../src/config/map-file.ts";
import { configJsonSchema } from "../../../src/config/schema.ts";

const file = (path: string): Promise<string> => readFile(new URL(`../../../${path}`, import.meta.url), "utf8");
const schema = z.fromJSONSchema(configJsonSchema());
const accepts = (text: string): boolean => schema.safeParse(parse(text, { merge: true })).success;

describe("the JSON Schema of stackferry.yaml", () => {
  it("equals the shipped file, which node scripts/write-schema.js writes", async () => {
    expect(JSON.parse(await file("schema/stackferry.schema.json"))).toEqual(
      JSON.parse(JSON.stringify(configJsonSchema())),
    );
  });

  it("accepts the sample config file", async () => {
    expect(accepts(await file("samples/stackferry.yaml"))).toBe(true);
  });

  it.each([
    ["stacks:\n  a: &a { variant: self-hosted, baseUrl: http://h, apiKey: k }\n  b: { <<: *a, rate: 10/10s }\n", true],
    ["stacks:\n  a: { variant: self-hosted, baseUrl: http://h, apiKey: k }\n", true],
    ["stacks:\n  a: { variant: self-hosted }\n", false],
    ["stacks:\n  a: { variant: self-hosted, baseUrl: http://h, keyId: k }\n", false],
    ["stacks:\n  a: { unknown: 1 }\n", false],
    ["profiles: {}\n", false],
  ])("accepts or refuses the text %j as the program does", (text, fits) => {
    expect(accepts(text)).toBe(fits);
  });
});

describe("the JSON Schema of map files", () => {
  const mapSchema = z.fromJSONSchema(mapJsonSchema());
  const accepted = (text: string): boolean => mapSchema.safeParse(parse(text)).success;

  it("equals the shipped file", async () => {
    expect(JSON.parse(await file("schema/stackferry-map.schema.json"))).toEqual(
      JSON.parse(JSON.stringify(mapJsonSchema())),
    );
  });

  it("accepts the sample map file", async () => {
    expect(accepted(await file("samples/map.yaml"))).toBe(true);
  });

  it.each([
    ["connections:\n  Main: theirs\n", true],
    ["connections:\n  Main: { port: x }\n", false],
    ["sources:\n  Logs: { host: x }\n", false],
  ])("accepts or refuses the text %j as the program does", (text, fits) => {
    expect(accepted(text)).toBe(fits);
    const read = (): unknown => parseMapFile(text, "map.yaml");
    if (fits) expect(read()).toMatchObject({ connections: {} });
    else expect(read).toThrow(expect.objectContaining({ code: "config" }));
  });
});
