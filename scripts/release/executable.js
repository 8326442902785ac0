import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
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
  const input = join(root, "bin/stackferry.js");
  // Use the modules of the program and its packages instead of the bundle, because the list of packages is read from their
  // paths.
  const alias = { "../dist/bundle/cli/main.js": join(root, "dist/cli/main.js") };
  const plugins = [fixedVersion(version)];
  const bundle = await rolldown({ input, cwd: root, platform: "node", resolve: { alias }, plugins });
  // The executable contains this path, so it must not depend on the folder.
  const bundled = "stackferry.mjs";
  const { output } = await bundle.write({ file: join(work, bundled), format: "esm", codeSplitting: false });
  await bundle.close();
  const config = join(work, "executable.json");
  // A code cache would make a start 0.1 s faster (of 0.2 s), but its bytes differ from build to build.
  const options = { main: bundled, mainFormat: "module", output: target, disableExperimentalSEAWarning: true };
  await writeFile(config, JSON.stringify(options));
  await node(work, "--build-sea", config);
  const { stdout: path } = await node(work, "--print", "process.execPath");
  const sha256 = createHash("sha256")
    .update(await readFile(path.trim()))
    .digest("hex");
  return { node: { version: NODE, sha256 }, packages: packagesOf(output[0].moduleIds) };
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
