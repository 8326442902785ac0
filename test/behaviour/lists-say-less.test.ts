import { describe, expect, it } from "vitest";
import { bodiesOf, sampleRecord } from "../support/archive-samples.ts";
import { startOddServer } from "../support/odd-server.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { join } from "node:path";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { alert, dashboard, hexId } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { needs } from "../support/usual-stacks.ts";
import type { StoredBackups } from "../support/stored-backups.ts";
import { nameAt, storedBackups } from "../support/stored-backups.ts";

type Body = Readonly<Record<string, unknown>>;

const id = (letter: string, number: number): string => `${letter.repeat(23)}${number}`;
const env = { STACKFERRY_API_KEY: "key-of-this-run" };

const listedBoard = (number: number, more: Body = {}): Body => ({
  id: id("d", number),
  name: `Overview ${number}`,
  tags: [],
  tiles: [
    { id: `tile-${number}`, name: "Notes", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "#" } },
  ],
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

/** A stack whose lists leave members out. `broken`: ids that no single answer has. */
function stackWith(
  kinds: Readonly<Record<string, readonly Body[]>>,
  omitted: readonly string[],
  broken: readonly string[] = [],
) {
  const asked: string[] = [];
  const server = startOddServer((request, response) => {
    const [, , , kind = "", one] = new URL(request.url ?? "", "http://localhost").pathname.split("/");
    asked.push(one === undefined ? kind : `${kind}/${one}`);
    const records = kinds[kind] ?? [];
    const single = records.find((each) => each["id"] === one);
    const data = records.map((each) =>
      Object.fromEntries(Object.entries(each).filter(([name]) => !omitted.includes(name))),
    );
    response.setHeader("content-type", "application/json");
    if (one === undefined) response.end(JSON.stringify({ data, meta: { total: data.length, limit: 1000, offset: 0 } }));
    else if (single === undefined || broken.includes(one)) response.writeHead(404).end('{"message":"Not found"}');
    else response.end(JSON.stringify({ data: single }));
  });
  return { server, asked };
}

async function exportOf(url: string) {
  const run = await runCli(["export", "--from", url, "--out", "a.zip", "--json"], { env });
  const document = documentOf(run);
  return { document, codes: (document["warnings"] as { code: string }[]).map(({ code }) => code), run };
}

describe("an export", () => {
  it("reads one record of each kind singly, and no more where the list shows all of it", async () => {
    const { server, asked } = stackWith({ dashboards: [listedBoard(1), listedBoard(2), listedBoard(3)] }, []);
    await using stack = await server;
    const { document } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete", count: 3 } } });
    expect(asked.filter((path) => path.includes("/"))).toHaveLength(1);
  });

  it("reads every record singly where the list leaves a member out, and holds all of each", async () => {
    const links = [{ id: "l1", title: "Rest" }];
    const all = [
      listedBoard(1),
      listedBoard(2, { links, tags: ["long enough to be the fullest"] }),
      listedBoard(3, { links }),
    ];
    const { server } = stackWith({ dashboards: all }, ["links"]);
    await using stack = await server;
    const { document, run } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete", count: 3 } } });
    const bodies = await bodiesOf(`${run.cwd}/a.zip`);
    for (const number of [2, 3]) expect(bodies).toContainEqual(expect.objectContaining({ id: id("d", number), links }));
  });

  it("reads a dashboard singly whose tiles are in containers that the list leaves out", async () => {
    const containers = [{ id: "c1", title: "Rest", collapsed: false }];
    const tiles = [
      { id: "t", name: "", x: 0, y: 0, w: 6, h: 3, containerId: "c1", config: { displayType: "markdown" } },
    ];
    const all = [
      listedBoard(1, { tags: ["by far the longest of them all, and so the fullest record"] }),
      listedBoard(2, { tiles, containers }),
    ];
    const { server } = stackWith({ dashboards: all }, ["containers"]);
    await using stack = await server;
    const { document, run } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete", count: 2 } } });
    expect(await bodiesOf(`${run.cwd}/a.zip`)).toContainEqual(expect.objectContaining({ id: id("d", 2), containers }));
  });

  it("ends with 3 and says so where not all of them can be read singly", async () => {
    const containers = [{ id: "c1", title: "Rest", collapsed: false }];
    const all = [listedBoard(1, { containers: [...containers, ...containers] }), listedBoard(2, { containers })];
    const { server } = stackWith({ dashboards: all }, ["containers"], [id("d", 2)]);
    await using stack = await server;
    const { document, codes } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 3, kinds: { dashboards: { status: "partial", count: 2 } } });
    expect(codes).toContain("list-says-less");
  });

  it("ends with 3 where only such a dashboard cannot be read singly, and names no member", async () => {
    const tiles = [
      { id: "t", name: "", x: 0, y: 0, w: 6, h: 3, containerId: "c1", config: { displayType: "markdown" } },
    ];
    const all = [
      listedBoard(1, { tags: ["by far the longest of them all, and so the fullest record"] }),
      listedBoard(2, { tiles, containers: [{ id: "c1", title: "Rest", collapsed: false }] }),
    ];
    const { server, asked } = stackWith({ dashboards: all }, ["containers"], [id("d", 2)]);
    await using stack = await server;
    const { document, codes } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 3, kinds: { dashboards: { status: "partial", count: 2 } } });
    expect(codes).toEqual(["list-says-less"]);
    expect(asked.filter((path) => path.includes("/")).toSorted()).toEqual([
      `dashboards/${id("d", 1)}`,
      `dashboards/${id("d", 2)}`,
    ]);
  });

  it("reads an alert with a chart of its own singly, and never calls it complete", async () => {
    const chartConfig = { displayType: "line" };
    const alerts = [
      listedAlert(1, { source: "inline", chartConfig }),
      listedAlert(2, { source: "saved_search", savedSearchId: id("e", 1), note: "x".repeat(99) }),
    ];
    const { server } = stackWith({ alerts }, ["chartConfig"]);
    await using stack = await server;
    const { document, codes, run } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 3, kinds: { alerts: { status: "partial", count: 2 } } });
    expect(codes).toContain("unknown-form");
    expect(await bodiesOf(`${run.cwd}/a.zip`)).toContainEqual(expect.objectContaining({ id: id("a", 1), chartConfig }));
  });

  it("goes on where no single record can be read, as where a deployment has lists alone", async () => {
    const { server } = stackWith({ dashboards: [listedBoard(1)] }, [], [id("d", 1)]);
    await using stack = await server;
    const { document } = await exportOf(stack.url);
    expect(document).toMatchObject({ exitCode: 0, kinds: { dashboards: { status: "complete" } }, warnings: [] });
  });
});

