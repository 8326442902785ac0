import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RouteWrapper } from "../../../src/sandbox/resources/route.ts";
import { omitMembers } from "../../../src/sandbox/store.ts";
import { bodiesOf } from "../../support/archive-samples.ts";
import { startFakeServer } from "../../support/fake-server.ts";
import { dependencies } from "../../support/import-samples.ts";
import { outcomeLines } from "../../support/import-stage.ts";
import { programFor, sandboxEnv } from "../../support/program.ts";
import { archiveIds, dashboard, hexId, tileWith } from "../../support/stack-records.ts";
import { startSandbox, type SandboxSeed } from "../../support/start-sandbox.ts";

type Body = Readonly<Record<string, unknown>>;

const id = (letter: string, number: number): string => `${letter.repeat(23)}${number}`;
const notes = { displayType: "markdown", markdown: "#" };
const listedBoard = (number: number, more: Body = {}): Body => ({
  id: id("d", number),
  name: `Overview ${number}`,
  tags: [],
  tiles: [tileWith(`tile-${number}`, "Notes", notes)],
  ...more,
});
const listedAlert = (number: number, more: Body): Body => ({
  id: id("a", number),
  name: `Errors ${number}`,
  threshold: 1,
  thresholdType: "above",
  interval: "5m",
  channel: { type: "webhook", webhookId: id("b", 1) },
  ...more,
});
const codesOf = ({ warnings }: Body): string[] => (warnings as { code: string }[]).map(({ code }) => code);
/** The record with the most content: the export reads it singly before any other. */
const fullest = listedBoard(1, { tags: ["by far the longest of them all, and so the fullest record"] });
const containers = [{ id: "c1", title: "Rest", collapsed: false }];
const inContainer = listedBoard(2, { tiles: [tileWith("t", "", notes, { containerId: "c1" })], containers });

/**
 * Exports a stack whose lists leave out the members in `omitted`.
 * @param broken ids of records that cannot be read singly
 */
async function exportOf(
  kinds: Readonly<Record<string, readonly Body[]>>,
  omitted: readonly string[] = [],
  broken: readonly string[] = [],
) {
  const single: string[] = [];
  await using server = await startFakeServer((request, response) => {
    const [, , , kind = "", one] = new URL(request.url ?? "", "http://localhost").pathname.split("/");
    const records = kinds[kind] ?? [];
    const found = broken.includes(one ?? "") ? undefined : records.find((each) => each["id"] === one);
    const listed = records.map((each) =>
      Object.fromEntries(Object.entries(each).filter(([name]) => !omitted.includes(name))),
    );
    const list = { data: listed, meta: { total: listed.length, limit: 1000, offset: 0 } };
    if (one !== undefined) single.push(`${kind}/${one}`);
    response.setHeader("content-type", "application/json");
    if (one !== undefined && found === undefined) response.writeHead(404).end('{"message":"Not found"}');
    else response.end(JSON.stringify(one === undefined ? list : { data: found }));
  });
  const { cwd, json } = programFor({}, { STACKFERRY_API_KEY: "key-of-this-run" });
  const document = await json(`export --from ${server.url} --out a.zip`);
  return { document, codes: codesOf(document), single, bodies: await bodiesOf(join(cwd, "a.zip")) };
}
const documentWith = (exitCode: number, status: "complete" | "partial", count: number, kind = "dashboards") => ({
  exitCode,
  kinds: { [kind]: { status, count } },
});

describe("an export", () => {
  it("reads one record of each kind singly, and no more where the list shows all of it", async () => {
    const { document, single } = await exportOf({ dashboards: [1, 2, 3].map((number) => listedBoard(number)) });
    expect(document).toMatchObject(documentWith(0, "complete", 3));
    expect(single).toHaveLength(1);
  });

  const links = [{ id: "l1", title: "Rest" }];
  const [withLinks, alsoLinks] = [listedBoard(2, { links, tags: ["the fullest"] }), listedBoard(3, { links })];

  it.each([
    ["where the list leaves a member out", [listedBoard(1), withLinks, alsoLinks], "links"],
    ["of which a tile is in a container that the list leaves out", [fullest, inContainer], "containers"],
  ])("reads every record singly %s, and holds all of each", async (_, dashboards, omitted) => {
    const { document, bodies } = await exportOf({ dashboards }, [omitted]);
    expect(document).toMatchObject(documentWith(0, "complete", dashboards.length));
    for (const board of dashboards) expect(bodies).toContainEqual(expect.objectContaining(board));
  });

  it.each([
    ["if a dashboard cannot be read singly", [{ ...fullest, containers }, listedBoard(2, { containers })], [1, 1, 2]],
    ["if only the dashboard with a tile in a container cannot be read singly", [fullest, inContainer], [1, 2]],
  ])("exits 3 with the warning list-incomplete %s", async (_, dashboards, asked) => {
    const { document, codes, single } = await exportOf({ dashboards }, ["containers"], [id("d", 2)]);
    expect(document).toMatchObject(documentWith(3, "partial", 2));
    expect(codes).toEqual(["list-incomplete"]);
    expect(single.toSorted()).toEqual(asked.map((number) => `dashboards/${id("d", number)}`));
  });

  it("reads an alert with a chart of its own singly, and never calls it complete", async () => {
    const chartConfig = { displayType: "line" };
    const note = "x".repeat(99);
    const alerts = [
      listedAlert(1, { source: "inline", chartConfig }),
      listedAlert(2, { source: "saved_search", savedSearchId: id("e", 1), note }),
    ];
    const { document, codes, bodies } = await exportOf({ alerts }, ["chartConfig"]);
    expect(document).toMatchObject(documentWith(3, "partial", 2, "alerts"));
    expect(codes).toContain("unknown-form");
    expect(bodies).toContainEqual(expect.objectContaining({ id: id("a", 1), chartConfig }));
  });

  it("goes on where no single record can be read, as where a deployment has lists alone", async () => {
    const { document, codes } = await exportOf({ dashboards: [listedBoard(1)] }, [], [id("d", 1)]);
    expect(document).toMatchObject(documentWith(0, "complete", 1));
    expect(codes).toEqual([]);
  });
});

