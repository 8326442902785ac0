import { describe, expect, it } from "vitest";
import { board, usualTarget } from "../../support/import-samples.ts";
import { importStage, tileIds, warningMessages, type JsonObject } from "../../support/import-stage.ts";
import { failOperation, memoryStack, namesOn, refusalError, runKilled } from "../../support/memory-stack.ts";
import { archive, mirror, noteSeen, stageAfterImport, update } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, sortedNamesOn } from "../../support/on-stack.ts";
import { hexId, records, webhook } from "../../support/stack-records.ts";
import { boardLines, keep, keyOf, knownOf, theirs } from "./boards.ts";

describe("a run that knows of no earlier run", () => {
  it("warns once where records differ, and not where all are equal or new", async () => {
    const another = { ...theirs({ tags: ["theirs"] }), id: hexId("b", 17), name: "Board 17" };
    const stage = importStage(usualTarget({ dashboards: [theirs({ tags: ["theirs"] }), another] }));
    const first = await stage.run(archive([board(16), board(17), board(18)]), keep);
    expect(warningMessages(first.plan, "no-journal")).toHaveLength(1);
    expect(warningMessages((await stage.run(archive([board(16)]), keep)).plan, "no-journal")).toEqual([]);
    const fresh = await importStage(usualTarget()).run(archive([board(16)]), keep);
    expect(warningMessages(fresh.plan, "no-journal")).toEqual([]);
  });
});

describe("what the journal knows of a record", () => {
  it("is the target id, what was desired and stored of each part, and the pairs of tiles", async () => {
    const { stack, stage } = await stageAfterImport([board(16)]);
    const body = recordOn(stack, "dashboards", "Board 16");
    const known = knownOf(stage, 16);
    expect(known).toMatchObject({ targetId: body.id, name: "Board 16", ours: true, whole: true });
    expect(known?.sourceName).toBeUndefined();
    const [sourceTile, targetTile] = [String(tileIds(board(16))[0]), String(tileIds(body)[0])];
    expect(known?.children).toEqual({ "dashboards/tiles": { [sourceTile]: targetTile } });
    const parts = Object.entries(known?.parts ?? {});
    expect(parts.map(([key]) => key)).toContain(`tiles/${targetTile}`);
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
    expect(boardLines(await stage.run(archive([board(16)]), update))).toEqual(["Board 16 unchanged"]);
    expect(knownOf(stage, 16)?.ours).toBe(false);
    for (const _run of [1, 2]) {
      await stage.run(archive([board(16, { tags: ["new"] })]), update);
      expect(knownOf(stage, 16)?.ours).toBe(true);
    }
  });

  it("is what was desired, and no pairs of tiles, if the response has other tiles than were sent", async () => {
    const { stack, stage } = await stageAfterImport([]);
    stack.replaceStored = (_, body) => ({ ...body, tiles: [] });
    await stage.run(archive([board(16)]), update);
    expect(knownOf(stage, 16)).toMatchObject({ ours: true, whole: true });
    expect(knownOf(stage, 16)?.children).toBeUndefined();
    expect(boardLines(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 unchanged"]);
  });

  it("is only what was equal, if a run found another record of its name", async () => {
    const stage = importStage(usualTarget({ dashboards: [theirs({ tags: ["theirs"] })] }));
    for (const _run of [1, 2]) {
      expect(boardLines(await stage.run(archive([board(16)]), keep))).toEqual(["Board 16 skip exists"]);
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

  it("stays if a run failed to write the record or left it alone", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const before = stage.bases;
    failOperation(stack, "update dashboards", () => refusalError("rejected", "no"));
    await stage.run(archive([board(16, { tags: ["new"] })]), update);
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 17");
    await stage.run(archive([board(17)]), keep);
    for (const number of [16, 17]) expect(knownOf(stage, number)).toEqual(before.get(keyOf(number)));
  });

  it("stays as it was for records that a run did not reach", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const changed = archive([board(16, { name: "One" }), board(17, { name: "Two" })]);
    await runKilled(stack, "before", /^update dashboards$/, () => stage.run(changed, { ...update, concurrency: 1 }), 2);
    expect(boardLines(await stage.run(changed, update))).toEqual(["One unchanged", "Two update"]);
    expect(namesOn(stack)).toEqual(["One", "Two"]);
  });

  it("stays for a webhook that an import has created when later runs only match the webhook", async () => {
    const lists = { dashboards: [], alerts: [], connections: [], "saved-searches": [], webhooks: [], sources: [] };
    const stage = importStage(memoryStack(lists));
    const hooks = records({ webhooks: [webhook(hexId("a", 3), "chat", "slack")] });
    const known = () => stage.bases.get(`webhooks/${hexId("a", 3)}`);
    expect((await stage.run(hooks, { ...update, create: ["webhooks"] })).exitCode).toBe(0);
    const made = known();
    expect(made).toMatchObject({ ours: true, name: "chat" });
    await stage.run(hooks, update);
    expect(known()).toEqual(made);
  });

  it("lets no mirror delete a record of the target that is now matched with another record", async () => {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const { id } = recordOn(stack, "dashboards", "Board 16");
    noteSeen(stage, keyOf(16), { targetId: id.toUpperCase() });
    const later = archive([board(18), board(17)]);
    const run = await stage.run(later, { ...mirror, mapping: { dashboards: { [hexId("a", 18)]: id } } });
    expect(run.exitCode).toBe(0);
    expect(knownOf(stage, 18)?.targetId).toBe(id);
    expect(recordOn(stack, "dashboards", "Board 18").id).toBe(id);
    await stage.run(later, mirror);
    expect(sortedNamesOn(stack)).toEqual(["Board 17", "Board 18"]);
  });
});
