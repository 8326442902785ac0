import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Interceptor, Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { programWithBackups } from "../support/program-with-backups.ts";
import { sandboxEnv, programForTwoStacks, type ProgramForTwoStacks } from "../support/program.ts";
import { writeSecretsOf } from "../support/stack-secrets.ts";

// These records can only be made in the web interface. The tests rebuild the stack from nothing, and the plan names what cannot
// be restored as it was.

interface Named {
  readonly kind: string;
  readonly name: string;
  readonly status?: string;
  readonly action?: string;
  readonly code?: string;
}

let stacks: ProgramForTwoStacks;
const ARGS = "--create all --secrets secrets.yaml --fit-limits";
const named = (document: Readonly<Record<string, unknown>>, is: (outcome: Named) => boolean): string[] =>
  (document["outcomes"] as Named[]).filter(is).map(({ kind, name }) => `${kind} ${name.trim()}`);
let writes: string[] = [];
const byText = (left: string, right: string): number => Number(left > right) - Number(left < right);
/** Returns the stored records without their times. */
const storedRecords = (sandbox: Sandbox): unknown =>
  JSON.parse(
    JSON.stringify(sandbox.stored(), (member, value: unknown) =>
      /^(?:updated|created)At$/.test(member) ? undefined : value,
    ),
  );

beforeAll(async () => {
  const intercept: Interceptor = ({ route, method }, proceed) => {
    if (method !== "GET" && !route.includes("validate")) writes.push(route);
    return proceed();
  };
  stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: "web" },
    { variant: "self-hosted", seed: "none", intercept },
  );
  const { from, to, cwd, json } = stacks;
  expect(await json("export --from $FROM --out a.zip")).toMatchObject({ exitCode: 0 });
  await writeSecretsOf(from, to, cwd);
  return () => stacks[Symbol.asyncDispose]();
}, 60_000);

it("a stack made on the web is rebuilt except for the planned losses, a second run writes nothing, and a rollback undoes the import", async () => {
  const { to, json } = stacks;
  const empty = storedRecords(to);
  const plan = await json(`import a.zip --to $TO ${ARGS} --dry-run`);
  const blocked = named(plan, ({ action }) => action === "blocked");
  const first = await json(`import a.zip --to $TO ${ARGS} --yes`);
  expect(named(first, ({ status, action }) => status === "failed" || action === "blocked")).toEqual(blocked);
  expect(blocked).toEqual(["alerts A node is down"]);
  const fitted = (plan["fitted"] as Named[]).map(({ kind, name }) => `${kind} ${name.trim()}`);
  const { diff } = (await json("diff $FROM $TO")) as unknown as { diff: { changes: Named[] } };
  const differing = diff.changes.map(({ kind, name }) => `${kind} ${name.trim()}`);
  expect(differing.toSorted(byText)).toEqual([...fitted, ...blocked].toSorted(byText));

  writes = [];
  const again = await json(`import a.zip --to $TO ${ARGS} --yes`);
  expect(named(again, ({ status, action }) => status === "failed" || action === "blocked")).toEqual(blocked);
  await json("export --from $TO --out code --format code", { env: sandboxEnv(to) });
  expect(await json("apply code --to $TO --yes")).toMatchObject({ exitCode: 0 });
  expect(writes).toEqual([]);

  await json(`rollback --to $TO --run ${String(first["run"])} --yes`);
  expect(storedRecords(to)).toEqual(empty);
});

it("a check restores such a stack onto a sandbox and names each record that differs", async () => {
  const { json: inFixture } = await programWithBackups({ production: stacks.from });
  await inFixture("backup production --to place");
  const { exitCode, restoreTests } = await inFixture("check place --restore-test");
  const [tested] = restoreTests as { problems: Named[]; differences: { code: string; message: string }[] }[];
  // Only one alert cannot be created again: no response contains the tile that it is on.
  expect(exitCode).toBe(3);
  expect(tested?.problems.map(({ kind, name, code }) => [kind, name, code])).toEqual([
    ["alerts", "A node is down", expect.any(String)],
  ]);
  const differing = (code: string) => tested?.differences.filter((each) => each.code === code).length;
  expect([differing("fitted"), differing("substitute-tiles"), differing("hidden-members")]).toEqual([5, 3, 1]);
  expect(differing("silenced")).toBe(1);
});

