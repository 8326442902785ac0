import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordOn, recordsOn, sortedNamesOn } from "../support/on-stack.ts";
import {
  excluding,
  importInto,
  importStage,
  outcomeLines,
  outcomeOf,
  planInto,
  writesDuring,
  type ImportStage,
  type RunOptions,
  type StageRun,
} from "../support/import-stage.ts";
import { namesOn, type MemoryStack } from "../support/memory-stack.ts";
import { alertOn, archive, linkingBoard } from "../support/mirror-stage.ts";
import { rollBackJournal } from "../support/rollback-runs.ts";
import { documentOf } from "../support/run-cli.ts";
import { passThrough, refuseRoute, programWithArchive } from "../support/program-with-archive.ts";
import {
  alert,
  dashboard,
  hexId,
  linkingTable,
  records,
  tileWith,
  targetIds,
  archiveIds,
} from "../support/stack-records.ts";
import { board, fromOtherStack, logs, update, usualTarget } from "../support/import-samples.ts";

const kept = { tags: ["kept"] };
const pair = [linkingBoard(16, hexId("a", 17), kept), linkingBoard(17, hexId("a", 16), kept), board(18, kept)];
const all = archive(pair, [alertOn(18)]);
const tagged: RunOptions = { ...fromOtherStack, transforms: { tags: { set: ["new"] } } };
const prefixed: RunOptions = { namePrefix: "copy " };

const boardLines = ({ outcomes }: StageRun): string[] =>
  outcomeLines(outcomes.filter(({ kind }) => kind === "dashboards"));
const tagsOf = (stack: MemoryStack, name: string): unknown => recordOn(stack, "dashboards", name)["tags"];

/** Imports once onto an empty target. */
async function imported(options: RunOptions): Promise<{ stack: MemoryStack; stage: ImportStage }> {
  const stack = usualTarget();
  const stage = importStage(stack);
  expect((await stage.run(all, options)).exitCode).toBe(0);
  return { stack, stage };
}

it("a name prefix and tags of the stack are finished by the same command after a run that was stopped", async () => {
  await using program = await programWithArchive();
  refuseRoute(program, "POST alerts", 401);
  const transforms = { tags: { set: ["new", "kept", "newer"] } };
  const to = { variant: "self-hosted", baseUrl: program.to.stack, apiKey: "${env:STACKFERRY_TO_API_KEY}", transforms };
  await writeFile(join(program.cwd, "stackferry.yaml"), JSON.stringify({ stacks: { to } }));
  const labelled = () => program.run(["import", "a.zip", "--to", "to", "--name-prefix", "copy "]);
  expect((await labelled()).exitCode).toBe(5);
  program.watch = passThrough;
  expect((await labelled()).exitCode).toBe(0);
  expect(documentOf(await labelled())).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
  expect(await sortedNamesOn(program.to)).toEqual(["copy One", "copy Three", "copy Two"]);
  expect(await sortedNamesOn(program.to, "alerts")).toEqual(["copy Busy", "copy Quiet"]);
  expect([await sortedNamesOn(program.to, "sources"), await sortedNamesOn(program.to, "webhooks")]).toEqual([
    ["Logs"],
    ["pager"],
  ]);
  // A tag is added after those that the dashboard has, and none is repeated.
  for (const { tags: stored } of await recordsOn(program.to, "dashboards"))
    expect(stored).toEqual(["kept", "new", "newer"]);
});

it.each([
  ["transforms.tags", tagged],
  ["--name-prefix", prefixed],
])("%s changes nothing the second time, with the same journal or another", async (_, options) => {
  const { stack, stage } = await imported(options);
  const again = async (): Promise<void> => {
    await stage.run(all, options);
    await importStage(stack).run(all, options);
    await importStage(stack).run(all, { ...options, ...update });
  };
  expect(await writesDuring(stack, again)).toEqual([]);
});

