import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** What loading a module loads with it: packages by name, our files by address. Types and `await import` load nothing. */
function loadedBy(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const text = readFileSync(file, "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm)) {
    if (specifier.startsWith(".")) loadedBy(new URL(specifier, file), seen);
    else seen.add(specifier);
  }
  return seen;
}

const loadedWith = (name: string): string[] => [...loadedBy(new URL(`../../../src/cli/${name}`, import.meta.url))];
const packages = (loaded: readonly string[]): string[] => loaded.filter((name) => !/^(?:file|node):/.test(name));
const ours = (loaded: readonly string[]): string[] => loaded.filter((name) => name.startsWith("file:"));

describe("start-up", () => {
  it("needs no package for --version, and hardly a file", () => {
    const loaded = loadedWith("main.ts");
    expect(packages(loaded)).toEqual([]);
    expect(ours(loaded).length).toBeLessThanOrEqual(3);
  });

  it("needs yargs alone for --help, and none of the commands", () => {
    const loaded = loadedWith("run-command-line.ts");
    expect(packages(loaded)).toEqual(["yargs"]);
    expect(loaded.some((name) => name.includes("/cli/commands/"))).toBe(false);
    // Every one of these files is read at every start.
    expect(ours(loaded).length).toBeLessThanOrEqual(8);
  });
});
