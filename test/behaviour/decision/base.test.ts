import { describe, expect, it } from "vitest";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import {
  importStage,
  outcomeOf,
  bodiesSentTo,
  tileIds,
  outcomeLines,
  writesDuring,
  warningMessages,
  writesOn,
  type ImportStage,
  type JsonObject,
  type RunOptions,
  type StackRecord,
  type StageRun,
} from "../../support/import-stage.ts";
import {
  deleteRecord,
  runKilled,
  namesOn,
  putRecord,
  memoryStack,
  refusalError,
  failOperation,
  type MemoryStack,
} from "../../support/memory-stack.ts";
import {
  alertOn,
  archive,
  stageAfterImport,
  linkingBoard,
  noteSeen,
  mirror,
  mirrorAll,
  update,
} from "../../support/mirror-stage.ts";
import {
  alert,
  dashboard,
  hexId,
  records,
  source,
  tileOf,
  tileWith,
  webhook,
  archiveIds,
  targetIds,
} from "../../support/stack-records.ts";
import { board, usualTarget } from "../../support/import-samples.ts";

const keep = { ...update, onConflict: "keep" } as const;
const busy = alert(hexId("a", 32), "Busy", board(16), archiveIds.webhook);
/** Returns a line for each dashboard's outcome. */
const outcomeLinesOfBoards = ({ outcomes }: StageRun): string[] =>
  outcomeLines(
    outcomes.filter(({ kind }) => kind === "dashboards"),
    "name",
    "action",
    "code",
  );
const renamed = archive([board(16, { name: "Renamed" })]);
/** Returns a dashboard named "Board 16" that somebody else created. */
const theirs = (more: JsonObject = {}): JsonObject => dashboard(hexId("b", 16), "Board 16", targetIds.source, more);

describe("a run that knows of no earlier run", () => {
  it("warns once where records differ, and not where all are equal or new", async () => {
    const differing = usualTarget({
      dashboards: [
        theirs({ tags: ["theirs"] }),
        { ...theirs(), id: hexId("b", 17), name: "Board 17", tags: ["theirs"] },
      ],
    });
    const stage = importStage(differing);
    const first = await stage.run(archive([board(16), board(17), board(18)]), keep);
    expect(warningMessages(first.plan, "no-journal")).toHaveLength(1);
    expect(warningMessages((await stage.run(archive([board(16)]), keep)).plan, "no-journal")).toEqual([]);
    const fresh = await importStage(usualTarget()).run(archive([board(16)]), keep);
    expect(warningMessages(fresh.plan, "no-journal")).toEqual([]);
  });
});

it("one record of the target is the counterpart of one record, though two runs have paired it with two", async () => {
  const twins = [board(16, { name: "Twin" }), board(17, { name: "Twin" })];
  const { stack, stage } = await stageAfterImport(twins);
  deleteRecord(stack, "dashboards", "Twin");
  // An archive from before the copy was made.
  await stage.run(archive(twins.slice(0, 1)), keep);
  await stage.run(archive(twins), keep);
  expect(namesOn(stack)).toEqual(["Twin", "Twin"]);
});