/** Settings that no answer shows, as the archive, its pages and docs/api.md name them. */
const NEVER_SHOWN = [
  /condition, limit, granularity/,
  /language of `?having/,
  /row stripes/,
  /ratioMode/,
  /fill values/,
  /implicitColumnExpression/,
  /sampleWeightExpression/,
  /eventTableSelect/,
  /selectGroupBy/,
  /quantile level/,
  /shows as `?none/,
  /name of a metric by SQL/,
  /value expression beside `?count/,
  /variable that is off/,
  /appliesToSourceIds`? without a broadcast/,
];

it("the archive, inspect, the page and docs/api.md name every setting that no answer shows", async () => {
  const { cwd, run } = stacks;
  const { stdout: inspected } = await run("inspect a.zip");
  const { stdout: manifest } = await run("inspect a.zip --json");
  expect((await run("report a.zip --out a.html")).exitCode).toBe(0);
  const page = await readFile(join(cwd, "a.html"), "utf8");
  const api = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
  for (const text of [inspected, manifest, page, api]) {
    const words = text.replaceAll(/\s+/g, " ");
    expect(NEVER_SHOWN.filter((name) => !name.test(words))).toEqual([]);
  }
});

it("plan and result of a rebuild say in one line what the archive does not hold, and where the sign is", async () => {
  await using pair = await programForTwoStacks(
    { variant: "self-hosted", seed: "web" },
    { variant: "self-hosted", seed: "none" },
  );
  const { from, to, cwd, json, run } = pair;
  await json("export --from $FROM --out a.zip");
  await writeSecretsOf(from, to, cwd);
  const { warnings } = await json(`import a.zip --to $TO ${ARGS} --dry-run`);
  const lacking = (warnings as { code: string; message: string }[]).filter(({ code }) => code === "hidden-members");
  expect(lacking).toHaveLength(1);
  expect(lacking[0]?.message).toMatch(/"Browser RUM": "Page views"/);
  const lines = (text: string): string[] => text.split("\n").filter((line) => line.includes("archive does not hold"));
  expect(lines((await run(`import a.zip --to $TO ${ARGS} --dry-run`)).stdout)).toHaveLength(1);
  expect(lines((await run(`import a.zip --to $TO ${ARGS} --yes`)).stdout)).toHaveLength(1);
  // What the API has made has ids of the API, so nothing is missing in an archive of the copy.
  await json("export --from $TO --out b.zip", { env: sandboxEnv(to) });
  const back = await json(`import b.zip --to $FROM ${ARGS} --dry-run --name-prefix copy`, {
    env: sandboxEnv(to, from),
  });
  expect((back["warnings"] as { code: string }[]).map(({ code }) => code)).not.toContain("hidden-members");
});

it("code files carry what the archive's manifest does: charts in place of tiles, and silences", async () => {
  await using pair = await programForTwoStacks(
    { variant: "self-hosted", seed: "web" },
    { variant: "self-hosted", seed: { ...stacks.from.stored(), dashboards: [], alerts: [] } },
  );
  const { cwd, json } = pair;
  await json("export --from $FROM --out code --format code");
  const sketches = await readFile(join(cwd, "code/dashboards/sketches.yaml"), "utf8");
  expect(
    sketches.match(/name: (.*)\n(?: {4}[xywh]: .*\n)+ {4}substitute: true/g)?.map((tile) => tile.split("\n")[0]),
  ).toEqual(["name: Select of words", "name: Needle", "name: Rows"]);
  const planned = await json("apply code --to $TO --fit-limits --dry-run");
  const codes = ["substitute-tiles", "silenced"];
  const named = (document: Readonly<Record<string, unknown>>): string[] =>
    (document["warnings"] as { code: string; message: string }[])
      .filter(({ code }) => codes.includes(code))
      .map(({ message }) => message);
  expect(named(planned)).toHaveLength(2);
  expect(named(planned).join("\n")).toMatch(
    /"Sketches".*"Select of words", "Needle", "Rows"[^]*silenced in the archive/,
  );
  const done = await json("apply code --to $TO --fit-limits --yes");
  expect(named(done)).toEqual(named(planned));
  expect(named(await json("apply code --to $TO --fit-limits --yes"))).toEqual([]);
  // The marks are no content: the files equal the stack that they come from, and a second export changes no byte.
  const inSource = { env: sandboxEnv(pair.from) };
  expect(await json("diff code $FROM", inSource)).toMatchObject({ exitCode: 0, diff: { changes: [] } });
  await json("export --from $FROM --out code --format code", inSource);
  expect(await readFile(join(cwd, "code/dashboards/sketches.yaml"), "utf8")).toBe(sketches);
});
