import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// `npm run dependencies`: prints what each dependency is for and brings, from package-lock.json and the installed packages.
const root = fileURLToPath(new URL("../", import.meta.url));

/** The use of each direct dependency. */
const uses = {
  "@aws-sdk/client-s3": "S3 buckets, AWS credentials",
  "@clack/prompts": "questions on a terminal",
  "@hono/node-server": "server of the sandbox",
  "@secretlint/secretlint-rule-preset-recommend": "secrets of known makers",
  "age-encryption": "encrypted archives",
  archiver: "writes archives",
  "fastest-levenshtein": "suggests what was meant",
  diff: "changed lines and words of a text",
  hono: "routes of the sandbox",
  "p-limit": "requests at a time",
  "string-width": "width of any script",
  undici: "connections, proxies",
  unzipper: "reads archives",
  yaml: "files with their comments",
  yargs: "command line",
  zod: "shapes of all input",
};

const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
const direct = Object.keys(dependencies);
const missing = direct.filter((name) => uses[name] === undefined);
if (missing.length > 0) throw new Error(`scripts/dependencies.js does not say what ${missing.join(", ")} is for`);

const all = reachable(direct);
const sizes = new Map();
for (const folder of all) sizes.set(folder, await sizeOf(join(root, folder)));

const rows = [];
for (const name of direct) {
  const others = reachable(direct.filter((other) => other !== name));
  const own = `node_modules/${name}`;
  const brought = [...all].filter((folder) => folder !== own && !others.has(folder));
  rows.push(
    `${name} ${packages[own].version}, ${uses[name]}, ${kilobytes([own])}, ${brought.length} (${kilobytes(brought)})`,
  );
}

console.log(`${all.size} packages, ${Math.round(bytesOf([...all]) / 1e6)} MB
package, its use, its KB, how many packages only it brings (KB)
${rows.join("\n")}`);

/** Returns the folders of all packages that an install of these packages needs, without optional and peer dependencies. */
function reachable(names) {
  const seen = new Set();
  const visit = (name, from) => {
    const folder = folderOf(name, from);
    if (folder === undefined || seen.has(folder)) return;
    seen.add(folder);
    for (const each of Object.keys(packages[folder].dependencies ?? {})) visit(each, folder);
  };
  for (const name of names) visit(name, "");
  return seen;
}

/** Returns the folder in which a package finds another one: in its own node_modules, or in one of the folders above. */
function folderOf(name, from) {
  const here = `${from}${from === "" ? "" : "/"}node_modules/${name}`;
  if (packages[here] !== undefined) return here;
  return from === "" ? undefined : folderOf(name, from.replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ""));
}

async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const own = files.filter((file) => !file.slice(folder.length).includes("node_modules"));
  const bytes = await Promise.all(own.map(async (file) => (await stat(file)).size));
  return bytes.reduce((sum, each) => sum + each, 0);
}

function bytesOf(folders) {
  return folders.reduce((sum, folder) => sum + sizes.get(folder), 0);
}

function kilobytes(folders) {
  return Math.round(bytesOf(folders) / 1000).toLocaleString("en");
}
