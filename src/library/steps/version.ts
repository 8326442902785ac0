import { readFileSync } from "node:fs";

let version: string | undefined;

/** The build of the single executable replaces this module (scripts/release). */
export function programVersion(): string {
  return (version ??= readVersion());
}

function readVersion(): string {
  // The relative path is the same from src/library/steps, dist/library/steps and dist/bundle/cli.
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const meta: unknown = JSON.parse(text);
  return typeof meta === "object" && meta !== null && "version" in meta ? String(meta.version) : "unknown";
}

export function programName(): string {
  return `stackferry ${programVersion()}`;
}
