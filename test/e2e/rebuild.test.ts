import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRebuild, readWholeStack, type WholeStack } from "../support/independent-check.ts";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { journalPath } from "../chaos/journal-lines.ts";
import { secretsFoundIn, writtenBelow, type Written } from "../support/canary.ts";
import { commandWords } from "../support/command-words.ts";
import { documentOf, runCli, type CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { writeSecretsOf } from "../support/stack-secrets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let source: Sandbox;
let archived: WholeStack = new Map();
const cwd = temporaryFolder();
const targets: Sandbox[] = [];
const printed: Written[] = [];
const EVERYTHING = "--create all --secrets secrets.yaml";

/** Starts a stack, by default an empty one on which records of all kinds can be created. */
async function target(options: Partial<Parameters<typeof startSandbox>[0]> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ variant: "self-hosted", ...options });
  targets.push(sandbox);
  return sandbox;
}

/** Runs a command in which $TO stands for the stack, and keeps its output for the search for secrets. */
async function run(to: Sandbox, command: string, from = source): Promise<CliRun> {
  const words = commandWords(command, { FROM: from.stack, TO: to.stack });
  const result = await runCli(words, { cwd, env: sandboxEnv(from, to) });
  printed.push({ where: command, bytes: Buffer.from(result.stdout + result.stderr) });
  return result;
}

const json = async (to: Sandbox, command: string, from = source) =>
  documentOf(await run(to, `${command} --json`, from));
const rebuild = (to: Sandbox, more = "") => json(to, `import a.zip --to $TO ${EVERYTHING} --verbose ${more}`);

function requests(sandbox: Sandbox, routes = /./): number {
  return Object.entries(sandbox.stats().byRoute).reduce(
    (sum, [route, count]) => sum + (routes.test(route) ? count : 0),
    0,
  );
}

const WRITES = /^(?:POST|PUT|DELETE) /;

async function against(stack: Sandbox): Promise<unknown> {
  return checkRebuild(archived, await readWholeStack(stack)).filter(([, found]) => found.length > 0);
}

beforeAll(async () => {
  source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const exported = await run(source, "export --from $FROM --out a.zip");
  expect(exported.exitCode).toBe(0);
  expect(exported.stdout).toContain("4 records may hold secrets that the API never returns");
  await writeSecretsOf(source, await target(), cwd);
  archived = await readWholeStack(source);
});

afterAll(async () => {
  for (const sandbox of [source, ...targets]) await sandbox.close();
});

describe("an archive of everything", () => {
  it("names the write-only secrets that a rebuild may need", async () => {
    const { stdout } = await run(source, "inspect a.zip");
    expect(stdout).toContain("May hold secrets, which the API never returns");
    expect(stdout).toContain('connection "Primary": password\n');
    expect(stdout).toContain('webhook "pager": headers, queryParams\n');
    expect(stdout).toContain('webhook "incidents": headers, queryParams, body\n');
    expect(stdout).not.toContain('webhook "oncall-slack":');
  });
});

describe("an empty stack", () => {
  it("holds one of everything afterwards, with its secrets, each reference to the record of the same name", async () => {
    const empty = await target();
    expect(await rebuild(empty)).toMatchObject({ exitCode: 0, counts: { create: 35 }, warnings: [] });
    const [secondWrites, total] = [requests(empty, /^PUT /), requests(empty)];
    expect(requests(empty, /^PUT sources/)).toBe(2);
    // Each second write reads the record first. The plan reads five lists, the check after the writes reads six.
    expect(total).toBeLessThanOrEqual(35 + 2 * secondWrites + 5 + 6);
    expect(await against(empty)).toEqual([]);
    expect(empty.stored().connections.map(({ password }) => password)).toContain("not-a-real-password");
    const pager = { headers: { "X-Pager-Key": "not-a-real-header" }, queryParams: { routing: "not-a-real-parameter" } };
    expect(empty.stored().webhooks).toContainEqual(expect.objectContaining(pager));
    expect(JSON.stringify(empty.stored().webhooks)).toContain("not-a-real-body");

    const writes = requests(empty, WRITES);
    expect(await rebuild(empty)).toMatchObject({ exitCode: 0, counts: { unchanged: 23, matched: 12 } });
    await rm(journalPath(cwd) ?? "");
    expect(await rebuild(empty)).toMatchObject({ exitCode: 0, counts: { unchanged: 23, matched: 12 } });
    const updating = await rebuild(empty, "--on-conflict overwrite");
    expect(updating).toMatchObject({ exitCode: 0, counts: { unchanged: 23, matched: 12 } });
    expect(requests(empty, WRITES)).toBe(writes);
  });
});

