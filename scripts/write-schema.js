import { mkdirSync, writeFileSync } from "node:fs";

// Writes the JSON Schemas that the package contains; needs a build. Tests fail if they are out of date.
const { mapJsonSchema } = await import("../dist/config/map-file.js");
const { configJsonSchema } = await import("../dist/config/schema.js");
const { codeJsonSchema } = await import("../dist/archive/as-code/schema.js");
const { kinds } = await import("../dist/kinds/registry.js");
const folder = new URL("../schema/", import.meta.url);
mkdirSync(new URL("code/", folder), { recursive: true });
write("stackferry.schema.json", configJsonSchema());
write("stackferry-map.schema.json", mapJsonSchema());
for (const { name } of kinds) write(`code/${name}.schema.json`, codeJsonSchema(name));

function write(path, schema) {
  writeFileSync(new URL(path, folder), `${JSON.stringify(schema, undefined, 2)}\n`);
}
