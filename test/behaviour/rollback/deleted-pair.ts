import { expect } from "vitest";
import { usualTarget } from "../../support/import-samples.ts";
import { writesOn, type JournalEntry, type JsonObject } from "../../support/import-stage.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { deletionEntries, rollBackJournal, type ImportedStack } from "../../support/rollback-runs.ts";
import { dashboard, hexId, linkingTable, targetIds, tileWith } from "../../support/stack-records.ts";

// A mirror deleted these dashboards. A rollback creates them again, with their links and with texts that mention their ids.

export const textOn = (number: number): string =>
  `See https://stack.test/dashboards/${hexId("b", number)}?from=now-1h.`;
export const notes = (number: number, markdown: string): JsonObject =>
  tileWith(hexId("d", number + 200), "Notes", { displayType: "markdown", markdown });
export const table = (number: number, to: number): JsonObject =>
  tileWith(hexId("d", number + 100), "Table", linkingTable(hexId("b", to), targetIds.source));

/** Returns a dashboard whose first tile links to another dashboard. */
export const linking = (number: number, name: string, to: number): JsonObject =>
  dashboard(hexId("b", number), name, "", { tiles: [table(number, to)] });
/** Returns a dashboard that mentions another dashboard in its only text, and has no link. */
export const mentioning = (number: number, name: string, to: number): JsonObject =>
  dashboard(hexId("b", number), name, "", { tiles: [notes(number, textOn(to))] });
export const pairOf = (make: typeof linking): [JsonObject, JsonObject] => [make(20, "One", 21), make(21, "Two", 20)];

export const afterDeletion = (bodies: readonly JsonObject[], stack: MemoryStack = usualTarget()): ImportedStack => ({
  stack,
  entries: bodies.flatMap((body) => deletionEntries("dashboards", body)),
});

/** Returns, for each dashboard's name, the name of the dashboard whose id occurs in this part of its tiles. */
export function namesInPart(stack: MemoryStack, part: "onClick" | "markdown"): Readonly<Record<string, unknown>> {
  const dashboards = recordsOn(stack, "dashboards");
  return Object.fromEntries(
    dashboards.map(({ name, tiles }) => {
      const configs = (tiles as { config: JsonObject }[]).map(({ config }) => JSON.stringify(config[part]) ?? "");
      return [name, dashboards.find(({ id }) => configs.join(" ").includes(String(id)))?.["name"]];
    }),
  );
}

export const BOTH = { One: "Two", Two: "One" };

/**
 * Rolls the import back twice, and expects that the second rollback writes and reports nothing. Returns the lines of
 * the first.
 */
export async function undoTwice(stack: MemoryStack, entries: readonly JournalEntry[]): Promise<readonly string[]> {
  const { entries: after, exitCode, lines } = await rollBackJournal(stack, entries);
  expect(exitCode).toBe(0);
  expect(lines.filter((line) => !line.endsWith(" done"))).toEqual([]);
  const writes = writesOn(stack);
  expect((await rollBackJournal(stack, after)).outcomes).toEqual([]);
  expect(writesOn(stack)).toEqual(writes);
  return lines;
}