describe("a record that was renamed at the source", () => {
  it("is updated, and its alert is not doubled", async () => {
    const { stack, stage } = await stageAfterImport([board(16)], [busy]);
    const before = recordOn(stack, "dashboards", "Board 16");
    const run = await stage.run(archive([board(16, { name: "Renamed" })], [{ ...busy, name: "Busier" }]), update);
    expect(run.exitCode).toBe(0);
    expect(namesOn(stack)).toEqual(["Renamed"]);
    expect(recordsOn(stack, "alerts")).toMatchObject([{ name: "Busier", dashboardId: before.id }]);
    expect(writesOn(stack).toSorted()).toEqual(["update alerts", "update dashboards"]);
    expect(outcomeOf(run, "Renamed")).toMatchObject({ action: "update", targetName: "Board 16" });
  });

  it("counts as another record without a journal", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    stage.history.length = 0;
    await stage.run(renamed, update);
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed"]);
  });

  it("is an update also without --on-conflict overwrite", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const run = await stage.run(renamed, keep);
    expect(outcomeLinesOfBoards(run)).toEqual(["Renamed update"]);
    expect(namesOn(stack)).toEqual(["Renamed"]);
  });

  it("gives its old name to another one", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const idOf = (name: string): string => recordOn(stack, "dashboards", name).id;
    const [one, two] = [idOf("Board 16"), idOf("Board 17")];
    await stage.run(archive([board(16, { name: "Board 17" }), board(17, { name: "Board 16" })]), update);
    expect([idOf("Board 17"), idOf("Board 16")]).toEqual([one, two]);
    expect(sortedNamesOn(stack)).toHaveLength(2);
  });

  it("is recognised though it was on the target before the first import and nothing was written", async () => {
    const stack = usualTarget({ dashboards: [theirs()] });
    const stage = importStage(stack);
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 unchanged"]);
    await stage.run(renamed, update);
    expect(namesOn(stack)).toEqual(["Renamed"]);
  });

  it("keeps its tiles though they have other names and queries, and so the target's alerts on them", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const before = recordOn(stack, "dashboards", "Board 16");
    putRecord(stack, "alerts", alert(hexId("d", 1), "Theirs", before, targetIds.webhook));
    const [tile = {}] = board(16)["tiles"] as JsonObject[];
    const config = { displayType: "number", sourceId: archiveIds.source, select: [{ aggFn: "sum" }] };
    const run = await stage.run(archive([board(16, { tiles: [{ ...tile, name: "Other", x: 6, config }] })]), update);
    expect(run.exitCode).toBe(0);
    const [after] = recordsOn(stack, "dashboards");
    expect(tileIds(after)).toEqual([tileOf(before)]);
    expect(after).toMatchObject({ tiles: [{ name: "Other", x: 6 }] });
  });
});

describe("a record that somebody changed on the target since the last import", () => {
  it("is left alone and named where the source has not changed", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const run = await stage.run(archive([board(16)]), keep);
    expect(outcomeLinesOfBoards(run)).toEqual(["Board 16 skip edited"]);
    expect(run.plan.items[0]?.since).toEqual({ source: [], target: ["tags"] });
    expect(writesOn(stack)).toEqual([]);
    // Further runs skip the record again.
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 skip edited"]);
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 update edited"]);
  });

  it("is a conflict where the source has changed too, named with what changed on each side", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const kept = await stage.run(renamed, keep);
    expect(outcomeLinesOfBoards(kept)).toEqual(["Renamed skip both-changed"]);
    expect(kept.plan.items[0]?.since).toEqual({ source: ["name"], target: ["tags"] });
    await expect(stage.run(renamed, { ...update, onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
    expect([writesOn(stack), sortedNamesOn(stack)]).toEqual([[], ["Board 16"]]);
    expect(outcomeLinesOfBoards(await stage.run(renamed, update))).toEqual(["Renamed update both-changed"]);
    expect(sortedNamesOn(stack)).toEqual(["Renamed"]);
    expect(outcomeLinesOfBoards(await stage.run(renamed, update))).toEqual(["Renamed unchanged"]);
  });

  it("says which tile was changed", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const [tile = {}] = recordOn(stack, "dashboards", "Board 16")["tiles"] as JsonObject[];
    const tiles = [
      { ...tile, w: 12 },
      { ...tile, id: hexId("e", 1), name: "New" },
    ];
    changeOn(stack, "dashboards", { tiles }, "Board 16");
    const run = await stage.run(archive([board(16)]), update);
    expect(run.plan.items[0]?.since?.target).toEqual(['tile "Requests"', 'tile "New"']);
  });

  it("is unchanged where the source has come to say the same", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    changeOn(stack, "dashboards", { tags: ["ours"] }, "Board 16");
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16, { tags: ["ours"] })]), keep))).toEqual([
      "Board 16 unchanged",
    ]);
  });
});

