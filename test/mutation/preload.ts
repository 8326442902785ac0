import { readdirSync } from "node:fs";
import { join } from "node:path";
import { rooms } from "./rooms.ts";

// The program loads much of itself when it is needed. A constant of such a module would count as made by the first test that
// needs it, and be judged by that test alone; loaded here, it counts as what it is: made before any test.
const ROOT = join(import.meta.dirname, "../..");
const folders = (rooms[process.env["MUTATION_ROOM"] ?? ""]?.mutate ?? []).flatMap(
  (pattern) => /^(src\/.+)\/\*/.exec(pattern.replace("/**", ""))?.[1] ?? [],
);

for (const folder of folders) {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  for (const file of files) if (file.endsWith(".ts")) await import(join(ROOT, folder, file));
}
