import { readFileSync } from "node:fs";

let version: string | undefined;

/**
 * Reads the version from package.json. The build of the single executable replaces this module with the version itself
 * (scripts/release).
 */
export function programVersion(): string {
  return (version ??= readVersion());
}

function readVersion(): string {
  // The relative path is the same from src/library/steps, dist/library/steps and dist/bundle/cli.
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const meta: unknown = JSON.parse(text);
  return typeof meta === "object" && meta !== null && "version" in meta ? String(meta.version) : "unknown";
}

/** Returns the program's name and version, such as `stackferry 0.1.0`. */
export function programName(): string {
  return `stackferry ${programVersion()}`;
}