describe("a text link whose dashboard or tile was deleted at the source", () => {
  const address = `/dashboards/${hexId("a", 17)}?tile=${hexId("e", 2)}`;
  const notes = tileWith(hexId("e", 1), "Notes", { displayType: "markdown", markdown: `see ${address}` });
  const linking = board(16, { tiles: [notes, ...(board(16)["tiles"] as JsonObject[])] });
  const linked = board(17, { tiles: [tileWith(hexId("e", 2), "T", { displayType: "markdown", markdown: "x" })] });

  it.each<[string, JsonObject[], RunOptions]>([
    ["the dashboard, under keep", [], keep],
    ["the dashboard, under overwrite", [], update],
    ["the dashboard, under merge", [], { ...update, onConflict: "merge" }],
    ["the dashboard, which a mirror deletes", [], mirror],
    ["the tile", [board(17, { tiles: [] })], update],
  ])("is no change of the linking dashboard: %s", async (_, left, options) => {
    const { stack, stage } = await stageAfterImport([linking, linked]);
    const { tiles } = recordOn(stack, "dashboards", "Board 16");
    const later = archive([linking, ...left]);
    const after = async (): Promise<string[]> =>
      outcomeLinesOfBoards(await stage.run(later, options)).filter((line) => line.startsWith("Board 16"));
    expect(await after()).toEqual(["Board 16 unchanged"]);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const isWritten = options.onConflict === "overwrite";
    expect(await after()).toEqual([isWritten ? "Board 16 update edited" : "Board 16 skip edited"]);
    expect(await after()).toEqual([isWritten ? "Board 16 unchanged" : "Board 16 skip edited"]);
    expect(recordOn(stack, "dashboards", "Board 16")["tiles"]).toEqual(tiles);
  });
});

it("a text link to a dashboard that was deleted on the target and has two namesakes there is written once", async () => {
  const { stack, stage } = await stageAfterImport([board(16), board(17)]);
  const { id } = recordOn(stack, "dashboards", "Board 17");
  deleteRecord(stack, "dashboards", "Board 17");
  for (const at of [98, 99])
    putRecord(stack, "dashboards", dashboard(hexId("b", at), "Board 17", targetIds.source, { tags: [`${at}`] }));
  const text = `see /dashboards/${hexId("a", 17)}`;
  const notes = tileWith(hexId("e", 1), "Notes", { displayType: "markdown", markdown: text });
  const linking = archive([board(16, { tiles: [notes] }), board(17)]);
  expect(outcomeLinesOfBoards(await stage.run(linking, keep))).toEqual([
    "Board 16 update",
    "Board 17 blocked ambiguous",
  ]);
  expect(JSON.stringify(recordOn(stack, "dashboards", "Board 16"))).toContain(`see /dashboards/${id}`);
  expect(outcomeLinesOfBoards(await stage.run(linking, keep))).toEqual([
    "Board 16 unchanged",
    "Board 17 blocked ambiguous",
  ]);
});

describe("the base of a record", () => {
  it("tells a form that the server made of a record from a change", async () => {
    const stack = usualTarget();
    const stage = importStage(stack);
    stack.replaceStored = (operation, body) => (operation.endsWith("dashboards") ? { ...body, tags: ["kept"] } : body);
    await stage.run(archive([board(16)]), update);
    const later = archive([board(16)]);
    expect(outcomeLinesOfBoards(await stage.run(later, update))).toEqual(["Board 16 unchanged"]);
    expect(bodiesSentTo(stack, "update dashboards")).toEqual([]);
  });

  it("creates a record again that somebody has deleted from the target", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    stack.records.get("dashboards")?.clear();
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 create"]);
    expect(namesOn(stack)).toEqual(["Board 16"]);
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 unchanged"]);
  });

  it("gives way to the map file", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    putRecord(stack, "dashboards", dashboard(hexId("b", 40), "Chosen", targetIds.source));
    const mapping = { dashboards: { [hexId("a", 16)]: hexId("b", 40) } };
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), { ...update, mapping }))).toEqual([
      "Board 16 update",
    ]);
    await stage.run(archive([board(16, { name: "Renamed" })]), { ...update, mapping });
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed"]);
    await stage.run(archive([board(16, { name: "Renamed twice" })]), update);
    expect(namesOn(stack)).toEqual(["Board 16", "Renamed twice"]);
  });

  it("stays as it was for records that a run did not reach", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const changed = archive([board(16, { name: "One" }), board(17, { name: "Two" })]);
    await runKilled(stack, "before", /^update dashboards$/, () => stage.run(changed, { ...update, concurrency: 1 }), 2);
    expect(outcomeLinesOfBoards(await stage.run(changed, update))).toEqual(["One unchanged", "Two update"]);
    expect(namesOn(stack)).toEqual(["One", "Two"]);
  });
});

