import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";

const run = promisify(execFile);

/** The Node inside the executable, downloaded from npm: the first long-term release with `--build-sea`. */
const NODE = "26.10.0";

/**
 * Builds the program, its packages and Node into one file for this platform. The packages for --otlp are included.
 * @returns Node's version and digest, and the folders of the packages inside, as package-lock.json names them
 */
export async function buildExecutable({ root, work, version, target }) {
  // Bundle the modules of the program and its packages instead of dist/bundle, because the list of packages is read from their
  // paths.
  const input = join(root, "dist/cli/main.js");
  const bundle = await rolldown({ input, cwd: root, platform: "node", plugins: [fixedVersion(version)] });
  const parts = join(work, "parts");
  const { output } = await bundle.write({ dir: parts, format: "cjs", chunkFileNames: "[name].js" });
  await bundle.close();
  // The executable contains the paths of the main script and of the parts, so they must not depend on the folder.
  await copyFile(join(root, "scripts/release/executable-main.cjs"), join(work, "main.cjs"));
  const assets = Object.fromEntries(output.map(({ fileName }) => [fileName, `parts/${fileName}`]));
  const config = join(work, "executable.json");
  const options = { main: "main.cjs", assets, output: target, disableExperimentalSEAWarning: true };
  await writeFile(config, JSON.stringify(options));
  await node(work, "--build-sea", config);
  const { stdout: path } = await node(work, "--print", "process.execPath");
  const sha256 = createHash("sha256")
    .update(await readFile(path.trim()))
    .digest("hex");
  return { node: { version: NODE, sha256 }, packages: packagesOf(output.flatMap(({ moduleIds }) => moduleIds)) };
}

async function node(cwd, ...args) {
  return run("npx", ["--yes", `node@${NODE}`, ...args], { cwd });
}

/** Returns a plugin that inserts the version, which the program otherwise reads from package.json. */
function fixedVersion(version) {
  const name = JSON.stringify(`stackferry ${version}`);
  return {
    name: "fixed-version",
    load: {
      filter: { id: /library\/steps\/version\.js$/ },
      handler: () =>
        `export const programVersion = () => ${JSON.stringify(version)};\nexport const programName = () => ${name};\n`,
    },
  };
}

/**
 * Returns the folders of packages, such as `node_modules/archiver/node_modules/tar-stream`, from the paths of their modules.
 */
function packagesOf(modules) {
  const found = modules.map((id) => /(node_modules\/.*node_modules\/|node_modules\/)(@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  return [...new Set(found.filter((path) => path !== undefined))];
}
