import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox, type SandboxSeed } from "../support/start-sandbox.ts";
import { programForTwoStacks, type ProgramForTwoStacks } from "../support/program.ts";
import { ignoreUsedPort, keepPreparedState, preparedState, type PreparedState } from "../support/prepared-state.ts";

// The tiles of "Browser RUM" were made in the web interface. They have settings that no answer shows, and that every update deletes.

type Tile = Readonly<Record<string, unknown>> & { readonly config: Readonly<Record<string, unknown>> };

function rumOf(stack: Sandbox): { readonly id: string; readonly tiles: readonly Tile[] } {
  const found = stack.stored().dashboards.find(({ name }) => name === "Browser RUM");
  if (found === undefined) throw new Error("no Browser RUM");
  return { id: found.id, tiles: found["tiles"] as Tile[] };
}

/** Lists the settings of the whole chart that the stack has stored: their names, with the names of the tiles. */
function hiddenSettings(stack: Sandbox): string[] {
  const names = ["where", "granularity", "limit", "alternateRowBackground", "ratioMode"];
  return rumOf(stack).tiles.flatMap(({ name, config }) =>
    names.filter((member) => config[member] !== undefined).map((member) => `${String(name)} ${member}`),
  );
}

/** Returns "Browser RUM" and one other dashboard of the stack of the web interface, with what they need. */
async function webDashboards(): Promise<SandboxSeed> {
  await using web = await startSandbox({ variant: "self-hosted", seed: "web" });
  const { connections, sources, dashboards } = web.stored();
  return {
    connections,
    sources,
    dashboards: dashboards.filter(({ name }) => /^(?:Browser RUM|Nodes)$/.test(String(name))),
  };
}

const seed = await webDashboards();

/** Starts a stack with two dashboards of the web interface and a copy of it, and imports one into the other: nothing differs. */
async function equalPair(): Promise<ProgramForTwoStacks> {
  const state = preparedState("equal pair");
  const again = state && (await startPair(state).catch(ignoreUsedPort));
  if (state && again) {
    await cp(state.folder, again.cwd, { recursive: true });
    return again;
  }
  const stacks = await startPair({ from: { seed }, to: { seed } });
  await writeFile(join(stacks.cwd, "stackferry.yaml"), "stacks: {}\n");
  await stacks.json("export --from $FROM --out a.zip");
  expect((await stacks.json("import a.zip --to $TO --yes"))["counts"]).not.toHaveProperty("update");
  if (state === undefined) await keepPreparedState("equal pair", stacks);
  return stacks;
}

const startPair = ({ from, to }: Omit<PreparedState, "folder">): Promise<ProgramForTwoStacks> =>
  programForTwoStacks({ variant: "self-hosted", ...from }, { variant: "self-hosted", ...to });

const UPDATE = `import a.zip --to $TO --on-conflict overwrite`;

/** Changes a tag and the width of "Page views" on the source, and exports the source in the form that the command reads. */
async function changeSource(
  { from, cwd, json }: ProgramForTwoStacks,
  tag: string,
  w: number,
  command = UPDATE,
): Promise<void> {
  await editRum(from, (rum) => ({ ...rum, tags: [tag], tiles: rum.tiles.map((tile) => widened(tile, w)) }));
  await rm(join(cwd, "a.zip"), { force: true });
  const out = command.startsWith("apply") ? "--format code --out code" : "--out a.zip";
  expect((await json(`export --from $FROM ${out}`)).exitCode).toBe(0);
}

const widened = (tile: Tile, w: number): Tile => (tile["name"] === "Page views" ? { ...tile, w } : tile);

/** Changes "Browser RUM" through the API, as another client does. */
async function editRum(stack: Sandbox, edit: (rum: { readonly tiles: readonly Tile[] }) => object): Promise<void> {
  const headers = { Authorization: `Bearer ${stack.apiKey}`, "content-type": "application/json" };
  const path = `${stack.url}/api/v2/dashboards/${rumOf(stack).id}`;
  const { data } = (await (await fetch(path, { headers })).json()) as { data: { tiles: Tile[] } };
  expect((await fetch(path, { method: "PUT", headers, body: JSON.stringify(edit(data)) })).status).toBe(200);
}

/** Returns the messages about tiles that were made in the web interface. */
const messagesOf = (document: Readonly<Record<string, unknown>>): string[] =>
  (document["warnings"] as { code: string; message: string }[])
    .filter(({ code, message }) => code === "may-lose-hidden" && message.includes("made in the web interface"))
    .map(({ message }) => message);

const TILES = ["Page views", "Largest paint", "Top pages", "Sessions", "Memory"];

