import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

// Part of `npm run build`: bundles the program that tsc has built, with the packages that most starts need, into a few files.
// Otherwise Node spends most of a start on finding and linking four hundred files. The library and the scripts use the files of
// tsc.
const INSIDE = ["fastest-levenshtein", "p-limit", "string-width", "unzipper", "yargs", "zod"];

const root = fileURLToPath(new URL("../", import.meta.url));
const { dependencies, peerDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const outside = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !INSIDE.includes(name));
const bundle = await rolldown({
  input: join(root, "dist/cli/main.js"),
  platform: "node",
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
});
await bundle.write({
  dir: join(root, "dist/bundle/cli"),
  chunkFileNames: "[name].js",
  // Each file costs time: what `--version` needs is one, what every other line needs another, and what every run needs a third.
  codeSplitting: {
    groups: [
      { name: "version", test: /\/cli\/main\.js$/, priority: 3 },
      { name: "start", test: /\/cli\/program\/run\.js$/, priority: 2 },
      { name: "parser", test: /\/cli\/program\/parse\.js$/, priority: 1 },
      { name: "run", test: /\/cli\/(?:program\/execute|inputs\/archive)\.js$/ },
    ],
  },
});
await bundle.close();