const board = dashboard(hexId("a", 16), "Board", hexId("a", 1), {
  savedQuery: "level:error",
  savedQueryLanguage: "lucene",
});
const noted = alert(hexId("a", 32), "Busy", board, hexId("a", 2), { note: "call me" });
const bare = {
  connections: [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }],
  ...needs.ours,
};
/** Of a later release than any that is known: these lists are not the ones that are known to leave something out. */
const listOmits = { dashboards: ["savedQuery"], alerts: ["note"] };

/** A stack, and one whose lists say less. */
async function stacks(theirs: Parameters<typeof startSandbox>[0]["seed"] = bare) {
  const folder = temporaryFolder();
  const from = await startSandbox({ variant: "self-hosted", seed: { ...bare, dashboards: [board], alerts: [noted] } });
  const to = await startSandbox({ variant: "self-hosted", seed: theirs, listOmits });
  let runs = 0;
  const run = async (command: string, ...words: readonly string[]) => {
    const document = documentOf(
      await runCli([command, ...words, "--consistency-wait", "1ms", "--json"], { env: sandboxEnv(from, to) }),
    );
    const outcomes = document["outcomes"] as readonly Record<"kind" | "action" | "code" | "name", string>[];
    return {
      document,
      exitCode: document["exitCode"],
      codes: (document["warnings"] as readonly { code: string }[]).map(({ code }) => code),
      actions: outcomes.filter(({ code }) => code !== "matched").map(({ name, action, code }) => [name, action, code]),
    };
  };
  const state = join(folder, "state.json");
  return {
    from,
    to,
    state,
    journal: () => join(folder, `${runs}.journal`),
    /** Nothing is known of an earlier run, unless there is a state. */
    migrate: (...flags: readonly string[]) => {
      runs += 1;
      const journal = ["--journal", join(folder, `${runs}.journal`), "--on-conflict", "update"];
      return run("migrate", "--from", from.stack, "--to", to.stack, ...journal, ...flags);
    },
    rollback: () => run("rollback", join(folder, `${runs}.journal`), "--to", to.stack, "--yes"),
    async [Symbol.asyncDispose]() {
      await from.close();
      await to.close();
    },
  };
}

