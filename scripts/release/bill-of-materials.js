import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns the CycloneDX list of the packages in an artefact, as `npm sbom` creates it, but with the time of the commit and a
 * serial number that depends only on the content.
 * @param packages the folders of the packages inside, as package-lock.json names them
 * @param node the Node inside, if there is one
 */
export async function billOfMaterials({ root, packages, node }) {
  const { name } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const words = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application"];
  const { stdout } = await run("npm", words, { cwd: root, maxBuffer: MAX_BYTES });
  const { serialNumber: _serial, dependencies, ...sbom } = JSON.parse(stdout);
  const { stdout: committed } = await run("git", ["log", "-1", "--format=%cI"], { cwd: root });
  sbom.metadata.timestamp = new Date(committed.trim()).toISOString();
  sbom.metadata.component.name = name;
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const inside = new Set(packages.map((folder) => `${nameOf(folder)}@${lock.packages[folder].version}`));
  sbom.components = [
    ...sbom.components.filter((component) => inside.has(component["bom-ref"])),
    ...(node === undefined ? [] : [nodeComponent(node)]),
  ];
  const kept = new Set([sbom.metadata.component["bom-ref"], ...sbom.components.map((each) => each["bom-ref"])]);
  sbom.dependencies = dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
  const digest = createHash("sha256").update(JSON.stringify(sbom)).digest("hex");
  const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
  return `${JSON.stringify({ ...sbom, serialNumber: `urn:uuid:${serial}` }, null, 2)}\n`;
}

function nameOf(folder) {
  return folder.split("node_modules/").at(-1);
}

function nodeComponent({ version, sha256 }) {
  return {
    "bom-ref": `node@${version}`,
    type: "platform",
    name: "node",
    version,
    purl: `pkg:generic/node@${version}`,
    hashes: [{ alg: "SHA-256", content: sha256 }],
  };
}
