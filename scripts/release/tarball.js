import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Packs the package with its dependencies, as package-lock.json pins them, so that an install resolves and downloads nothing.
 * The lock file alone (as npm-shrinkwrap.json) would not be enough, because npm resolves the overrides of a dependency anew.
 * Source maps and TypeScript sources of dependencies are left out, because the program does not read them. Needs the registry
 * or npm's cache.
 * @returns the folders of the packages inside, as package-lock.json names them
 */
export async function packTarball({ root, work, pages, target }) {
  const made = await pack(root, work);
  await run("tar", ["-xzf", made, "-C", work]);
  await rm(made);
  const stage = join(work, "package");
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  await writeFile(join(stage, "package-lock.json"), JSON.stringify(lock));
  await run("npm", ["ci", "--omit=dev", "--omit=optional", "--omit=peer", "--ignore-scripts"], { cwd: stage });
  await rm(join(stage, "package-lock.json"));
  await rm(join(stage, "node_modules/.package-lock.json"));
  await rm(join(stage, "node_modules/.bin"), { recursive: true, force: true });
  await removeSources(join(stage, "node_modules"));

  await mkdir(join(stage, "man"));
  for (const [page, text] of Object.entries(pages)) await writeFile(join(stage, "man", page), text);
  const {
    devDependencies: _packages,
    scripts: _scripts,
    ...meta
  } = JSON.parse(await readFile(join(stage, "package.json"), "utf8"));
  await writeJson(join(stage, "package.json"), {
    ...meta,
    files: [...meta.files, "man", "npm-shrinkwrap.json"],
    man: Object.keys(pages).map((page) => `man/${page}`),
    bundleDependencies: true,
  });
  const shrinkwrap = withoutDevelopment(lock);
  await writeJson(join(stage, "npm-shrinkwrap.json"), shrinkwrap);
  await rename(await pack(stage, work), target);
  return Object.keys(shrinkwrap.packages).filter((folder) => folder !== "");
}

async function pack(folder, destination) {
  const { stdout } = await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", destination], {
    cwd: folder,
  });
  return join(destination, stdout.trim());
}

async function removeSources(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sources = entries.filter((entry) => entry.isFile() && /\.map$|(?<!\.d)\.[cm]?ts$/.test(entry.name));
  for (const { parentPath, name } of sources) await rm(join(parentPath, name));
}

function withoutDevelopment({ packages, ...lock }) {
  const { "": top, ...others } = packages;
  const { devDependencies: _packages, ...own } = top;
  const kept = Object.entries(others).filter(
    ([, { dev, devOptional, optional, peer }]) => !(dev || devOptional || optional || peer),
  );
  return { ...lock, packages: { "": own, ...Object.fromEntries(kept) } };
}

async function writeJson(path, value) {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
