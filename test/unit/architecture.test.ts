import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

const ADAPTERS = ["archive", "client", "redaction", "storage", "config", "telemetry", "report"] as const;
const USE_CASES = ["core", "kinds", "redaction", "references", "export", "journal", "matching", "import"] as const;

/** The folders that each folder of src may import (docs/architecture.md), besides itself. `cli` may import everything. */
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
  history: [...USE_CASES, "diff", "backup"],
  library: [...new Set([...USE_CASES, ...ADAPTERS]), "files", "backup", "rollback", "diff", "history"],
  sandbox: [],
};
const ROOMS = [...Object.keys(ALLOWED), "cli"];
/** Folders without I/O: they get their adapters as ports. */
const PURE = ["core", "kinds", "references", "export", "matching", "import", "rollback", "diff", "backup", "history"];
/** Modules that a folder of `PURE` must not import. */
const IO = /^node:(?:fs|http|https|net|process|child_process)(?:\/|$)/;
const IMPORT = /(?:\bfrom|\bimport\(?)\s*"([^"]+)"/g;
const PROCESS = /\bprocess\.(?:env|stdout|stderr|exit)/;

/** The texts of files, by their paths below src. */
type Sources = Readonly<Record<string, string>>;

async function readSources(): Promise<Sources> {
  const paths = (await readdir(join(root, "src"), { recursive: true })).filter((path) => path.endsWith(".ts"));
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, "src", path), "utf8")] as const)),
  );
}

/** Returns a line for each import that `ALLOWED` does not allow, and for each file that uses the process. */
function violationsIn(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, text]) => {
    const [room = ""] = path.split("/");
    const allowed = ALLOWED[room];
    if (!allowed) return [];
    const imports = [...text.matchAll(IMPORT)].map(([, specifier = ""]) => specifier);
    const wrong = imports.filter((specifier) => {
      if (!specifier.startsWith(".")) return PURE.includes(room) && IO.test(specifier);
      const [target = ""] = posix.join(posix.dirname(path), specifier).split("/");
      return target !== room && !allowed.includes(target);
    });
    return [
      ...wrong.map((specifier) => `${path} imports ${specifier}`),
      ...(PROCESS.test(text) ? [`${path} reaches for the process`] : []),
    ];
  });
}

/** The stages of `src/import` that each stage may import. Every stage may import the files beside the stages. */
const STAGES: Readonly<Record<string, readonly string[]>> = {
  transform: [],
  read: [],
  remove: ["transform"],
  plan: ["read", "transform", "remove"],
  validate: ["plan"],
  apply: ["remove"],
};

/** Returns a line for each import that `STAGES` does not allow, such as an import of a stage by a file beside the stages. */
function stageViolationsIn(sources: Sources): string[] {
  return Object.entries(sources).flatMap(([path, text]) => {
    const [room = "", ...rest] = path.split("/");
    if (room !== "import") return [];
    const stage = rest.length > 1 ? (rest[0] ?? "") : "";
    const used = [...text.matchAll(IMPORT)].map(([, specifier = ""]) =>
      posix.join(posix.dirname(path), specifier).split("/"),
    );
    const stages = used.flatMap(([of, name = "", ...file]) => (of === "import" && file.length > 0 ? [name] : []));
    const wrong = stages.filter((name) => name !== stage && !(STAGES[stage] ?? []).includes(name));
    return wrong.map((name) => `${path} imports from ${name}`);
  });
}

describe("imports between the folders of src", () => {
  it("follow the order of the import stages", async () => {
    expect(stageViolationsIn(await readSources())).toEqual([]);
    const planted = 'import type { A } from "../plan/a.ts";\n';
    expect(stageViolationsIn({ "import/apply/a.ts": planted })).toHaveLength(1);
    expect(stageViolationsIn({ "import/validate/a.ts": planted })).toEqual([]);
    expect(stageViolationsIn({ "import/a.ts": 'import { a } from "./plan/a.ts";\n' })).toHaveLength(1);
  });

  it("follow the allowed directions, and so do type imports", async () => {
    const sources = await readSources();
    expect(Object.keys(sources).length).toBeGreaterThan(200);
    expect(violationsIn(sources)).toEqual([]);
  });

  it("are covered by a rule for each folder", async () => {
    const rooms = new Set(Object.keys(await readSources()).flatMap((path) => path.split("/").slice(0, -1).slice(0, 1)));
    expect([...rooms].filter((room) => !ROOMS.includes(room))).toEqual([]);
  });

  const pairs = ROOMS.flatMap((room) => ROOMS.filter((other) => other !== room).map((other) => [room, other] as const));
  const isAllowed = ([room, other]: readonly [string, string]): boolean => ALLOWED[room]?.includes(other) ?? true;

  it("are reported if a folder imports one that it may not import", () => {
    const forbidden = pairs.filter((pair) => !isAllowed(pair));
    expect(forbidden.length).toBeGreaterThan(100);
    for (const [room, other] of forbidden) {
      for (const use of ["import { a } from", "import type { A } from", "import", "export * from"])
        expect(violationsIn({ [`${room}/planted/a.ts`]: `${use} "../../${other}/a.ts";\n` })).toHaveLength(1);
      expect(violationsIn({ [`${room}/a.ts`]: `const a = await import("../${other}/a.ts");\n` })).toHaveLength(1);
    }
  });

  it("are not reported if they are allowed", () => {
    for (const [room, other] of pairs.filter(isAllowed))
      expect(violationsIn({ [`${room}/planted/a.ts`]: `import { a } from "../../${other}/a.ts";\n` })).toEqual([]);
  });

  it.each(PURE)("are reported if %s imports files or sockets", (room) => {
    expect(violationsIn({ [`${room}/a.ts`]: 'import { readFile } from "node:fs/promises";\n' })).toHaveLength(1);
  });

  it("process.env is reported everywhere but in cli", () => {
    expect(violationsIn({ "client/a.ts": "export const home = process.env.HOME;\n" })).toHaveLength(1);
    expect(violationsIn({ "cli/a.ts": "export const home = process.env.HOME;\n" })).toEqual([]);
  });
});

describe("oxlint reports a planted violation", () => {
  let folder = "";
  beforeAll(async () => {
    folder = temporaryFolder();
    await copyFile(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  });

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

  it("an import cycle", async () => {
    const one = `import { two } from "./two.ts";\nexport const one = (): number => two;\n`;
    const two = `import { one } from "./one.ts";\nexport const two = one();\n`;
    expect(await lint({ "src/core/one.ts": one, "src/core/two.ts": two })).toContain("no-cycle");
  });

  it("an import cycle of types", async () => {
    const one = `import type { Two } from "./two.ts";\nexport interface One {\n  readonly two: Two;\n}\n`;
    const two = `import type { One } from "./one.ts";\nexport interface Two {\n  readonly one: One;\n}\n`;
    expect(await lint({ "src/core/one.ts": one, "src/core/two.ts": two })).toContain("no-cycle");
  });

  it("process.env outside of cli", async () => {
    expect(await lint({ "src/client/planted.ts": "export const home = process.env.HOME;\n" })).toContain(
      "no-restricted-globals",
    );
  });
});
