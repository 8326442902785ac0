import { readFileSync } from "node:fs";

/** The program's version, from package.json. */
export function programVersion(): string {
  // The path is the same from src/library/steps and from dist/library/steps.
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const meta: unknown = JSON.parse(text);
  return typeof meta === "object" && meta !== null && "version" in meta ? String(meta.version) : "unknown";
}
