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

describe("start-up", () => {
  const loaded = loadedBy(new URL("../../../src/cli/main.ts", import.meta.url));

  it("sees what is loaded", () => {
    expect(loaded).toContain("yargs");
    expect([...loaded].some((name) => name.endsWith("/cli/commands/export.ts"))).toBe(true);
  });

  it.each(["undici", "archiver", "unzipper", "hono", "@hono/node-server", "zod", "yaml", "p-limit"])(
    "does without %s until a command needs it",
    (name) => expect(loaded).not.toContain(name),
  );
});