describe("an archive that is older than the last one", () => {
  const [older, newer] = ["2026-02-01T00:00:00.000Z", "2026-02-02T00:00:00.000Z"] as const;
  const [now, before] = [archive([board(16, { tags: ["new"] })]), archive([board(16, { tags: ["old"] })])];

  it("takes nothing back unasked, and deletes nothing", async () => {
    const { stack, stage } = await stageAfterImport([]);
    await stage.run(now, { ...keep, createdAt: newer });
    for (const more of [{}, { mirror: {} }]) {
      expect(outcomeLinesOfBoards(await stage.run(before, { ...keep, ...more, createdAt: older }))).toEqual([
        "Board 16 skip exists",
      ]);
    }
    const { outcomes: kept } = await stage.run(before, { ...keep, createdAt: older });
    expect(kept.find(({ code }) => code === "exists")?.message).toContain("older than the last one");
    for (const mirrored of [mirror, mirrorAll]) {
      const { plan, outcomes } = await stage.run(archive([]), { ...mirrored, createdAt: older });
      expect(plan.warnings.map(({ code }) => code)).toEqual(["not-mirrored"]);
      expect(outcomes.filter(({ kind }) => kind === "dashboards")).toEqual([]);
    }
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["new"] }]);
    await stage.run(before, { ...update, createdAt: older });
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["old"] }]);
  });

  it("names what somebody has changed on the target, and overwrites it only on request", async () => {
    const { stack, stage } = await stageAfterImport([]);
    await stage.run(now, { ...keep, createdAt: newer });
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    const runBefore = (options: RunOptions): Promise<StageRun> => stage.run(before, { ...options, createdAt: older });
    expect(outcomeLinesOfBoards(await runBefore(keep))).toEqual(["Board 16 skip both-changed"]);
    expect(outcomeLinesOfBoards(await runBefore(update))).toEqual(["Board 16 update both-changed"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["old"] }]);
  });

  it("brings no second tile where the target has made one again that both sides had removed", async () => {
    const tile = (name: string, source: "a" | "b", number: number): JsonObject =>
      tileWith(hexId(source === "a" ? "d" : "e", number), name, { displayType: "line", sourceId: hexId(source, 1) });
    const version = (...names: readonly string[]): StackRecord[] =>
      archive([board(16, { tiles: names.map((name, number) => tile(name, "a", number)) })]);
    const { stack, stage } = await stageAfterImport([]);
    await stage.run(version("First", "Second"), { ...update, createdAt: older });
    await stage.run(version("First"), { ...update, createdAt: newer });
    const [first] = recordOn(stack, "dashboards", "Board 16")["tiles"] as JsonObject[];
    changeOn(stack, "dashboards", { tiles: [first ?? {}, tile("Second", "b", 7)] }, "Board 16");
    const run = await stage.run(version("First", "Second"), { ...update, createdAt: older });
    expect(outcomeLinesOfBoards(run)).toEqual(["Board 16 unchanged"]);
  });

  it("of the target's own stack changes nothing unasked that an import has only seen", async () => {
    const stack = usualTarget({ dashboards: [theirs({ tags: ["new"] })] });
    const stage = importStage(stack);
    const [all, older] = [["new"], ["old"]].map((tags) => records({ dashboards: [theirs({ tags })] }));
    const own = { onConflict: "keep" } as const;
    expect(outcomeLinesOfBoards(await stage.run(all ?? [], own))).toEqual(["Board 16 unchanged"]);
    expect(outcomeLinesOfBoards(await stage.run(older ?? [], own))).toEqual(["Board 16 skip exists"]);
    expect(writesOn(stack)).toEqual([]);
  });
});

