import { readFileSync, writeFileSync } from "node:fs";
import { cliReference } from "./docs/cli-reference.js";
import { configurationPage } from "./docs/configuration.js";
import { formatted } from "./docs/formatted.js";

// Writes the generated pages of docs/ from the program; needs a build. With --check, only lists the pages that are out of date.
const root = new URL("../", import.meta.url);
const pages = {
  "docs/cli-reference.md": formatted("docs/cli-reference.md", cliReference()),
  "docs/configuration.md": formatted("docs/configuration.md", configurationPage()),
};
const stale = Object.keys(pages).filter((path) => read(path) !== pages[path]);
if (process.argv.includes("--check")) {
  if (stale.length > 0) console.log(`out of date: ${stale.join(", ")}; npm run docs writes them`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const path of stale) writeFileSync(new URL(path, root), pages[path]);
}

function read(path) {
  try {
    return readFileSync(new URL(path, root), "utf8");
  } catch {
    return "";
  }
}
