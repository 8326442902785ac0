import { execFile } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { formatted } from "./docs/formatted.js";

// `npm run dependencies`: writes docs/dependencies.md from package-lock.json, the installed packages and the registry, which
// knows the dates of releases.
const root = fileURLToPath(new URL("../", import.meta.url));
const PAGE = "docs/dependencies.md";

/** The use of each direct dependency. */
const uses = {
  "@aws-sdk/client-s3": "repositories and archives in an S3 bucket, with every way of AWS to get credentials",
  "@aws-sdk/lib-storage": "uploads of archives in parts",
  "@clack/prompts": "questions on a terminal: lists, texts, yes or no",
  "@hono/node-server": "the server of the sandbox",
  "@secretlint/secretlint-rule-preset-recommend": "secrets of known makers, in redaction",
  "age-encryption": "encrypted archives, in the format of the age program",
  archiver: "writes archives",
  "fastest-levenshtein": "names the flag, command or record that was probably meant",
  hono: "the routes of the sandbox",
  "p-limit": "the number of requests that are sent at a time",
  "string-width": "tables on a terminal that hold any script",
  undici: "connections: pools, time limits, proxies, certificates",
  unzipper: "reads archives",
  yaml: "the configuration, map files, and dashboards as files, with their comments",
  yargs: "the command line",
  zod: "the shapes of answers, archives, journals and the configuration",
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
    `| \`${name}\` ${packages[own].version} | ${kilobytes([own])} | ${brought.length} (${kilobytes(brought)}) | ${await lastRelease(name)} |`,
  );
}

const text = `# Dependencies

<!-- Written by npm run dependencies. -->

stackferry installs ${all.size} packages, itself not counted: ${Math.round(bytesOf([...all]) / 1e6)} MB of files. No package runs a script when it is installed, and none is compiled for a platform. The tarball of a release holds them all, as package-lock.json has them, so that an install resolves and downloads nothing. \`npm run release\` writes the list of them as CycloneDX.

${direct.map((name) => `- \`${name}\`: ${uses[name]}`).join("\n")}

| package | KB | only it brings, KB | its last release |
| -- | --: | --: | -- |
${rows.join("\n")}

Sizes are those of the files of a package on the registry. The third column counts the packages that no other one needs.

For \`--otlp\` alone, five more packages of OpenTelemetry are needed, which are peer dependencies and optional ([metrics](repository.md#metrics-and-pings)). The single executable has them inside.

Overrides in package.json keep other packages from bringing older copies of \`buffer\`, \`readable-stream\`, \`safe-buffer\`, \`string_decoder\` and \`string-width\`, and keep \`tar-stream\` from bringing 8 packages for another runtime. The tests run with them. The overrides of a package do not count where it is installed; so the tarball of a release holds its dependencies. \`yargs\`, \`zod\`, \`unzipper\`, \`p-limit\`, \`string-width\` and \`fastest-levenshtein\` are also inside the program that \`bin\` starts, as the build found them: to find and read their files took a third of each start.
`;
await writeFile(join(root, PAGE), formatted(PAGE, text));

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

async function lastRelease(name) {
  const { stdout } = await promisify(execFile)("npm", ["view", name, "dist-tags.latest", "time", "--json"]);
  const { "dist-tags.latest": latest, time } = JSON.parse(stdout);
  return `${latest}, ${time[latest].slice(0, 10)}`;
}