describe("a target whose lists leave members out that its records have", () => {
  it("is not said to have lost them, and the next run writes nothing", async () => {
    await using pair = await stacks();
    const first = await pair.migrate("--yes");
    expect(first).toMatchObject({ exitCode: 0, codes: [] });
    for (const flags of [["--dry-run"], ["--yes"]]) {
      const again = await pair.migrate(...flags);
      expect(again).toMatchObject({ exitCode: 0, codes: [] });
      expect(again.actions).toEqual([
        ["Board", "unchanged", undefined],
        ["Busy", "unchanged", undefined],
      ]);
    }
  });

  it("is not said to have been changed by somebody, where it is remembered what was written", async () => {
    await using pair = await stacks();
    await pair.migrate("--yes", "--state", pair.state);
    const again = await pair.migrate("--yes", "--state", pair.state);
    expect(again.actions.map(([, action, code]) => [action, code])).toEqual([
      ["unchanged", undefined],
      ["unchanged", undefined],
    ]);
  });

  it("shows in the plan what an update removes, and gets it back by a rollback", async () => {
    const theirs = { ...bare, dashboards: [board], alerts: [{ ...noted, note: "call nobody", threshold: 4 }] };
    await using pair = await stacks(theirs);
    const { document } = await pair.migrate("--dry-run");
    const [update] = document["updates"] as readonly { members: readonly { pointer: string }[] }[];
    expect(update?.members.map(({ pointer }) => pointer)).toEqual(["/note", "/threshold"]);
    expect((await pair.migrate("--yes")).exitCode).toBe(0);
    expect(pair.to.stored().alerts).toMatchObject([{ note: "call me", threshold: 10 }]);
    const undone = await pair.rollback();
    expect(undone).toMatchObject({ exitCode: 0, actions: [["Busy", "update", undefined]] });
    expect(pair.to.stored().alerts).toMatchObject([{ note: "call nobody", threshold: 4 }]);
  });

  it("lets a rollback delete what an import has created", async () => {
    await using pair = await stacks();
    await pair.migrate("--yes");
    const undone = await pair.rollback();
    expect(undone.actions.map(([, action]) => action)).toEqual(["delete", "delete"]);
    expect(pair.to.stored()).toMatchObject({ dashboards: [], alerts: [] });
  });
});

const HOUR = 3_600_000;

type Counts = Readonly<Record<string, number>>;

const FULL: Counts = { dashboards: 9, alerts: 14, "saved-searches": 4, sources: 40, webhooks: 20 };

const recordsOf = (counts: Counts) =>
  Object.entries(counts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, index) => sampleRecord(`${kind}${index}`, kind, { tiles: [] })),
  );