describe("transforms.tags", () => {
  it("of an import that updates is added to what the archive has, and taken away by a rollback", async () => {
    const theirs = dashboard(hexId("b", 18), "Board 18", targetIds.source, { tags: ["theirs"] });
    const stack = usualTarget({ dashboards: [theirs] });
    const stage = importStage(stack);
    await stage.run(all, { ...tagged, ...update });
    expect(tagsOf(stack, "Board 18")).toEqual(["kept", "new"]);
    await rollBackJournal(stack, stage.history);
    expect(tagsOf(stack, "Board 18")).toEqual(["theirs"]);
  });

  it("makes a record count as different that the target has without the tag", async () => {
    const { stack } = await imported({});
    const lines = (end: string): string[] => [16, 17, 18].map((number) => `Board ${number} ${end}`);
    expect(boardLines(await importStage(stack).run(all, tagged))).toEqual(lines("skip done exists"));
    expect(tagsOf(stack, "Board 16")).toEqual(["kept"]);
    expect(boardLines(await importStage(stack).run(all, { ...tagged, ...update }))).toEqual(lines("update done"));
    expect(tagsOf(stack, "Board 16")).toEqual(["kept", "new"]);
  });
});

describe("--name-prefix", () => {
  it("makes copies beside records of the plain names, which stay what they were", async () => {
    const { stack } = await imported({});
    const before = recordsOn(stack, "dashboards");
    const stage = importStage(stack);
    await stage.run(all, { ...prefixed, ...update });
    expect(recordsOn(stack, "dashboards")).toHaveLength(6);
    expect(recordsOn(stack, "dashboards")).toEqual(expect.arrayContaining(before));
    const copy = JSON.stringify(recordOn(stack, "dashboards", "copy Board 16"));
    expect(copy).toContain(recordOn(stack, "dashboards", "copy Board 17").id);
    await rollBackJournal(stack, stage.history);
    expect(recordsOn(stack, "dashboards")).toEqual(before);
  });

  it("is no part of the name that the archive of another stack has: a name that begins with it gets it all the same", async () => {
    const { stack } = await imported({ ...fromOtherStack, namePrefix: "B" });
    expect(sortedNamesOn(stack)).toEqual(["BBoard 16", "BBoard 17", "BBoard 18"]);
  });
});