/** Expects one message, which names the dashboard and its tiles. */
function expectNamed(messages: readonly string[]): void {
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain('"Browser RUM"');
  expect(TILES.filter((tile) => messages[0]?.includes(`"${tile}"`))).toEqual(TILES);
  expect(messages[0]).not.toContain("n0t3");
}

const expectSaid = (text: string): void =>
  expectNamed(text.split("\n").filter((line) => /made in the web interface.*are lost/.test(line)));

/** By command: the command line, which updates "Browser RUM" on the target. Each of them writes in its own way. */
const COMMANDS: readonly (readonly [string, string])[] = [
  ["an import that updates", UPDATE],
  ["--tile", `import a.zip --to $TO --include "Browser RUM" --tile "Page views"`],
  ["apply", `apply code --to $TO`],
];

describe("an update of a dashboard that was made in the web interface", () => {
  it.each(COMMANDS)("names the dashboard and its tiles in plan and result, and once alone: %s", async (_, command) => {
    await using stacks = await equalPair();
    const { to, json, run } = stacks;
    await changeSource(stacks, "newer", 5, command);
    const before = hiddenSettings(to);
    expect(before.length).toBeGreaterThan(4);
    expectNamed(messagesOf(await json(`${command} --dry-run`)));
    expectSaid((await run(`${command} --dry-run`)).stdout);
    expect(hiddenSettings(to)).toEqual(before);

    expectSaid((await run(`${command} --yes`)).stdout);
    expect(hiddenSettings(to)).toEqual([]);

    await changeSource(stacks, "newest", 7, command);
    const again = await json(`${command} --yes`);
    expect(again["counts"]).toMatchObject({ update: 1 });
    expect(messagesOf(again)).toEqual([]);
  });

  it("names them in the question, and in Markdown", async () => {
    await using stacks = await equalPair();
    const { to, run } = stacks;
    await changeSource(stacks, "newer", 5);
    const { stderr } = await run(UPDATE, { terminal: { columns: 400, answers: ["n"] } });
    expect(stderr.slice(stderr.lastIndexOf("a.zip ("))).toMatch(/made in the web interface[^]*Make this change/);
    expectSaid((await run(`${UPDATE} --dry-run --markdown`)).stdout);
    expect(hiddenSettings(to).length).toBeGreaterThan(0);
  });

  it("names them again once somebody has edited the dashboard", async () => {
    await using stacks = await equalPair();
    await changeSource(stacks, "newer", 5);
    await stacks.json(`${UPDATE} --yes`);
    await editRum(stacks.to, (rum) => ({ ...rum, tags: ["edited"] }));
    await changeSource(stacks, "newest", 7);
    expectNamed(messagesOf(await stacks.json(`${UPDATE} --dry-run`)));
  });
});

/** Returns the command that undoes a run, without `--yes`. */
const undoOf = (document: Readonly<Record<string, unknown>>): string =>
  `rollback --to $TO --run ${String(document["run"])}`;

describe("a rollback of such an update", () => {
  it("names the tiles in plan and result, and a rollback of the second update names none", async () => {
    await using stacks = await equalPair();
    const { json, run } = stacks;
    await changeSource(stacks, "newer", 5);
    const first = await json(`${UPDATE} --yes`);
    await changeSource(stacks, "newest", 7);
    const second = await json(`${UPDATE} --yes`);
    expect(messagesOf(await json(`${undoOf(second)} --yes`))).toEqual([]);
    expectNamed(messagesOf(await json(`${undoOf(first)} --dry-run`)));
    expectSaid((await run(`${undoOf(first)} --dry-run`)).stdout);
    const { stdout } = await run(`${undoOf(first)} --yes`);
    expectSaid(stdout);
    expect(stdout).toContain("1 put back");
  });

  it("leaves nothing hidden, so that the next update names none", async () => {
    await using stacks = await equalPair();
    const { json } = stacks;
    await changeSource(stacks, "newer", 5);
    await json(`${undoOf(await json(`${UPDATE} --yes`))} --yes`);
    const again = await json(`${UPDATE} --yes`);
    expect(again["counts"]).toMatchObject({ update: 1 });
    expect(messagesOf(again)).toEqual([]);
  });

  it("names the tiles that somebody may have set since, if it is forced", async () => {
    await using stacks = await equalPair();
    const { json } = stacks;
    await changeSource(stacks, "newer", 5);
    await json(`${UPDATE} --yes`);
    await changeSource(stacks, "newest", 7);
    const second = await json(`${UPDATE} --yes`);
    await editRum(stacks.to, (rum) => ({ ...rum, tags: ["edited"] }));
    expectNamed(messagesOf(await json(`${undoOf(second)} --force --dry-run`)));
  });
});
