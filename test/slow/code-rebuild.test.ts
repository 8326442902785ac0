import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { checkRebuild, readWholeStack, type WholeStack } from "../support/independent-check.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { oddNames } from "../support/odd-names.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { propertyRuns } from "../support/tries.ts";
import { changeCount } from "../support/read-sandbox.ts";

type Stored = Record<string, { readonly id: string; readonly [member: string]: unknown }[]>;

async function exported(sandbox: Sandbox, cwd: string, out: string): Promise<Record<string, string>> {
  const args = ["export", "--from", sandbox.stack, "--format", "code", "--out", out];
  const { exitCode, stdout, stderr } = await runCli(args, { cwd, env: sandboxEnv(sandbox) });
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toContain("`stackferry apply … --create all --draft-secrets FILE` lists them");
  const files = (await readdir(join(cwd, out), { recursive: true })).filter((file) => file.endsWith(".yaml"));
  const texts = files.toSorted().map(async (file) => [file, await readFile(join(cwd, out, file), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

/** Applies the folder `stack`. */
async function apply(sandbox: Sandbox, cwd: string, ...more: string[]): Promise<Record<string, unknown>> {
  const args = ["apply", "stack", "--to", sandbox.stack, "--json", ...more];
  return documentOf(await runCli(args, { cwd, env: sandboxEnv(sandbox) }));
}

/** Fills in a drafted secrets file with these secrets, and with null for all others. */
async function answer(path: string, secrets: Readonly<Record<string, unknown>>): Promise<void> {
  const draft = parse(await readFile(path, "utf8")) as Record<string, Record<string, { context: string }>>;
  expect(Object.keys(draft).length).toBeGreaterThan(0);
  const lines = Object.entries(draft).map(([record, places]) => {
    const answers = Object.entries(places).map(([pointer, { context }]) => {
      return [pointer, { context, value: secrets[pointer] ?? null }] as const;
    });
    return [record, Object.fromEntries(answers)] as const;
  });
  await writeFile(path, JSON.stringify(Object.fromEntries(lines)), { mode: 0o600 });
}

/** Members that may be absent instead of having this value. */
const DEFAULTS: Readonly<Record<string, unknown>> = { where: "", whereLanguage: "lucene", scheduleOffsetMinutes: 0 };

/**
 * Returns a stack without differences that files do not keep: tiles are sorted by row and column, default values are left
 * out, and an address is cut to its origin, because the test fills in the rest.
 */
function comparable(stack: WholeStack): WholeStack {
  const text = JSON.stringify([...stack], (member, value: unknown) => {
    if (Object.hasOwn(DEFAULTS, member) && value === DEFAULTS[member]) return undefined;
    if (member === "url") return new URL(String(value)).origin;
    return member === "tiles" ? (value as Place[]).toSorted((one, other) => one.y - other.y || one.x - other.x) : value;
  });
  return new Map(JSON.parse(text) as [string, Record<string, unknown>[]][]);
}

interface Place {
  readonly x: number;
  readonly y: number;
}

async function differences(before: Sandbox, after: Sandbox): Promise<unknown> {
  const [were, are] = [await readWholeStack(before), await readWholeStack(after)];
  return checkRebuild(comparable(were), comparable(are)).filter(([, found]) => found.length > 0);
}

/**
 * Rebuilds a stack from its files, and exports the result. Expects that the two exports are equal and that both can be
 * applied without a change.
 */
async function rebuild(seed: "sample" | Stored): Promise<Sandbox> {
  await using source = await startSandbox({ variant: "self-hosted", seed });
  const target = await startSandbox({ variant: "self-hosted" });
  const cwd = temporaryFolder();
  const files = await exported(source, cwd, "stack");
  const create = ["--create", "all"];
  const drafted = await apply(target, cwd, ...create, "--dry-run", "--draft-secrets", "secrets.yaml");
  expect([drafted["exitCode"], changeCount(target)]).toEqual([3, 0]);
  await answer(join(cwd, "secrets.yaml"), {
    "/password": "not-a-real-password",
    "/url": "not-a-real-path",
    "/headers": { "X-Key": "not-a-real-header" },
  });
  const applied = await apply(target, cwd, ...create, "--secrets", "secrets.yaml", "--yes");
  expect(applied).toMatchObject({ exitCode: 0, counts: { create: Object.keys(files).length } });
  expect(await differences(source, target)).toEqual([]);
  expect(await exported(target, cwd, "again")).toEqual(files);
  const before = changeCount(target);
  for (const sandbox of [source, target]) {
    const again = await apply(sandbox, cwd, "--yes");
    expect(Object.keys(Object(again["counts"])).toSorted()).toEqual(["matched", "unchanged"]);
  }
  expect([changeCount(source), changeCount(target) - before]).toEqual([0, 0]);
  return target;
}

it("files rebuild an empty stack with the secrets of a completed draft", async () => {
  await using target = await rebuild("sample");
  const { connections, webhooks } = target.stored();
  expect(new Set(connections.map(({ password }) => password))).toEqual(new Set(["not-a-real-password"]));
  const pager = webhooks.find(({ name }) => name === "pager");
  expect(pager).toMatchObject({ headers: { "X-Key": "not-a-real-header" } });
  expect(pager?.["url"]).toBe("https://pager.example.com/not-a-real-path");
});

it("files rebuild a stack with odd names of records and tiles", async () => {
  await using sample = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const stored: Stored = JSON.parse(JSON.stringify(sample.stored()));
  await fc.assert(
    fc.asyncProperty(fc.array(oddNames, { minLength: 2, maxLength: 9 }), async (names) => {
      const target = await rebuild(renamed(stored, names));
      await target.close();
    }),
    propertyRuns(5),
  );
}, 240_000);

/** Returns the records with these names, in turn. Some kinds need a name without blanks around it. */
function renamed(stored: Stored, names: readonly string[]): Stored {
  let at = 0;
  const next = (): string => names[(at += 1) % names.length] ?? "";
  const filled = (most: number): string => next().trim().slice(0, most) || `unnamed ${at}`;
  const taken = new Set<string>();
  const kinds = Object.entries(stored).map(([kind, records]) => {
    const made = records.map((body) => {
      if (kind === "connections") return { ...body, name: next() };
      if (kind === "dashboards") {
        const tiles = (body["tiles"] as object[]).map((tile) => ({ ...tile, name: next() }));
        return { ...body, name: next(), tiles };
      }
      const name = filled(100);
      const key = `${kind} ${String(body["service"])} ${name}`;
      const isUnique = kind !== "webhooks" || !taken.has(key);
      taken.add(key);
      return { ...body, name: isUnique ? name : `${name} ${at}` };
    });
    return [kind, made] as const;
  });
  return Object.fromEntries(kinds);
}
