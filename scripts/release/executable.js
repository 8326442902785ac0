import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";

const run = promisify(execFile);

/** The Node that runs inside: the first long-term release that makes an executable by itself (`--build-sea`). It is fetched from npm. */
const NODE = "26.10.0";

/**
 * Builds the program, its packages and Node into one file for this platform. The packages for --otlp are inside.
 * @returns Node's version and digest, and the folders of the packages that are inside, as package-lock.json names them
 */
export async function buildExecutable({ root, work, version, target }) {
  const input = join(root, "bin/stackferry.js");
  // The modules of the program and of its packages, in place of the bundle that the package has: the list of packages needs them.
  const alias = { "../dist/bundle/cli/main.js": join(root, "dist/cli/main.js") };
  const plugins = [fixedVersion(version)];
  const bundle = await rolldown({ input, cwd: root, platform: "node", resolve: { alias }, plugins });
  // The path of the bundle is part of the executable, so it is relative.
  const bundled = "stackferry.mjs";
  const { output } = await bundle.write({ file: join(work, bundled), format: "esm", codeSplitting: false });
  await bundle.close();
  const config = join(work, "executable.json");
  // A code cache would save 0.1 s of a start of 0.2 s, but its bytes differ from build to build.
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

/** The version, in place of its look into package.json. */
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

/** `node_modules/archiver/node_modules/tar-stream`, from the path of a module in it. */
function packagesOf(modules) {
  const found = modules.map((id) => /(node_modules\/.*node_modules\/|node_modules\/)(@[^/]+\/)?[^/]+/.exec(id)?.[0]);
  return [...new Set(found.filter((path) => path !== undefined))];
}
