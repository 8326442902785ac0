import { describe, expect, it } from "vitest";
import { board } from "../../support/import-samples.ts";
import { outcomeOf, writesDuring, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import { deleteRecord, failOperation, putRecord, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { archive, linkingBoard, mirror, stageAfterImport, update } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn, sortedNamesOn } from "../../support/on-stack.ts";
import { dashboard, hexId, targetIds, tileWith } from "../../support/stack-records.ts";
import { boardLines, keep, knownOf } from "./boards.ts";

const merge = { ...update, onConflict: "merge" } as const;
const note = (number: number, name: string, markdown: string): JsonObject =>
  tileWith(hexId("e", number), name, { displayType: "markdown", markdown });

describe("a text link whose dashboard or tile was deleted at the source", () => {
  const notes = note(1, "Notes", `see /dashboards/${hexId("a", 17)}?tile=${hexId("e", 2)}`);
  const linking = board(16, { tiles: [notes, ...(board(16)["tiles"] as JsonObject[])] });
  const linked = board(17, { tiles: [note(2, "T", "x")] });

  it.each<[string, JsonObject[], RunOptions]>([
    ["the dashboard, under keep", [], keep],
    ["the dashboard, under overwrite", [], update],
    ["the dashboard, under merge", [], merge],
    ["the dashboard, which a mirror deletes", [], mirror],
    ["the tile", [board(17, { tiles: [] })], update],
  ])("is no change of the linking dashboard: %s", async (_, left, options) => {
    const { stack, stage } = await stageAfterImport([linking, linked]);
    const { tiles } = recordOn(stack, "dashboards", "Board 16");
    const later = archive([linking, ...left]);
    const after = async (): Promise<string[]> =>
      boardLines(await stage.run(later, options)).filter((line) => line.startsWith("Board 16"));
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
  const linking = archive([board(16, { tiles: [note(1, "Notes", text)] }), board(17)]);
  for (const action of ["update", "unchanged"]) {
    expect(boardLines(await stage.run(linking, keep))).toEqual([`Board 16 ${action}`, "Board 17 blocked ambiguous"]);
    expect(JSON.stringify(recordOn(stack, "dashboards", "Board 16"))).toContain(`see /dashboards/${id}`);
  }
});

const pair = [linkingBoard(16, hexId("a", 17)), linkingBoard(17, hexId("a", 16))];

/** Tells whether the two dashboards link to each other. */
function areLinked(stack: MemoryStack): boolean {
  const [one, two] = ["Board 16", "Board 17"].map((name) => recordOn(stack, "dashboards", name));
  return JSON.stringify(one).includes(String(two?.id)) && JSON.stringify(two).includes(String(one?.id));
}

/** Imports two dashboards that link to each other; the stack refuses the update that sets the last link. */
async function unlinkedStage(code: "rejected" | "unauthorized") {
  const { stack, stage } = await stageAfterImport([]);
  failOperation(stack, "update dashboards", () => refusalError(code, "no"));
  const run = await stage.run(archive(pair), keep);
  stack.intercept = () => {};
  expect(areLinked(stack)).toBe(false);
  return { stack, stage, run };
}

it("a link that was not set is noted in the journal until the next run sets it", async () => {
  const { stack, stage, run } = await unlinkedStage("rejected");
  expect(run.exitCode).toBe(3);
  const unlinkedNumbers = [16, 17].filter((number) => outcomeOf(run, `Board ${number}`)?.status !== "done");
  expect(unlinkedNumbers).not.toEqual([]);
  for (const number of unlinkedNumbers) expect(knownOf(stage, number)).toMatchObject({ ours: true, lacksLinks: true });
  const finish = async (): Promise<void> => expect((await stage.run(archive(pair), keep)).exitCode).toBe(0);
  expect(await writesDuring(stack, finish)).toEqual(unlinkedNumbers.map(() => "update dashboards"));
  expect(areLinked(stack)).toBe(true);
  for (const number of [16, 17]) expect(knownOf(stage, number)?.lacksLinks).toBeUndefined();
  expect(await writesDuring(stack, finish)).toEqual([]);
});

describe("a dashboard whose link a stopped run did not set, and a source that has changed since", () => {
  async function stageAfterStop() {
    const { run, ...unlinked } = await unlinkedStage("unauthorized");
    expect(run.stopped?.code).toBe("unauthorized");
    return unlinked;
  }

  const tagged = pair.map((body) => ({ ...body, tags: ["new"] }));

  it.each<[string, JsonObject[], RunOptions, tags: string[]]>([
    ["under keep", tagged, keep, ["new"]],
    ["under overwrite", tagged, update, ["new"]],
    ["under merge", tagged, merge, ["new"]],
    ["though only another record of the source has changed", [...pair, board(18)], keep, []],
  ])("gets its link and the change with the next run, %s", async (_, changed, options, tags) => {
    const { stack, stage } = await stageAfterStop();
    expect((await stage.run(archive(changed), options)).exitCode).toBe(0);
    expect(areLinked(stack)).toBe(true);
    expect(recordsOn(stack, "dashboards").map((body) => body["tags"])).toEqual(changed.map(() => tags));
    expect(await writesDuring(stack, () => stage.run(archive(changed), keep))).toEqual([]);
  });

  it("is a conflict where somebody has changed it on the target, and a merge keeps both", async () => {
    const { stack, stage } = await stageAfterStop();
    changeOn(stack, "dashboards", { tags: ["theirs"] });
    const later = archive([...pair, board(18)]);
    expect(boardLines(await stage.run(later, keep))).toContainEqual(expect.stringContaining("skip both-changed"));
    expect(areLinked(stack)).toBe(false);
    expect((await stage.run(later, merge)).exitCode).toBe(0);
    expect(areLinked(stack)).toBe(true);
    for (const name of ["Board 16", "Board 17"])
      expect(recordOn(stack, "dashboards", name)["tags"]).toEqual(["theirs"]);
  });

  it("may be deleted by a mirror once the source no longer has the record", async () => {
    const { stack, stage } = await stageAfterStop();
    await stage.run(archive([board(18)]), mirror);
    expect(sortedNamesOn(stack)).toEqual(["Board 18"]);
  });
});
