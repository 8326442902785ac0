import { mkdirSync, writeFileSync } from "node:fs";

// Writes the JSON Schema that the package ships; needs a build. A test says when it is out of date.
const { configJsonSchema } = await import("../dist/config/schema.js");
const folder = new URL("../schema/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("stackferry.schema.json", folder), `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
