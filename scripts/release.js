import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { completionScripts } from "../dist/cli/commands/completion.js";
import { billOfMaterials } from "./release/bill-of-materials.js";
import { containerFile } from "./release/container-file.js";
import { buildExecutable } from "./release/executable.js";
import { manPages } from "./release/man-pages.js";
import { packTarball } from "./release/tarball.js";

/** File endings of the completion scripts. */
const ENDINGS = { bash: "bash", zsh: "zsh", fish: "fish" };

// `npm run release -- --out DIR [--base-image IMAGE@sha256:DIGEST]`: writes all files of a release into an empty folder.
// Publishes nothing. The files do not depend on the time, the folder or the user, so the same commit gives the same bytes.
const root = fileURLToPath(new URL("../", import.meta.url));
const { values } = parseArgs({ options: { out: { type: "string" }, "base-image": { type: "string" } } });
if (values.out === undefined) fail("usage: npm run release -- --out DIR [--base-image IMAGE@sha256:DIGEST]");
const out = resolve(values.out);
await mkdir(out, { recursive: true });
if ((await readdir(out)).length > 0) fail(`${out} is not empty: name a new folder`);
const { name, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const work = await mkdtemp(join(tmpdir(), "stackferry-release-"));
try {
  const pages = manPages(version);
  for (const [page, text] of Object.entries(pages)) await write(`man/${page}`, text);
  for (const [shell, script] of Object.entries(completionScripts))
    await write(`completions/${name}.${ENDINGS[shell]}`, script);

  const tarball = `${name}-${version}.tgz`;
  const inside = await packTarball({ root, work, pages, target: join(out, tarball) });
  await write(`${name}-${version}.cdx.json`, await billOfMaterials({ root, packages: inside }));

  const executable = `${name}-${version}-${process.platform}-${process.arch}`;
  const { node, packages } = await buildExecutable({ root, work, version, target: join(out, executable) });
  await write(`${executable}.cdx.json`, await billOfMaterials({ root, packages, node }));

  await write("container/Dockerfile", containerFile({ tarball, baseImage: values["base-image"] }));
  await cp(join(out, tarball), join(out, "container", tarball));
  await writeFile(join(out, "SHA256SUMS"), await checksums());
  console.log(`${out} has ${name} ${version}; CONTRIBUTING.md says how to publish it`);
} finally {
  await rm(work, { recursive: true, force: true });
}

async function write(path, text) {
  const target = join(out, path);
  await mkdir(join(target, ".."), { recursive: true });
  await writeFile(target, text);
}

/** Returns a line for each file, in the format of `sha256sum --check`. */
async function checksums() {
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = [];
  for (const file of files.toSorted()) {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    lines.push(`${hash.digest("hex")}  ${relative(out, file).replaceAll("\\", "/")}\n`);
  }
  return lines.join("");
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