/** A backup of the full stack at hour 0, then one of it with some counts changed at hour 1. */
async function afterwards(changed: Counts): Promise<{
  readonly bench: StoredBackups;
  readonly result: Awaited<ReturnType<StoredBackups["backup"]>>;
}> {
  const bench = await storedBackups();
  const kinds = Object.fromEntries(
    Object.entries({ ...FULL, ...changed }).map(([kind, count]) => [kind, { status: "complete", count } as const]),
  );
  await bench.backup({ records: recordsOf(FULL) });
  await bench.clock.advance(HOUR);
  return {
    bench,
    result: await bench.backup({ records: recordsOf({ ...FULL, ...changed }), kinds, policy: { last: 1 } }),
  };
}

describe("a kind that people write by hand makes a backup suspect", () => {
  it.each<[Counts, string[]]>([
    [{ alerts: 0 }, ["kind-shrunk"]],
    [{ dashboards: 2 }, ["kind-shrunk"]],
    [{ dashboards: 0 }, ["kind-shrunk"]],
    [{ "saved-searches": 1 }, ["kind-shrunk"]],
    [{ "saved-searches": 0 }, ["kind-shrunk"]],
    [{ alerts: 7 }, []],
    [{ alerts: 6 }, ["kind-shrunk"]],
    [{ alerts: 13, dashboards: 8 }, []],
    [{ webhooks: 0 }, []],
    [{ alerts: 15 }, []],
  ])("%j: %j", async (changed, codes) => {
    const { bench, result } = await afterwards(changed);
    expect(result.suspect.map(({ code }) => code)).toEqual(codes);
    expect((await bench.archives()).length).toBe(codes.length === 0 ? 1 : 2);
    expect(await bench.choose("latest")).toBe(nameAt(codes.length === 0 ? 1 : 0));
  });

  it("where it falls to nothing also without a share, and not where it only shrinks", async () => {
    for (const [alerts, suspect] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const bench = await storedBackups();
      Object.assign(bench.dependencies, { minShare: 0 });
      await bench.backup({ records: recordsOf(FULL) });
      await bench.clock.advance(HOUR);
      expect((await bench.backup({ records: recordsOf({ ...FULL, alerts }) })).suspect).toHaveLength(suspect);
    }
  });
});

describe("whatever shrinks is told", () => {
  it("by the run, and by those who look at it later, status or not", async () => {
    const { bench, result } = await afterwards({ webhooks: 18, alerts: 13 });
    expect(result.shrinkage).toBe("alerts 14 → 13, webhooks 20 → 18");
    expect(result.state).toMatchObject({ suspect: false, shrunkFrom: { alerts: 14, webhooks: 20 } });
    expect(await bench.check()).toMatchObject([{ state: { shrunkFrom: { alerts: 14, webhooks: 20 } } }]);

    const whole = await afterwards({ alerts: 0 });
    await whole.bench.repository.remove("s/status.json");
    expect(await whole.bench.check()).toMatchObject([
      {
        suspect: [{ archive: nameAt(1), problem: "alerts 14 → 0" }],
        state: { suspect: true, shrunkFrom: { alerts: 14 } },
      },
    ]);
  });

  it("by a run that finds the same little again", async () => {
    const { bench } = await afterwards({ alerts: 0 });
    await bench.clock.advance(HOUR);
    const records = recordsOf({ ...FULL, alerts: 0 });
    const kinds = Object.fromEntries(
      Object.entries({ ...FULL, alerts: 0 }).map(([kind, count]) => [kind, { status: "complete", count } as const]),
    );
    expect(await bench.backup({ records, kinds, ifChanged: true })).toMatchObject({
      result: "unchanged",
      suspect: [{ code: "kind-shrunk" }],
      shrinkage: "alerts 14 → 0",
    });
  });

  it("of nothing where nothing does", async () => {
    const { result } = await afterwards({ alerts: 20 });
    expect(result.shrinkage).toBe("");
    expect(result.state.shrunkFrom).toBeUndefined();
  });
});
