import { mkdirSync, writeFileSync } from "node:fs";

// Writes the JSON Schemas that the package ships; needs a build. A test says when one is out of date.
const { mapJsonSchema } = await import("../dist/config/map-file.js");
const { configJsonSchema } = await import("../dist/config/schema.js");
const folder = new URL("../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
const write = (name, schema) => writeFileSync(new URL(name, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
write("stackferry.schema.json", configJsonSchema());
write("stackferry-map.schema.json", mapJsonSchema());
