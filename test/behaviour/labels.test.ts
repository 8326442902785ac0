import { describe, expect, it } from "vitest";
import { excluding, importInto, importStage, outcomeOf, planInto } from "../support/import-stage.ts";
import type { MemoryStack } from "../support/memory-stack.ts";
import { memoryStack, storedRecord } from "../support/memory-stack.ts";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import {
  emptyStack,
  importedBench,
  passThrough,
  listRecords,
  refuseRoute,
  smallBench,
  listedRecord,
} from "../support/small-bench.ts";
import { alert, dashboard, hexId, linkingTable, records, tileWith, webhook } from "../support/stack-records.ts";
import { fromOtherStack, logs, theirLogs } from "../support/import-samples.ts";

const namesOf = async ({ to }: SmallBench, kind: string): Promise<string[]> =>
  (await listRecords(to, kind)).map(({ name }) => name).toSorted();

describe("--tag", () => {
  it("adds to the tags that a dashboard has, in their order, and repeats none", async () => {
    await using bench = await smallBench();
    const tags = ["--tag", "new", "--tag", "kept", "--tag", "newer", "--tag", "new"];
    expect(documentOf(await bench.import(...tags))).toMatchObject({ exitCode: 0, counts: { create: 5 } });
    for (const { tags: stored } of await listRecords(bench.to, "dashboards")) {
      expect(stored).toEqual(["kept", "new", "newer"]);
    }
  });

  it("changes nothing the second time, with the same journal or another", async () => {
    await using bench = await smallBench();
    await bench.import("--tag", "new");
    const before = await listRecords(bench.to, "dashboards");
    for (const more of [[], ["--journal", "k"], ["--journal", "l", "--on-conflict", "update"]]) {
      const run = documentOf(await bench.import("--tag", "new", ...more));
      expect(run).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    }
    expect(await listRecords(bench.to, "dashboards")).toEqual(before);
  });

  it("of an import that updates is added to what the archive has, and taken away by a rollback", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", hexId("b", 1), { tags: ["theirs"] });
    await using bench = await smallBench({ ...emptyStack("b"), dashboards: [theirs] });
    expect((await bench.import("--tag", "new", "--on-conflict", "update")).exitCode).toBe(0);
    expect((await listedRecord(bench.to, "dashboards", "Three"))["tags"]).toEqual(["kept", "new"]);
    expect((await bench.rollback()).exitCode).toBe(0);
    expect((await listedRecord(bench.to, "dashboards", "Three"))["tags"]).toEqual(["theirs"]);
  });

  it("makes a record count as different that the target has without the tag", async () => {
    await using bench = await smallBench();
    await bench.import("--journal", "first");
    const skipped = documentOf(await bench.import("--tag", "new"));
    expect(skipped).toMatchObject({ exitCode: 0, counts: { skip: 3, matched: 3, unchanged: 2 } });
    expect((await listedRecord(bench.to, "dashboards", "One"))["tags"]).toEqual(["kept"]);
    const updated = documentOf(await bench.import("--tag", "new", "--on-conflict", "update"));
    expect(updated).toMatchObject({ exitCode: 0, counts: { update: 3, unchanged: 2 } });
    expect((await listedRecord(bench.to, "dashboards", "One"))["tags"]).toEqual(["kept", "new"]);
  });
});

describe("--name-prefix", () => {
  it("stands once before each name, however often the import is run", async () => {
    await using bench = await smallBench();
    const prefix = ["--name-prefix", "copy "];
    expect(documentOf(await bench.import(...prefix))).toMatchObject({ exitCode: 0, counts: { create: 5 } });
    for (const more of [[], ["--journal", "k"], ["--journal", "l", "--on-conflict", "update"]]) {
      const run = documentOf(await bench.import(...prefix, ...more));
      expect(run).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    }
    expect(await namesOf(bench, "dashboards")).toEqual(["copy One", "copy Three", "copy Two"]);
    expect(await namesOf(bench, "alerts")).toEqual(["copy Busy", "copy Quiet"]);
    expect(await namesOf(bench, "sources")).toEqual(["Logs"]);
    expect(await namesOf(bench, "webhooks")).toEqual(["pager"]);
  });

  it("makes copies beside records of the plain names, which stay what they were", async () => {
    await using bench = await smallBench();
    await bench.import("--journal", "plain");
    const before = await listRecords(bench.to, "dashboards");
    const run = documentOf(await bench.import("--name-prefix", "copy ", "--on-conflict", "update"));
    expect(run).toMatchObject({ exitCode: 0, counts: { create: 5 } });
    const after = await listRecords(bench.to, "dashboards");
    expect(after).toHaveLength(6);
    for (const record of before) expect(after).toContainEqual(record);
    const copy = await listedRecord(bench.to, "dashboards", "copy One");
    const two = await listedRecord(bench.to, "dashboards", "copy Two");
    expect(JSON.stringify(copy)).toContain(two.id);
    expect(documentOf(await bench.rollback())).toMatchObject({ exitCode: 0, counts: { delete: 5 } });
    expect(await listRecords(bench.to, "dashboards")).toEqual(before);
  });

  it("is no part of the name that the archive has: a name that begins with it gets it all the same", async () => {
    await using bench = await importedBench(undefined, "--name-prefix", "T");
    expect(await namesOf(bench, "dashboards")).toEqual(["TOne", "TThree", "TTwo"]);
  });

  it("with a tag is finished by the same command after a run that was stopped", async () => {
    await using bench = await smallBench();
    refuseRoute(bench, "POST alerts", 403);
    const words = ["--name-prefix", "copy ", "--tag", "new"];
    expect((await bench.import(...words)).exitCode).toBe(5);
    bench.watch = passThrough;
    expect((await bench.import(...words)).exitCode).toBe(0);
    expect(await namesOf(bench, "dashboards")).toEqual(["copy One", "copy Three", "copy Two"]);
    expect(await namesOf(bench, "alerts")).toEqual(["copy Busy", "copy Quiet"]);
    for (const { tags } of await listRecords(bench.to, "dashboards")) expect(tags).toEqual(["kept", "new"]);
  });
});