const keyOf = (number: number): `${string}/${string}` => `dashboards/${hexId("a", number)}`;
const pair = [linkingBoard(16, hexId("a", 17)), linkingBoard(17, hexId("a", 16))];
const knownOf = (stage: ImportStage, number: number) => stage.bases.get(keyOf(number));

describe("what the journal knows of a record", () => {
  it("is the target id, what was desired and stored of each part, and the pairs of tiles", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const body = recordOn(stack, "dashboards", "Board 16");
    const known = knownOf(stage, 16);
    expect(known).toMatchObject({ targetId: body["id"], name: "Board 16", ours: true, whole: true });
    expect(known?.sourceName).toBeUndefined();
    expect(known?.children).toEqual({ "dashboards/tiles": { [`${"a".repeat(20)}f001`]: tileIds(body)[0] } });
    const parts = Object.entries(known?.parts ?? {});
    expect(parts.map(([key]) => key)).toContain(`tiles/${String(tileIds(body)[0])}`);
    for (const [key, part] of parts) expect(part, key).toMatchObject({ desired: part.stored, written: true });
  });

  it("is the name at the source, too, if transforms rename the record", async () => {
    const { stage } = await stageAfterImport([]);
    const transforms = { rename: [{ from: "Called there", to: "Board 16" }] };
    await stage.run(archive([board(16, { name: "Called there" })]), { ...update, transforms });
    expect(knownOf(stage, 16)).toMatchObject({ name: "Board 16", sourceName: "Called there" });
  });

  it("is whether it is ours: an import has written it, and not only seen it", async () => {
    const { stage } = await stageAfterImport([board(16)]);
    stage.history.length = 0;
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 unchanged"]);
    expect(knownOf(stage, 16)?.ours).toBe(false);
    for (const _run of [1, 2]) {
      await stage.run(archive([board(16, { tags: ["new"] })]), update);
      expect(knownOf(stage, 16)?.ours).toBe(true);
    }
  });

  it("is nothing of another record that the map file now names", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    putRecord(stack, "dashboards", theirs());
    const mapping = { dashboards: { "Board 16": hexId("b", 16) } };
    const run = await stage.run(archive([board(16)]), { ...update, mapping });
    expect(outcomeLinesOfBoards(run)).toEqual(["Board 16 unchanged"]);
    expect(knownOf(stage, 16)).toMatchObject({ targetId: hexId("b", 16), ours: false });
  });

  it("is that links are still to be set, until the next run sets them", async () => {
    const { stack, stage } = await stageAfterImport([]);
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    const run = await stage.run(archive(pair), keep);
    expect(run.exitCode).toBe(3);
    stack.intercept = () => {};
    const unlinkedNumbers = [16, 17].filter((number) => outcomeOf(run, `Board ${number}`)?.status !== "done");
    expect(unlinkedNumbers).not.toEqual([]);
    for (const number of unlinkedNumbers)
      expect(knownOf(stage, number)).toMatchObject({ ours: true, lacksLinks: true });
    const finish = async (): Promise<void> => expect((await stage.run(archive(pair), keep)).exitCode).toBe(0);
    expect(await writesDuring(stack, finish)).toEqual(Array.from(unlinkedNumbers, () => "update dashboards"));
    const [one, two] = ["Board 16", "Board 17"].map((name) => recordOn(stack, "dashboards", name));
    expect(JSON.stringify(one)).toContain(String(two?.["id"]));
    expect(JSON.stringify(two)).toContain(String(one?.["id"]));
    for (const number of [16, 17]) expect(knownOf(stage, number)?.lacksLinks).toBeUndefined();
    expect(await writesDuring(stack, finish)).toEqual([]);
  });

  it("is what was desired, and no pairs of tiles, if the response has other tiles than were sent", async () => {
    const { stack, stage } = await stageAfterImport([]);
    stack.replaceStored = (_, body) => ({ ...body, tiles: [] });
    await stage.run(archive([board(16)]), update);
    expect(knownOf(stage, 16)).toMatchObject({ ours: true, whole: true });
    expect(knownOf(stage, 16)?.children).toBeUndefined();
    expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 unchanged"]);
  });

  it("stays if a run failed to write the record or left it alone", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const before = stage.bases;
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    await stage.run(archive([board(16, { tags: ["new"] })]), update);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 17");
    await stage.run(archive([board(17)]), keep);
    expect(knownOf(stage, 16)).toEqual(before.get(keyOf(16)));
    expect(knownOf(stage, 17)).toEqual(before.get(keyOf(17)));
  });

  it("is only what was equal, if a run found another record of its name", async () => {
    const stage = importStage(usualTarget({ dashboards: [theirs({ tags: ["theirs"] })] }));
    for (const _run of [1, 2]) {
      expect(outcomeLinesOfBoards(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 skip exists"]);
    }
    expect(knownOf(stage, 16)).toMatchObject({ targetId: hexId("b", 16), ours: false, whole: false });
    expect(knownOf(stage, 16)?.parts).not.toHaveProperty("tags");
  });

  it("has no pair for a tile that has no id at the source", async () => {
    const stage = importStage(usualTarget({ dashboards: [theirs()] }));
    const [{ id: _id, ...tile } = {}] = board(16)["tiles"] as JsonObject[];
    await stage.run(archive([board(16, { tiles: [tile] })]), update);
    expect(knownOf(stage, 16)).toBeDefined();
    expect(knownOf(stage, 16)?.children).toBeUndefined();
  });

  it("lets no mirror delete a record of the target that is now matched with another record", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const { id } = recordOn(stack, "dashboards", "Board 16");
    noteSeen(stage, keyOf(16), { targetId: id.toUpperCase() });
    const mapping = { dashboards: { [hexId("a", 18)]: id } };
    const run = await stage.run(archive([board(18), board(17)]), { ...mirror, mapping });
    expect(run.exitCode).toBe(0);
    expect(knownOf(stage, 18)?.targetId).toBe(id);
    expect(recordOn(stack, "dashboards", "Board 18").id).toBe(id);
    await stage.run(archive([board(18), board(17)]), mirror);
    expect(sortedNamesOn(stack)).toEqual(["Board 17", "Board 18"]);
  });

  it("stays for a webhook that an import has created when later runs only match the webhook", async () => {
    const lists = { dashboards: [], alerts: [], connections: [], "saved-searches": [], webhooks: [], sources: [] };
    const stage = importStage(memoryStack(lists));
    const hooks = (): ReturnType<typeof records> => records({ webhooks: [webhook(hexId("a", 3), "chat", "slack")] });
    const known = () => stage.bases.get(`webhooks/${hexId("a", 3)}`);
    expect((await stage.run(hooks(), { ...update, create: ["webhooks"] })).exitCode).toBe(0);
    const made = known();
    expect(made).toMatchObject({ ours: true, name: "chat" });
    await stage.run(hooks(), update);
    expect(known()).toEqual(made);
  });
});

