import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

const ADAPTERS = ["archive", "client", "redaction", "storage", "config", "telemetry", "report"] as const;
const USE_CASES = ["core", "kinds", "redaction", "references", "export", "journal", "matching", "import"] as const;

/** Which room of src may import which others (docs/architecture.md). A room may always import itself, and `cli` everything. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  kinds: ["core"],
  files: ["core"],
  ...Object.fromEntries(ADAPTERS.map((room) => [room, ["core", "kinds", "files"]])),
  references: ["core", "kinds", "redaction"],
  export: ["core", "kinds", "redaction", "references"],
  journal: ["core", "kinds", "files", "redaction", "references"],
  matching: ["core", "kinds", "redaction", "references", "export", "journal"],
  import: ["core", "kinds", "redaction", "references", "export", "journal", "matching"],
  backup: USE_CASES,
  rollback: USE_CASES,
  diff: USE_CASES,
  sandbox: [],
};
const ROOMS = [...Object.keys(ALLOWED), "cli"];
/** Rooms that are given their adapters as ports. */
const PURE = ["core", "kinds", "references", "export", "matching", "import", "rollback", "diff", "backup"];

async function filesOfSrc(): Promise<string[]> {
  return (await readdir(join(root, "src"), { recursive: true })).filter((file) => file.endsWith(".ts"));
}

async function violations(): Promise<string[]> {
  const found: string[] = [];
  for (const file of await filesOfSrc()) {
    const [room = ""] = file.split("/");
    const allowed = ALLOWED[room];
    if (!allowed) continue;
    const text = await readFile(join(root, "src", file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const [target = ""] = relative(join(root, "src"), resolve(root, "src", dirname(file), specifier)).split("/");
      if (target !== room && !allowed.includes(target)) found.push(`${file} imports ${specifier}`);
    }
    if (/\bprocess\.(?:env|stdout|stderr|exit)/.test(text)) found.push(`${file} reaches for the process`);
  }
  return found;
}

describe("the import direction of the sources", () => {
  it("holds, types included", async () => {
    expect(await violations()).toEqual([]);
  });

  it("knows every room", async () => {
    const rooms = new Set((await filesOfSrc()).filter((file) => file.includes("/")).map((file) => file.split("/")[0]));
    expect([...rooms].filter((room) => !ROOMS.includes(room ?? ""))).toEqual([]);
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
      await run(join(root, "node_modules/.bin/oxlint"), ["--deny-warnings", "--format=unix", "src"], { cwd: folder });
      return "";
    } catch (error) {
      return (error as { stdout: string }).stdout;
    } finally {
      await rm(join(folder, "src"), { recursive: true, force: true });
    }
  }

  const uses = (specifier: string): string => `import { thing } from "${specifier}";\nexport const used = thing;\n`;
  const thing = "export const thing = 1;\n";
  const pairs = ROOMS.flatMap((room) => ROOMS.filter((other) => other !== room).map((other) => [room, other] as const));
  const isAllowed = ([room, other]: readonly [string, string]): boolean => ALLOWED[room]?.includes(other) ?? true;
  const planted = ([room, other]: readonly [string, string]): string => `src/${room}/planted/uses-${other}.ts`;
  const things = Object.fromEntries(ROOMS.map((room) => [`src/${room}/thing.ts`, thing]));
  const plant = (chosen: readonly (readonly [string, string])[]): Record<string, string> =>
    Object.fromEntries(chosen.map((pair) => [planted(pair), uses(`../../${pair[1]}/thing.ts`)]));

  it("refuses every import from a room that is not below", async () => {
    const forbidden = pairs.filter((pair) => !isAllowed(pair));
    expect(forbidden.length).toBeGreaterThan(100);
    const output = await lint({ ...plant(forbidden), ...things });
    const unnoticed = forbidden.filter(
      (pair) =>
        !output.split("\n").some((line) => line.includes(planted(pair)) && line.includes("no-restricted-imports")),
    );
    expect(unnoticed).toEqual([]);
  });

  it("lets through every import that is allowed", async () => {
    // A file for each pair, the rooms' things apart: no cycle can arise.
    expect(await lint({ ...plant(pairs.filter(isAllowed)), ...things })).toBe("");
  });

  it.each(PURE)("keeps files and sockets out of %s", async (room) => {
    expect(await lint({ [`src/${room}/planted.ts`]: uses("node:fs/promises") })).toContain("no-restricted-imports");
  });

  it("finds cycles", async () => {
    const one = `import { two } from "./two.ts";\nexport const one = (): number => two;\n`;
    const two = `import { one } from "./one.ts";\nexport const two = one();\n`;
    expect(await lint({ "src/core/one.ts": one, "src/core/two.ts": two })).toContain("no-cycle");
  });

  it("finds cycles of types alone", async () => {
    const one = `import type { Two } from "./two.ts";\nexport interface One {\n  readonly two: Two;\n}\n`;
    const two = `import type { One } from "./one.ts";\nexport interface Two {\n  readonly one: One;\n}\n`;
    expect(await lint({ "src/core/one.ts": one, "src/core/two.ts": two })).toContain("no-cycle");
  });

  it("keeps the process out of everything but the command line", async () => {
    expect(await lint({ "src/client/planted.ts": "export const home = process.env.HOME;\n" })).toContain(
      "no-restricted-globals",
    );
  });
});
