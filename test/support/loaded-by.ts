import { readFileSync } from "node:fs";

/** Returns the modules that a module loads: packages by name, our files by URL. Type imports and `await import` are not followed. */
export function loadedBy(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const text = readFileSync(file, "utf8");
  for (const [, specifier = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm)) {
    if (specifier.startsWith(".")) loadedBy(new URL(specifier, file), seen);
    else seen.add(specifier);
  }
  return seen;
}
