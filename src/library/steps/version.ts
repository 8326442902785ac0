import { readFileSync } from "node:fs";

/** The single executable has no package.json, so its build inserts the version here (scripts/release). */
export function programVersion(): string {
  // The path is the same from src/library/steps, dist/library/steps and dist/bundle/cli.
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const meta: unknown = JSON.parse(text);
  return typeof meta === "object" && meta !== null && "version" in meta ? String(meta.version) : "unknown";
}

/** Returns the program's name and version (`stackferry 0.1.0`), for pages and files that name their maker. */
export function programName(): string {
  return `stackferry ${programVersion()}`;
}
