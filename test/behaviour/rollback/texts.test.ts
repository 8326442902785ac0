import { describe, expect, it } from "vitest";
import { board, usualTarget } from "../../support/import-samples.ts";
import { warningMessages, type JournalEntry, type JsonObject, type Plan } from "../../support/import-stage.ts";
import { namesOn, putRecord } from "../../support/memory-stack.ts";
import { archive, mirror, stageAfterImport, type MirrorStage } from "../../support/mirror-stage.ts";
import { changeOn, recordOn, recordsOn } from "../../support/on-stack.ts";
import { contentOf, imageOf, killRollback, rollBackJournal, type ImportedStack } from "../../support/rollback-runs.ts";
import { dashboard, hexId, linkingTable, targetIds, tileWith } from "../../support/stack-records.ts";
import { BOTH, afterDeletion, mentioning, namesInPart, notes, pairOf, textOn, undoTwice } from "./deleted-pair.ts";

describe("a text that mentions a record which a rollback creates again", () => {
  const pair = pairOf(mentioning);

  /** Returns the journal entries of a dashboard's update. */
  function updated(previous: JsonObject, current: JsonObject): JournalEntry[] {
    const at = "2026-01-01T00:00:00.000Z";
    const write = { at, key: "dashboards/x", write: "update", targetId: String(previous["id"]) } as const;
    return [
      { type: "begin", at, run: 1 },
      { type: "intent", name: String(previous["name"]), image: imageOf("dashboards", previous), ...write },
      { type: "done", content: contentOf("dashboards", current), ...write },
    ];
  }

  /** Runs a rollback that is killed after its first create, before it sends the second. */
  async function killedAfterFirst(): Promise<ImportedStack & { readonly first: JsonObject }> {
    const deleted = afterDeletion(pair);
    const entries = await killRollback(deleted, "before", 2);
    const [first, ...more] = recordsOn(deleted.stack, "dashboards");
    expect(more).toEqual([]);
    return { stack: deleted.stack, entries, first: first as JsonObject };
  }

  it("gets the new id in a record that is created again, too", async () => {
    const { stack, entries } = afterDeletion(pair);
    await undoTwice(stack, entries);
    expect(namesInPart(stack, "markdown")).toEqual(BOTH);
  });

  it("gets the new id in a record that is restored", async () => {
    const before = mentioning(22, "Speaking", 20);
    const current = { ...before, tags: ["imported"] };
    const stack = usualTarget({ dashboards: [current] });
    await undoTwice(stack, [...afterDeletion(pair).entries, ...updated(before, current)]);
    expect(namesInPart(stack, "markdown")).toEqual({ ...BOTH, Speaking: "One" });
  });

  it("gets the new id after an interrupted rollback, though only the next one creates the other record", async () => {
    const { stack, entries } = await killedAfterFirst();
    await undoTwice(stack, entries);
    expect(namesInPart(stack, "markdown")).toEqual(BOTH);
  });

  it("stay as somebody has written them since, with or without the old id", async () => {
    const { stack, entries, first } = await killedAfterFirst();
    const number = first["name"] === "One" ? 21 : 20;
    const [tile] = first["tiles"] as JsonObject[];
    const markdown = `Mine: ${textOn(number)}`;
    putRecord(stack, "dashboards", { ...first, tiles: [{ ...tile, config: { displayType: "markdown", markdown } }] });
    await rollBackJournal(stack, entries);
    expect(namesOn(stack)).toHaveLength(2);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(markdown);
  });

  it("stay unchanged if they mention a record that is restored under its id", async () => {
    const before = dashboard(hexId("b", 22), "Kept", "");
    const current = { ...before, tags: ["imported"] };
    const stack = usualTarget({ dashboards: [current] });
    await undoTwice(stack, [...afterDeletion([mentioning(23, "Speaking", 22)]).entries, ...updated(before, current)]);
    expect(namesInPart(stack, "markdown")).toMatchObject({ Speaking: "Kept" });
  });

  it("does not have the other record created a second time where somebody has created it by hand", async () => {
    const { stack, entries, first } = await killedAfterFirst();
    const other = first["name"] === "One" ? pair[1] : pair[0];
    const isBegun = (entry: JournalEntry): boolean =>
      entry.type === "intent" && entry.write === "create" && entry.key.endsWith(String(other["id"]));
    putRecord(stack, "dashboards", { ...other, id: hexId("e", 1) });
    await rollBackJournal(
      stack,
      entries.filter((entry) => !isBegun(entry)),
    );
    expect(namesOn(stack)).toHaveLength(2);
  });
});

describe("a link in somebody else's text to a record that a run deletes", () => {
  const deadLinks = (run: Pick<Plan, "warnings">): string[] => warningMessages(run, "dead-link");

  /** Imports two dashboards; somebody mentions the first in a dashboard "Mine". */
  async function mentioned(): Promise<MirrorStage> {
    const { stack, stage } = await stageAfterImport([board(16), board(17)]);
    const text = `see /dashboards/${recordOn(stack, "dashboards", "Board 16").id}`;
    putRecord(stack, "dashboards", dashboard(hexId("e", 1), "Mine", "", { tiles: [notes(1, text)] }));
    return { stack, stage };
  }

  it("is named by the mirror, and by the rollback that creates the record again", async () => {
    const { stack, stage } = await mentioned();
    const { plan } = await stage.run(archive([board(17)]), mirror);
    expect(deadLinks(plan)).toEqual([expect.stringMatching(/"Mine".*"Board 16"/)]);
    const back = await rollBackJournal(stack, stage.history);
    expect(back.exitCode).toBe(0);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*"Board 16".*by hand$/)]);
  });

  it("is to be set by hand after a rollback, also where the two link to each other", async () => {
    const { stack, stage } = await mentioned();
    const tiles = [tileWith(hexId("d", 1), "Links", linkingTable(hexId("e", 1), targetIds.source))];
    changeOn(stack, "dashboards", { tiles }, "Board 16");
    await stage.run(archive([board(17)]), { ...mirror, mirror: { takesEdited: true } });
    expect(namesOn(stack)).not.toContain("Board 16");
    const back = await rollBackJournal(stack, stage.history);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*by hand$/)]);
  });

  it("is named by the rollback that deletes it", async () => {
    const { stack, stage } = await mentioned();
    const back = await rollBackJournal(stack, stage.history);
    expect(namesOn(stack)).toEqual(["Mine"]);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*"Board 16"/)]);
  });
});
