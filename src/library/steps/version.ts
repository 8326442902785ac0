import { readFileSync } from "node:fs";

/** The program's own version, as the package says it. */
export function programVersion(): string {
  // Two folders up from src/library and from dist/library alike.
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const meta: unknown = JSON.parse(text);
  return typeof meta === "object" && meta !== null && "version" in meta ? String(meta.version) : "unknown";
}
