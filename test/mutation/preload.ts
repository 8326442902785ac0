import { readdirSync } from "node:fs";
import { join } from "node:path";
import { rooms } from "./rooms.ts";

// Loads all modules of the room. Otherwise, the first test that loads a module would create its constants, and mutants of them
// would be tried with this test alone.
const ROOT = join(import.meta.dirname, "../..");
const folders = (rooms[process.env["MUTATION_ROOM"] ?? ""]?.mutate ?? []).flatMap(
  (pattern) => /^(src\/.+)\/\*/.exec(pattern.replace("/**", ""))?.[1] ?? [],
);

for (const folder of folders) {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  for (const file of files) if (file.endsWith(".ts")) await import(join(ROOT, folder, file));
}