describe("a run that was stopped before its deferred links, and a source that has changed since", () => {
  const linked = (stack: MemoryStack): boolean => {
    const [one, two] = ["Board 16", "Board 17"].map((name) => recordOn(stack, "dashboards", name));
    return JSON.stringify(one).includes(String(two?.id)) && JSON.stringify(two).includes(String(one?.id));
  };
  /**
   * Creates a stage with two dashboards that should link to each other; the run stopped before it wrote the first one's link.
   */
  async function unlinkedStage() {
    const { stack, stage } = await stageAfterImport([]);
    failOperation(stack, "update dashboards", () => refusalError("unauthorized", "the key was withdrawn"));
    const stopped = await stage.run(archive(pair), keep);
    expect(stopped.stopped?.code).toBe("unauthorized");
    expect(linked(stack)).toBe(false);
    stack.intercept = () => {};
    return { stack, stage };
  }
  const [one, two] = pair as [JsonObject, JsonObject];

  it.each(["keep", "overwrite", "merge"] as const)(
    "gets its links and the change with the next one (%s)",
    async (policy) => {
      const { stack, stage } = await unlinkedStage();
      const later = archive([
        { ...one, tags: ["new"] },
        { ...two, tags: ["new"] },
      ]);
      expect((await stage.run(later, { ...update, onConflict: policy })).exitCode).toBe(0);
      expect(linked(stack)).toBe(true);
      expect(recordsOn(stack, "dashboards").map(({ tags }) => tags)).toEqual([["new"], ["new"]]);
      expect(
        await writesDuring(stack, () =>
          stage.run(archive([...pair].map((body) => ({ ...body, tags: ["new"] }))), keep),
        ),
      ).toEqual([]);
    },
  );

  it("is set to rights though only another record of the source has changed", async () => {
    const { stack, stage } = await unlinkedStage();
    expect((await stage.run(archive([...pair, board(18)]), keep)).exitCode).toBe(0);
    expect(linked(stack)).toBe(true);
  });

  it("is a conflict where somebody has changed it on the target, and a merge keeps both", async () => {
    const { stack, stage } = await unlinkedStage();
    for (const name of ["Board 16", "Board 17"]) changeOn(stack, "dashboards", { tags: ["theirs"] }, name);
    const later = archive([...pair, board(18)]);
    expect(outcomeLinesOfBoards(await stage.run(later, keep))).toContainEqual(
      expect.stringContaining("skip both-changed"),
    );
    expect(linked(stack)).toBe(false);
    expect((await stage.run(later, { ...update, onConflict: "merge" })).exitCode).toBe(0);
    expect(linked(stack)).toBe(true);
    expect(recordOn(stack, "dashboards", "Board 16")["tags"]).toEqual(["theirs"]);
    expect(recordOn(stack, "dashboards", "Board 17")["tags"]).toEqual(["theirs"]);
  });

  it("may be deleted by a mirror once the source no longer has the record", async () => {
    const { stack, stage } = await unlinkedStage();
    await stage.run(archive([board(18)]), { ...update, mirror: {} });
    expect(sortedNamesOn(stack)).toEqual(["Board 18"]);
  });
});

