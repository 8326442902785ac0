import { readFileSync } from "node:fs";

/** The program's version, from package.json. The single executable has no such file: its build puts the version in (scripts/release). */
export function programVersion(): string {
  // The path is the same from src/library/steps, dist/library/steps and dist/bundle/cli.
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const meta: unknown = JSON.parse(text);
  return typeof meta === "object" && meta !== null && "version" in meta ? String(meta.version) : "unknown";
}

/** `stackferry 0.1.0`: the maker of a page or a file. */
export function programName(): string {
  return `stackferry ${programVersion()}`;
}