describe("labels", () => {
  const target = (): MemoryStack =>
    memoryStack({ dashboards: [], sources: [theirLogs], alerts: [], webhooks: [webhook(hexId("b", 2), "pager")] });
  const board = dashboard(hexId("a", 16), "One", hexId("a", 1), { tags: ["x"] });
  const archive = records({
    dashboards: [board],
    alerts: [alert(hexId("a", 32), null, board, hexId("a", 2)), alert(hexId("a", 33), "Busy", board, hexId("a", 2))],
    sources: [logs],
    webhooks: [webhook(hexId("a", 2), "pager")],
  });
  const bodiesOf = (stack: MemoryStack, kind: string) => [...(stack.records.get(kind)?.values() ?? [])];

  it("leave an alert without a name without one, and give alerts no tags", async () => {
    const stack = target();
    await importInto(stack, archive, { naming: { namePrefix: "copy ", tags: ["new"] } });
    expect(bodiesOf(stack, "alerts").map(({ name = null }) => name)).toEqual([null, "copy Busy"]);
    for (const body of bodiesOf(stack, "alerts")) expect(body).not.toHaveProperty("tags");
    expect(bodiesOf(stack, "dashboards")).toMatchObject([{ name: "copy One", tags: ["x", "new"] }]);
  });

  it("are given to a dashboard that has no tags at all, and none are made up where none are asked for", async () => {
    const { tags: _tags, ...bare } = board;
    const untagged = records({ dashboards: [bare], sources: [logs] });
    const tagged = target();
    await importInto(tagged, untagged, { naming: { tags: ["new"] } });
    expect(bodiesOf(tagged, "dashboards")).toMatchObject([{ name: "One", tags: ["new"] }]);
    const plain = target();
    await importInto(plain, untagged);
    expect(bodiesOf(plain, "dashboards")[0]).not.toHaveProperty("tags");
  });

  it("are checked against the limits of names and tags like the record's own", async () => {
    const long = records({ dashboards: [{ ...board, name: "n".repeat(1020), tags: [] }], sources: [logs] });
    const naming = { namePrefix: "copy ", tags: ["u".repeat(33)] };
    const stack = target();
    const [item] = (await planInto(stack, long, { naming })).items;
    const message = expect.stringMatching(/\/name: the first 1024 of 1025.*\/tags\/0: the first 32 of 33/) as string;
    expect(item).toMatchObject({ action: "blocked", code: "needs-fitting", message });
    expect((await importInto(stack, long, { naming, fitLimits: true })).exitCode).toBe(0);
    expect(bodiesOf(stack, "dashboards")).toMatchObject([{ tags: ["u".repeat(32)] }]);
    const [again] = (await planInto(stack, long, { naming, fitLimits: true })).items;
    expect(again).toMatchObject({ action: "unchanged" });
  });

  it("are not looked for in records that are only pointed to", async () => {
    const stack = target();
    await importInto(stack, archive);
    const options = { kinds: ["alerts"], naming: { namePrefix: "copy ", tags: ["new"] } };
    const plan = await planInto(stack, archive, options);
    const alerts = plan.items.filter(({ kind }) => kind === "alerts");
    expect(alerts.map(({ action }) => action).toSorted()).toEqual(["create", "unchanged"]);
    await importInto(stack, archive, options);
    expect(bodiesOf(stack, "dashboards")).toMatchObject([{ name: "One", tags: ["x"] }]);
    const [own] = bodiesOf(stack, "dashboards");
    for (const { dashboardId } of bodiesOf(stack, "alerts")) expect(dashboardId).toBe(own?.["id"]);
  });

  it.each([
    ["a state moves them to the copy", true, {}, "copy One"],
    ["they move without a state if the import may update", false, { onConflict: "update" }, "copy One"],
    ["without a state they stay, and their records are named", false, {}, "One"],
  ] as const)(
    "of a dashboard that is copied last: links lead to the original, and %s",
    async (...[, state, more, to]) => {
      const tiles = [
        tileWith(hexId("d", 1), "Link", linkingTable(hexId("a", 16), hexId("a", 1))),
        tileWith(hexId("d", 2), "Text", { displayType: "markdown", markdown: `see /dashboards/${hexId("a", 16)}` }),
      ];
      const linking = tiles.map((tile, at) => dashboard(hexId("a", 18 + at), `Links ${at}`, "", { tiles: [tile] }));
      const whole = [...archive, ...records({ dashboards: linking })];
      const [stack, options] = [target(), { ...fromOtherStack, naming: { namePrefix: "copy ", tags: [] } }];
      await importInto(stack, whole, fromOtherStack);
      const stage = importStage(stack, undefined, state);
      await stage.run(whole, { ...options, filter: excluding("One") });
      const run = await stage.run(whole, { ...options, ...more });
      const { id } = storedRecord(stack, "dashboards", to);
      for (const name of ["Links 0", "Links 1"]) {
        expect(JSON.stringify(storedRecord(stack, "dashboards", `copy ${name}`)), name).toContain(id);
      }
      expect(storedRecord(stack, "alerts", "copy Busy")).toMatchObject({ dashboardId: id });
      const outcome = to === "One" ? { action: "skip", code: "exists" } : { action: "update" };
      for (const name of ["Links 0", "Links 1", "Busy"]) expect(outcomeOf(run, name), name).toMatchObject(outcome);
    },
  );
});