describe("a managed stack", () => {
  const connection = "c0ffee00-0000-4000-8000-000000000001";
  const theirs = {
    id: "c0ffee00-0000-4000-8000-000000000002",
    name: "App logs",
    kind: "log",
    connection,
    defaultTableSelectExpression: "T",
    timestampValueExpression: "T",
  };
  const IMPORT = "import a.zip --to $TO --create sources,webhooks,saved-searches --secrets secrets.yaml";

  it("gets what the connection of its own source of the same tables allows, and all with a map file for the other", async () => {
    const from = { databaseName: "default", tableName: "otel_logs" };
    const managed = await target({ variant: "managed", seed: { sources: [{ ...theirs, from }] } });
    const first = await json(managed, IMPORT);
    const left = (first["outcomes"] as Record<string, unknown>[]).filter(({ action }) => action === "blocked");
    expect(first).toMatchObject({ exitCode: 3, counts: { blocked: 6 } });
    expect(left.find(({ name }) => name === "Audit log")).toMatchObject({
      code: "missing-reference",
      message:
        'needs the connection "Archive", which has no counterpart on the target; the target does not offer to create one',
    });
    const { sources } = managed.stored();
    expect(sources.map(({ name }) => String(name)).toSorted()).toEqual(["App logs", "Metrics", "Sessions", "Traces"]);
    expect(new Set(sources.map((each) => each["connection"]))).toEqual(new Set([connection]));
    await writeFile(join(cwd, "map.yaml"), `connections:\n  Archive: ${connection}\n`);
    expect(await json(managed, `${IMPORT} --map map.yaml`)).toMatchObject({ exitCode: 0 });
    const again = await json(managed, `${IMPORT} --map map.yaml`);
    expect(again).toMatchObject({ exitCode: 0, counts: { unchanged: 23, matched: 11 } });
    expect(managed.stored().dashboards).toHaveLength(9);
    expect(managed.stored().alerts).toHaveLength(14);
  });

  it.each([
    ["one connection, which is the one, though not which of them is the source", connection, 3],
    ["two connections, of which none is", "c0ffee00-0000-4000-8000-000000000009", 0],
  ])("has two sources of the same tables over %s", async (_, other, created) => {
    const from = { databaseName: "default", tableName: "otel_logs" };
    const sources = [
      { ...theirs, from },
      { ...theirs, from, id: "c0ffee00-0000-4000-8000-000000000003", name: "App logs 2", connection: other },
    ];
    const managed = await target({ variant: "managed", seed: { sources } });
    const plan = await json(managed, `${IMPORT} --dry-run`);
    const outcomes = plan["outcomes"] as Record<string, unknown>[];
    expect(outcomes.find(({ name }) => name === "Logs")).toMatchObject({ code: "ambiguous" });
    const planned = outcomes.filter(({ kind, action }) => kind === "sources" && action === "create");
    expect(planned.map(({ name }) => name)).toHaveLength(created);
  });
});

it("a rebuild stores passwords, addresses, headers, parameters and bodies in the secrets files only", async () => {
  const { connections, webhooks } = source.stored();
  const secrets = [...JSON.stringify([connections, webhooks]).matchAll(/not-a-real-[a-z]+/giu)].map(
    ([secret]) => secret,
  );
  expect(new Set(secrets).size).toBeGreaterThan(5);
  const canaries = secrets.map((secret) => ({ name: secret, secret }));
  const files = await writtenBelow(cwd, { identity: "", passphrase: "" });
  const otherFiles = files.filter(({ where }) => !where.endsWith("secrets.yaml"));
  expect(otherFiles.some(({ where }) => where.endsWith(".journal"))).toBe(true);
  expect(secretsFoundIn(canaries, [...printed, ...otherFiles])).toEqual([]);
});
