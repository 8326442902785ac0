import { describe, expect, it } from "vitest";
import { board, usualTarget } from "../../support/import-samples.ts";
import { importStage, writesOn, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import { archive, mirror, mirrorAll, stageAfterImport, update } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { hexId, records, tileWith } from "../../support/stack-records.ts";
import { boardLines, keep, theirs } from "./boards.ts";

const [older, newer] = ["2026-02-01T00:00:00.000Z", "2026-02-02T00:00:00.000Z"] as const;

describe("an archive that is older than the last one", () => {
  const [now, before] = [archive([board(16, { tags: ["new"] })]), archive([board(16, { tags: ["old"] })])];

  /** Imports the newer archive. Returns a function that imports the older one. */
  async function stageAfterNewer() {
    const { stack, stage } = await stageAfterImport([]);
    await stage.run(now, { ...keep, createdAt: newer });
    return { stack, goBack: (options: RunOptions, to = before) => stage.run(to, { ...options, createdAt: older }) };
  }

  it("takes nothing back unasked, and deletes nothing", async () => {
    const { stack, goBack } = await stageAfterNewer();
    for (const options of [keep, { ...keep, mirror: {} }]) {
      expect(boardLines(await goBack(options))).toEqual(["Board 16 skip exists"]);
    }
    for (const options of [mirror, mirrorAll]) {
      const run = await goBack(options, archive([]));
      expect(run.plan.warnings.map(({ code }) => code)).toEqual(["not-mirrored"]);
      expect(boardLines(run)).toEqual([]);
    }
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["new"] }]);
    await goBack(update);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["old"] }]);
  });

  it("names what somebody has changed on the target, and overwrites it only on request", async () => {
    const { stack, goBack } = await stageAfterNewer();
    changeOn(stack, "dashboards", { tags: ["theirs"] }, "Board 16");
    expect(boardLines(await goBack(keep))).toEqual(["Board 16 skip both-changed"]);
    expect(boardLines(await goBack(update))).toEqual(["Board 16 update both-changed"]);
    expect(recordsOn(stack, "dashboards")).toMatchObject([{ tags: ["old"] }]);
  });

  it("brings no second tile where the target has made one again that both sides had removed", async () => {
    const tile = (name: string, source: "a" | "b", number: number): JsonObject =>
      tileWith(hexId(source === "a" ? "d" : "e", number), name, { displayType: "line", sourceId: hexId(source, 1) });
    const version = (...names: readonly string[]) =>
      archive([board(16, { tiles: names.map((name, number) => tile(name, "a", number)) })]);
    const { stack, stage } = await stageAfterImport([]);
    await stage.run(version("First", "Second"), { ...update, createdAt: older });
    await stage.run(version("First"), { ...update, createdAt: newer });
    const [first = {}] = recordOn(stack, "dashboards", "Board 16")["tiles"] as JsonObject[];
    changeOn(stack, "dashboards", { tiles: [first, tile("Second", "b", 7)] }, "Board 16");
    const run = await stage.run(version("First", "Second"), { ...update, createdAt: older });
    expect(boardLines(run)).toEqual(["Board 16 unchanged"]);
  });
});

it("an archive of the target's own stack changes nothing unasked that an import has only seen", async () => {
  const stack = usualTarget({ dashboards: [theirs({ tags: ["new"] })] });
  const stage = importStage(stack);
  const runOf = (tag: string) => stage.run(records({ dashboards: [theirs({ tags: [tag] })] }), { onConflict: "keep" });
  expect(boardLines(await runOf("new"))).toEqual(["Board 16 unchanged"]);
  expect(boardLines(await runOf("old"))).toEqual(["Board 16 skip exists"]);
  expect(writesOn(stack)).toEqual([]);
});
