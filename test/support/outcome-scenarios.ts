import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tileIds, type JsonObject } from "./import-stage.ts";
import { failOperation, refusalError, type MemoryStack } from "./memory-stack.ts";
import { alert, dashboard, hexId, linkingTable, records, archiveIds, targetIds } from "./stack-records.ts";
import { logs, usualTarget } from "./import-samples.ts";

export type Bodies = Readonly<Record<string, readonly JsonObject[]>>;
export type Outcomes = readonly Readonly<{
  action: string;
  status: string;
  code?: string;
  message?: string;
  name: string;
}>[];

/** A run, and the name of the record that gets the code. */
export interface Scenario {
  readonly recordName: string;
  readonly run: () => Promise<Outcomes>;
}

/** Makes a scenario: this run gives the record with this name the code. */
export const scenarioFor = (recordName: string, run: () => Promise<Outcomes>): Scenario => ({ recordName, run });

export const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);
export const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
export const watching = alert(hexId("b", 32), "Watching", theirs, targetIds.webhook);
export const isThere = { dashboards: [theirs] };
export const isWatched = { ...isThere, alerts: [watching] };
export const linked = (number: number, to: number): JsonObject => {
  const tiles = [{ id: `t${number}`, name: "T", config: linkingTable(hexId("a", to)) }];
  return { ...dashboard(hexId("a", number), `Linked ${number}`, ""), tiles };
};
export const linkedPair: Bodies = { dashboards: [linked(16, 17), linked(17, 16)] };
/** Makes an archive of a dashboard and its source. */
export const boardAs = (body: JsonObject): Bodies => ({ dashboards: [body], sources: [logs] });
export const overviewAlone = boardAs(overview);
export const onlyOverview = records(overviewAlone);

export function refusing(operation: string, message = "no", stack = usualTarget()): MemoryStack {
  return failing(stack, operation, () => refusalError("rejected", message));
}

export function failing(stack: MemoryStack, operation: string, error: () => Error): MemoryStack {
  failOperation(stack, operation, error);
  return stack;
}

/** Marks the tiles of this dashboard as substitutes. */
export function hiding(stack: MemoryStack, body: JsonObject): MemoryStack {
  for (const id of tileIds(body)) stack.substitutes.add(String(id));
  return stack;
}

/** Codes that only files cause. bad-files.test.ts has their scenarios. */
const OF_FILES: readonly string[] = ["bad-file"];

interface CodeRow {
  readonly code: string;
  /** The action or the status of the record. */
  readonly of: string;
}

/** Returns the rows of a table in the document. */
function documented(heading: string): CodeRow[] {
  const text = readFileSync(new URL("../../docs/outcomes-and-exit-codes.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf(heading));
  const table = /^\| code[^\n]*\| of [\s\S]*?\n\n/m.exec(section)?.[0] ?? "";
  return table.split("\n").flatMap((line) => {
    const [, codeCell = "", of = ""] = line.split("|").map((cell) => cell.trim());
    const code = /^`([a-z-]+)`$/.exec(codeCell)?.[1];
    return code === undefined || OF_FILES.includes(code) ? [] : [{ code, of }];
  });
}

const ACTIONS: readonly string[] = ["blocked", "skip", "update", "unchanged", "delete"];

/**
 * Tests that each row of this table has a scenario that gives its code. A code with several causes has a scenario for each of them,
 * named `code: word`; the word is in the message, and tells the causes apart.
 */
export function testOutcomeCodes(
  subject: string,
  heading: string,
  scenarios: Readonly<Record<string, Scenario>>,
  count: number,
): void {
  describe(`the codes of outcomes of ${subject}`, () => {
    const rows = documented(heading);
    const given = new Set<CodeRow>();

    it.each(Object.entries(scenarios))("%s", async (label, { recordName, run }) => {
      const [code = "", word = ""] = label.split(": ");
      const outcome = (await run()).find(({ name }) => name === recordName);
      const row = rows.find(
        (each) => each.code === code && each.of === (ACTIONS.includes(each.of) ? outcome?.action : outcome?.status),
      );
      expect([outcome?.code, outcome?.message], `${outcome?.action} ${outcome?.status}`).toEqual([
        code,
        word === "" ? outcome?.message : expect.stringContaining(word),
      ]);
      expect(row, `${code} of ${outcome?.action} ${outcome?.status}`).toBeDefined();
      if (row !== undefined) given.add(row);
    });

    it("are those of the document, each with a scenario", () => {
      expect(rows).toHaveLength(count);
      expect(rows.filter((row) => !given.has(row))).toEqual([]);
    });
  });
}
