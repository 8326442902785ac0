import { readFileSync } from "node:fs";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openArchive } from "../../src/archive/reader.ts";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";
import { journalsIn } from "../support/program-with-archive.ts";
import { programForOneStack, sandboxEnv, programForTwoStacks, type ProgramForTwoStacks } from "../support/program.ts";

const PASSWORD = "n0tReal1!xY";
const FILLED = 'f1lled "in"\\$& now';
let stacks: ProgramForTwoStacks;
let cwd = "";
/** Runs a command with the keys of both stacks, and with the variable to which the secrets file refers. */
const run: ProgramForTwoStacks["run"] = (command) => stacks.run(command, { env: envOnto(stacks.to) });
const json = async (command: string, to = stacks.to) =>
  documentOf(await stacks.run(`${command.replace("$TO", to.stack)} --json`, { env: envOnto(to) }));
const envOnto = (to: Sandbox) => ({ ...sandboxEnv(stacks.from, to), RUNBOOK_PASSWORD: FILLED });

/** Creates a dashboard with a note on a stack. */
async function note(sandbox: Sandbox, name: string, markdown: string): Promise<void> {
  const tile = { name: "Notes", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown } };
  await callSandbox(sandbox, "POST", "dashboards", { name, tiles: [tile] });
}

const bareStack = { variant: "self-hosted", seed: "bare" } as const;

async function notesOf(sandbox: Sandbox): Promise<unknown[]> {
  const dashboards = await recordsOn(sandbox, "dashboards");
  return dashboards.map(({ tiles }) => (tiles as { config: { markdown: string } }[])[0]?.config.markdown);
}

beforeAll(async () => {
  stacks = await programForTwoStacks(bareStack, bareStack);
  cwd = stacks.cwd;
  await note(stacks.from, "Runbook", `# Login\n\nadmin, password: ${PASSWORD}, then see the wiki`);
  expect(await json("export --from $FROM --out a.zip")).toMatchObject({ exitCode: 0 });
});

afterAll(() => stacks[Symbol.asyncDispose]());

describe("export", () => {
  it("takes secrets out of text, and lists them in the manifest", async () => {
    await using reader = await openArchive(join(cwd, "a.zip"));
    const entry = reader.manifest.entries.find(({ kind }) => kind === "dashboards");
    expect(reader.manifest.redactions).toContainEqual({
      path: entry?.path,
      pointer: "/tiles/0/config/markdown",
      rule: "assigned-secret",
    });
    const text = JSON.stringify(entry && (await reader.read(entry)).body);
    expect(text).toContain("admin, password: «redacted:assigned-secret», then see the wiki");
  });

  it("goes by the rules of the configuration, and refuses those that are none", async () => {
    const exception = `redaction:\n  names: [x]\n  exceptions:\n    - { kind: dashboards, rule: assigned-secret }\n`;
    await writeFile(join(cwd, "own.yaml"), exception);
    expect((await run("export --from $FROM --out own --format folder --config own.yaml")).exitCode).toBe(0);
    const [file = ""] = await readdir(join(cwd, "own", "dashboards"));
    expect(await readFile(join(cwd, "own", "dashboards", file), "utf8")).toContain(PASSWORD);
    await writeFile(join(cwd, "bad.yaml"), 'redaction:\n  patterns:\n    - { rule: x, pattern: "(" }\n');
    expect((await run("export --from $FROM --config bad.yaml")).exitCode).toBe(2);
  });

  it("is not written if it would hold the key of the run (exit 1)", async () => {
    await using leaky = await programForOneStack(bareStack);
    const key = Buffer.from(`me:${leaky.stack.apiKey ?? ""}`).toString("base64url");
    await note(leaky.stack, "Oops", `Use ${key} to look around`);
    const failed = await leaky.json("export --from $STACK --out leak.zip");
    expect(failed).toMatchObject({ exitCode: 1, error: { code: "secret-in-output" } });
    expect(await readdir(leaky.cwd)).toEqual([]);
  });
});

describe("import", () => {
  it("blocks records with a placeholder (exit 3), and drafts a secrets file for its owner only", async () => {
    const document = await json("import a.zip --to $TO --draft-secrets secrets.yaml");
    expect(document).toMatchObject({
      exitCode: 3,
      missingSecrets: [
        {
          name: "Runbook",
          pointer: "/tiles/0/config/markdown",
          around: ["admin, password: «redacted:assigned-secret», then see the wiki"],
        },
      ],
    });
    expect(document["outcomes"]).toContainEqual(expect.objectContaining({ action: "blocked", code: "redacted" }));
    expect((await stat(join(cwd, "secrets.yaml"))).mode & 0o777).toBe(0o600);
    expect((await run("import a.zip --to $TO --dry-run")).stdout).toContain("--draft-secrets");
    expect((await run("import a.zip --to $TO --dry-run --draft-secrets secrets.yaml")).exitCode).toBe(2);
    expect(await notesOf(stacks.to)).toEqual([]);
  });

  it("fills the secret in once, and neither prints nor stores its value", async () => {
    const draft = await readFile(join(cwd, "secrets.yaml"), "utf8");
    await writeFile(join(cwd, "secrets.yaml"), draft.replace(`: ""`, `: "\${env:RUNBOOK_PASSWORD}"`));
    const secrets = "--secrets secrets.yaml --draft-secrets secrets.yaml";
    const done = await run(`import a.zip --to $TO ${secrets} --verbose --report page.html`);
    expect(done).toMatchObject({ exitCode: 0 });
    expect(await notesOf(stacks.to)).toEqual([`# Login\n\nadmin, password: ${FILLED}, then see the wiki`]);
    const files = await readdir(cwd);
    const texts = await Promise.all(
      files.filter((name) => !/^(?:own|\.stackferry)$/.test(name)).map((name) => readFile(join(cwd, name), "utf8")),
    );
    const journals = journalsIn(cwd).map((path) => readFileSync(path, "utf8"));
    expect(journals).toHaveLength(1);
    for (const text of [...texts, ...journals, done.stdout, done.stderr]) {
      expect(text).not.toContain("f1lled");
      expect(text).not.toContain(Buffer.from("f1lled").toString("base64").slice(0, 7));
    }
    expect(await readFile(join(cwd, "secrets.yaml"), "utf8")).toContain("${env:RUNBOOK_PASSWORD}");
    for (const more of ["--secrets secrets.yaml", ""]) {
      const again = await json(`import a.zip --to $TO ${more}`);
      expect(again).toMatchObject({ exitCode: 0, missingSecrets: [] });
      expect(again["outcomes"]).toContainEqual(expect.objectContaining({ kind: "dashboards", action: "unchanged" }));
    }
  });

  it("accepts the secrets file from the environment, and names a missing variable", async () => {
    await using fresh = await startSandbox(bareStack);
    const env = { ...envOnto(fresh), STACKFERRY_SECRETS: "secrets.yaml" };
    const line = `import a.zip --to ${fresh.stack}`;
    const without = await stacks.json(line, { env: { ...env, RUNBOOK_PASSWORD: "" } });
    expect(without).toMatchObject({ exitCode: 2, error: { code: "config" } });
    expect(await stacks.json(line, { env })).toMatchObject({ exitCode: 0 });
    expect(await notesOf(fresh)).toHaveLength(1);
  });
});