const boxed = (title: string) => ({
  containers: [{ id: "c1", title, collapsed: false }],
  tiles: [tileWith(`${hexId("a", 16).slice(0, 20)}f001`, "Notes", notes, { containerId: "c1" })],
});
const board = dashboard(hexId("a", 16), "Board", archiveIds.source, { ...boxed("Rest"), savedQuery: null });
const bare = {
  connections: [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }],
  ...dependencies.ours,
};
/** Leaves a member of dashboards out of their list, as a later release may. */
const withoutListed =
  (member: string): RouteWrapper =>
  (name, route) => ({
    ...route,
    handle: (stack, call) => {
      const reply = route.handle(stack, call);
      if (reply.is !== "list" || name !== "GET dashboards") return reply;
      return { ...reply, records: reply.records.map((record) => omitMembers(record as Body, [member])) };
    },
  });

/** Starts a stack, and a target whose list of dashboards leaves a member out. */
async function stacks(theirs: SandboxSeed = bare, member = "containers") {
  const from = await startSandbox({ variant: "self-hosted", seed: { ...bare, dashboards: [board] } });
  const to = await startSandbox({ variant: "self-hosted", seed: theirs }, withoutListed(member));
  const program = programFor({ FROM: from, TO: to }, sandboxEnv(from, to));
  const run = async (command: string) => {
    const document = await program.json(command);
    const outcomes = document["outcomes"] as readonly Record<"action" | "code" | "name", string>[];
    const decided = outcomes.filter(({ code }) => code !== "matched");
    const ends = outcomeLines(decided, "name", "action", "code");
    return { document, exitCode: document["exitCode"], codes: codesOf(document), ends };
  };
  return {
    ...program,
    to,
    migrate: (more = "") => run(`migrate --from $FROM --to $TO --on-conflict overwrite${more}`),
    rollback: () => run("rollback --to $TO --run 1 --yes"),
  };
}

describe("a target whose list leaves out the containers of dashboards", () => {
  const unchanged = { exitCode: 0, codes: [], ends: ["Board unchanged"] };

  it("is not said to have lost them, and the next run writes nothing", async () => {
    await using pair = await stacks();
    expect(await pair.migrate()).toMatchObject({ exitCode: 0, codes: [] });
    for (const more of [" --dry-run", ""]) expect(await pair.migrate(more)).toMatchObject(unchanged);
  });

  it("is not called changed on the target without the journal", async () => {
    await using pair = await stacks();
    await pair.migrate(" --journals first");
    expect(await pair.migrate(" --journals second")).toMatchObject(unchanged);
  });

  it("shows in the plan what an update changes, and gets it back by a rollback", async () => {
    await using pair = await stacks({ ...bare, dashboards: [{ ...board, ...boxed("Other") }] });
    const { document } = await pair.migrate(" --dry-run");
    const [update] = document["updates"] as readonly { members: readonly { pointer: string }[] }[];
    expect(update?.members.map(({ pointer }) => pointer)).toEqual(["/containers/0/title"]);
    expect((await pair.migrate()).exitCode).toBe(0);
    expect(pair.to.stored().dashboards).toMatchObject([boxed("Rest")]);
    expect(await pair.rollback()).toMatchObject({ exitCode: 0, ends: ["Board update"] });
    expect(pair.to.stored().dashboards).toMatchObject([boxed("Other")]);
  });

  it("lets a rollback delete what an import has created", async () => {
    await using pair = await stacks();
    await pair.migrate();
    expect((await pair.rollback()).ends).toEqual(["Board delete"]);
    expect(pair.to.stored()).toMatchObject({ dashboards: [], alerts: [] });
  });
});

it("a dashboard of which the list leaves out a member that no release is known to omit is not overwritten", async () => {
  const theirs = { ...board, tags: ["theirs"], savedQuery: "level:error", savedQueryLanguage: "lucene" };
  await using pair = await stacks({ ...bare, dashboards: [theirs] }, "savedQuery");
  expect(await pair.migrate()).toMatchObject({ exitCode: 3, ends: ["Board update changed-since"] });
  expect(pair.to.stored().dashboards).toMatchObject([{ tags: ["theirs"], savedQuery: "level:error" }]);
});
