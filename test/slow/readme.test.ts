import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { blocksOf, documentPaths, documentText, root } from "../support/documents.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const readme = documentText("README.md");

/** Returns the TypeScript programs of a page, one after the other as a reader types them. */
function programsOf(path: string): string[] {
  return blocksOf(documentText(path)).flatMap(({ language, text }) => (language === "ts" ? [text] : []));
}

describe("the README", () => {
  it("names the two set-up commands", () => {
    expect(readme).toMatch(/<!-- demo-command -->\n+```sh\nnpm ci && npm run demo\n```/);
    expect(readme).toMatch(/<!-- test-command -->\n+```sh\nnpm ci && npm test\n```/);
  });

  it("names commands that also work where npm runs no hooks (ignore-scripts)", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    expect(Object.keys(scripts).filter((name) => /^(?:pre|post)(?!pack$)/.test(name))).toEqual([]);
  });

  it("is short enough for one sitting", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(111);
  });

  it("installs the tarball that npm run release makes", () => {
    const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
    const installs = documentPaths().flatMap((path) => documentText(path).match(/npm install --global \S+/g) ?? []);
    expect(new Set(installs)).toEqual(new Set([`npm install --global ./release/${name}-${version}.tgz`]));
  });
});

it("the page on trust counts the packages that an install brings, as npm run dependencies does", async () => {
  const { stdout } = await run(process.execPath, [join(root, "scripts/dependencies.js")]);
  const [counted = ""] = /^\d+ packages/.exec(stdout) ?? [];
  expect(counted).not.toBe("");
  expect(documentText("docs/security.md")).toContain(counted);
});

describe("the pages that follow from the program", () => {
  it("are up to date: npm run docs writes them", async () => {
    const check = run(process.execPath, [join(root, "scripts/write-docs.js"), "--check"]);
    expect(await check.catch((error: unknown) => error)).toMatchObject({ stdout: "" });
  });
});

describe("the programs of the pages", () => {
  it("pass the type check and do what the page says", async () => {
    await using production = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using cloud = await startSandbox({ variant: "managed", seed: "bare", api: "contract" });
    const cwd = temporaryFolder();
    await mkdir(join(cwd, "node_modules"));
    await symlink(root, join(cwd, "node_modules/stackferry"));
    await symlink(join(root, "node_modules/@types"), join(cwd, "node_modules/@types"));
    await writeFile(join(cwd, "package.json"), JSON.stringify({ type: "module" }));
    const [first = "", second = ""] = programsOf("docs/library.md");
    const library = first
      .replace("http://localhost:8000", production.url)
      .replace("https://api.example.com", cloud.url)
      .replace(/organizationId: "[^"]+"/, `organizationId: "${cloud.organizationId}"`)
      .replace(/serviceId: "[^"]+"/, `serviceId: "${cloud.serviceId}"`);
    await writeFile(join(cwd, "library.ts"), library);
    await writeFile(join(cwd, "sandbox.ts"), second);
    const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
    await run(join(root, "node_modules/.bin/tsc"), [...options, "library.ts", "sandbox.ts"], { cwd });

    const sandbox = await run(process.execPath, ["sandbox.js"], { cwd });
    expect(sandbox.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ \S+ \S+\n$/);
    const env = { PRODUCTION_API_KEY: production.apiKey, CLOUD_KEY_ID: cloud.keyId, CLOUD_KEY_SECRET: cloud.keySecret };
    const { stdout } = await run(process.execPath, ["library.js"], { cwd, env });
    // The sample's alerts need webhooks that no map names, so the import is incomplete.
    expect(stdout).toMatch(/^false \d+ \S+\.stackferry\/127\.0\.0\.1-\d+--127\.0\.0\.1-\d+-\S+\.journal\n$/);
    expect(cloud.stats().byRoute["POST dashboards"]).toBe(9);
  });
});