describe("the counterpart of a record that the journal names", () => {
  it("of a source that somebody has deleted from the target is ignored", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    stack.records.get("sources")?.delete(targetIds.source);
    putRecord(stack, "sources", source(hexId("b", 7), "Logs", hexId("c", 2)));
    const run = await stage.run(archive([board(16), board(17)]), update);
    expect(run.plan.matches.find(({ space }) => space === "sources")).toMatchObject({ to: hexId("b", 7) });
  });

  it("tells tiles apart that have changed places and names, under ids of whatever case", async () => {
    const config = { displayType: "number", sourceId: archiveIds.source, select: [{ aggFn: "sum" }] };
    const tile = (number: number, name: string): JsonObject =>
      tileWith(hexId("e", number), name, config, { y: number });
    const { stack, stage } = await stageAfterImport([board(16, { tiles: [tile(1, "One"), tile(2, "Two")] })]);
    const before = tileIds(recordOn(stack, "dashboards", "Board 16"));
    noteSeen(stage, keyOf(16), { targetId: String(knownOf(stage, 16)?.targetId).toUpperCase() });
    const swapped = board(16, { tiles: [tile(2, "One"), tile(1, "Two")] });
    expect((await stage.run(archive([swapped]), update)).exitCode).toBe(0);
    expect(tileIds(recordOn(stack, "dashboards", "Board 16"))).toEqual(before.toReversed());
  });
});

it("an alert is recognised though the alert and its dashboard have other names", async () => {
  const { stack, stage } = await stageAfterImport([board(16)], [alertOn(16)]);
  const [before] = recordsOn(stack, "alerts");
  const renamed = { ...alertOn(16), name: "Renamed", threshold: 12 };
  const run = await stage.run(archive([board(16, { name: "Other" })], [renamed]), update);
  expect(run.exitCode).toBe(0);
  expect(recordsOn(stack, "alerts")).toMatchObject([{ id: before?.["id"], name: "Renamed", threshold: 12 }]);
});
