import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Which folder of src may import which others. A folder may always import itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  kinds: ["domain"],
  jobs: ["domain", "kinds", "redaction"],
  client: ["domain", "kinds"],
  archive: ["domain", "kinds"],
  journal: ["domain", "kinds"],
  storage: ["domain", "kinds"],
  redaction: ["domain", "kinds"],
  config: ["domain", "kinds"],
  telemetry: ["domain"],
  report: ["domain", "kinds"],
  sandbox: [],
};

async function violations(): Promise<string[]> {
  const files = (await readdir(join(root, "src"), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const found: string[] = [];
  for (const file of files) {
    const [layer = ""] = file.split("/");
    const allowed = ALLOWED[layer];
    if (!allowed) continue;
    const text = await readFile(join(root, "src", file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const [target = ""] = relative(join(root, "src"), resolve(root, "src", dirname(file), specifier)).split("/");
      if (target !== layer && !allowed.includes(target)) found.push(`${file} imports ${specifier}`);
    }
    if (/\bprocess\.(?:env|stdout|stderr|exit)/.test(text)) found.push(`${file} reaches for the process`);
  }
  return found;
}

describe("the import direction of the sources", () => {
  it("holds", async () => {
    expect(await violations()).toEqual([]);
  });
});

describe("lint bites on a planted violation", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "stackferry-lint-"));
    await copyFile(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function lint(files: Readonly<Record<string, string>>): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    try {
      await run(join(root, "node_modules/.bin/oxlint"), ["--deny-warnings", "src"], { cwd: folder });
      return "";
    } catch (error) {
      return (error as { stdout: string }).stdout;
    } finally {
      await rm(join(folder, "src"), { recursive: true, force: true });
    }
  }

  const uses = (specifier: string): string => `import { thing } from "${specifier}";\nexport const used = thing;\n`;
  const thing = "export const thing = 1;\n";

  it.each([
    ["domain", "../client/thing.ts"],
    ["domain", "node:fs"],
    ["kinds", "../jobs/thing.ts"],
    ["jobs", "../client/thing.ts"],
    ["jobs", "../cli/thing.ts"],
    ["jobs", "node:fs/promises"],
    ["client", "../archive/thing.ts"],
    ["archive", "../client/thing.ts"],
    ["config", "../cli/thing.ts"],
    ["telemetry", "../config/thing.ts"],
    ["journal", "../archive/thing.ts"],
    ["redaction", "../archive/thing.ts"],
    ["redaction", "../jobs/thing.ts"],
    ["domain", "../redaction/thing.ts"],
    ["client", "../redaction/thing.ts"],
    ["config", "../redaction/thing.ts"],
    ["sandbox", "../kinds/thing.ts"],
    ["sandbox", "../domain/thing.ts"],
  ])("%s may not import %s", async (layer, specifier) => {
    expect(await lint({ [`src/${layer}/planted.ts`]: uses(specifier) })).toContain("no-restricted-imports");
  });

  it("lets through what is allowed", async () => {
    const allowed = {
      "src/jobs/fine.ts": uses("../kinds/thing.ts"),
      "src/kinds/thing.ts": thing,
      "src/client/fine.ts": uses("../domain/thing.ts"),
    };
    expect(await lint({ ...allowed, "src/domain/thing.ts": thing })).toBe("");
  });

  it("finds cycles", async () => {
    const one = `import { two } from "./two.ts";\nexport const one = (): number => two;\n`;
    const two = `import { one } from "./one.ts";\nexport const two = one();\n`;
    expect(await lint({ "src/domain/one.ts": one, "src/domain/two.ts": two })).toContain("no-cycle");
  });

  it("keeps the process out of everything but the command line", async () => {
    expect(await lint({ "src/client/planted.ts": "export const home = process.env.HOME;\n" })).toContain(
      "no-restricted-globals",
    );
  });
});