describe("labels", () => {
  const one = board(16, { name: "One", tags: ["x"] });
  const unnamed = alert(hexId("a", 32), null, one, archiveIds.webhook);
  const two = archive([one], [unnamed, alert(hexId("a", 33), "Busy", one, archiveIds.webhook)]);
  const both: RunOptions = { ...tagged, ...prefixed };

  it("leave an alert without a name without one, and give alerts no tags", async () => {
    const stack = usualTarget();
    await importInto(stack, two, both);
    expect(recordsOn(stack, "alerts").map(({ name = null }) => name)).toEqual([null, "copy Busy"]);
    for (const body of recordsOn(stack, "alerts")) expect(body).not.toHaveProperty("tags");
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ name: "copy One", tags: ["x", "new"] }]);
  });

  it("are given to a dashboard that has no tags at all, and none are made up where none are asked for", async () => {
    const { tags: _tags, ...bare } = one;
    const untagged = records({ dashboards: [bare], sources: [logs] });
    const [labelled, plain] = [usualTarget(), usualTarget()];
    await importInto(labelled, untagged, tagged);
    expect(recordsOn(labelled, "dashboards")).toMatchObject([{ name: "One", tags: ["new"] }]);
    await importInto(plain, untagged);
    expect(recordsOn(plain, "dashboards")[0]).not.toHaveProperty("tags");
  });

  it("are checked against the limits of names and tags like the record's own", async () => {
    const long = records({ dashboards: [{ ...one, name: "n".repeat(1020), tags: [] }], sources: [logs] });
    const labels = { ...prefixed, ...fromOtherStack, transforms: { tags: { set: ["u".repeat(33)] } } };
    const stack = usualTarget();
    const [item] = (await planInto(stack, long, labels)).items;
    const message = expect.stringMatching(/write name: the first 1024 of 1025.*tags\.0: the first 32 of 33/) as string;
    expect(item).toMatchObject({ action: "blocked", code: "needs-fitting", message });
    expect((await importInto(stack, long, { ...labels, fitLimits: true })).exitCode).toBe(0);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["u".repeat(32)] }]);
    const [again] = (await planInto(stack, long, { ...labels, fitLimits: true })).items;
    expect(again).toMatchObject({ action: "unchanged" });
  });

  it("are not looked for in records that are only pointed to", async () => {
    const stack = usualTarget();
    await importInto(stack, two);
    const options = { ...both, kinds: ["alerts"] };
    const plan = await planInto(stack, two, options);
    const alerts = plan.items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ action }) => action).toSorted()).toEqual(["create", "unchanged"]);
    await importInto(stack, two, options);
    expect([namesOn(stack), tagsOf(stack, "One")]).toEqual([["One"], ["x"]]);
    const { id } = recordOn(stack, "dashboards", "One");
    for (const { dashboardId } of recordsOn(stack, "alerts")) expect(dashboardId).toBe(id);
  });

  it("never move the original of an alert without a name to a copied dashboard", async () => {
    const stack = usualTarget();
    await importInto(stack, two, fromOtherStack);
    const stage = importStage(stack);
    for (const kinds of [["alerts"], [], []]) {
      expect((await stage.run(two, { ...fromOtherStack, ...prefixed, ...update, kinds })).exitCode).toBe(0);
    }
    const boards = ["One", "copy One"].map((name) => recordOn(stack, "dashboards", name).id);
    const nameless = recordsOn(stack, "alerts").filter(({ name }) => !name);
    expect(nameless.map(({ dashboardId }) => dashboardId)).toEqual(boards);
  });

  it.each([
    ["a journal moves them to the copy", true, {}, "copy One"],
    ["they move without a journal if the import may update", false, { onConflict: "overwrite" }, "copy One"],
    ["without a journal they stay, and their records are named", false, {}, "One"],
  ] as const)(
    "of a dashboard that is copied last: links lead to the original, and %s",
    async (...[, isKept, more, to]) => {
      const tiles = [
        tileWith(hexId("d", 1), "Link", linkingTable(hexId("a", 16), archiveIds.source)),
        tileWith(hexId("d", 2), "Text", { displayType: "markdown", markdown: `see /dashboards/${hexId("a", 16)}` }),
      ];
      const linking = tiles.map((tile, at) => dashboard(hexId("a", 18 + at), `Links ${at}`, "", { tiles: [tile] }));
      const whole = [...two, ...records({ dashboards: linking })];
      const [stack, options] = [usualTarget(), { ...fromOtherStack, ...prefixed }];
      await importInto(stack, whole, fromOtherStack);
      const stage = importStage(stack);
      await stage.run(whole, { ...options, filter: excluding("One") });
      if (!isKept) stage.history.length = 0;
      const run = await stage.run(whole, { ...options, ...more });
      const { id } = recordOn(stack, "dashboards", to);
      for (const name of ["Links 0", "Links 1"]) {
        expect(JSON.stringify(recordOn(stack, "dashboards", `copy ${name}`)), name).toContain(id);
      }
      // Without the journal, nothing tells that the alert has moved: it is one of its own.
      const places = recordsOn(stack, "alerts").flatMap((each) =>
        each["name"] === "copy Busy" ? each["dashboardId"] : [],
      );
      const copied = recordOn(stack, "dashboards", "copy One").id;
      const original = recordOn(stack, "dashboards", "One").id;
      expect(places).toEqual(isKept ? [copied] : [original, copied]);
      const outcome = to === "One" ? { action: "skip", code: "exists" } : { action: "update" };
      for (const name of ["Links 0", "Links 1"]) expect(outcomeOf(run, name), name).toMatchObject(outcome);
      expect(outcomeOf(run, "Busy")).toMatchObject({ action: isKept ? "update" : "create" });
    },
  );
});
