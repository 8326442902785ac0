import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { tileIds, type JsonObject } from "./import-stage.ts";
import { failOperation, refusalError, type MemoryStack } from "./memory-stack.ts";
import { alert, dashboard, hexId, linkingTable, records } from "./stack-records.ts";
import { logs, usualTarget } from "./import-samples.ts";

export type Bodies = Readonly<Record<string, readonly JsonObject[]>>;
export type Outcomes = readonly Readonly<{ action: string; status: string; code?: string; name: string }>[];

/** A run, and the name of the record that gets the code. */
export interface Scenario {
  readonly recordName: string;
  readonly run: () => Promise<Outcomes>;
}

/** Makes a scenario: this run gives the record with this name the code. */
export const scenarioFor = (recordName: string, run: () => Promise<Outcomes>): Scenario => ({ recordName, run });

export const overview = dashboard(hexId("a", 16), "Overview", hexId("a", 1));
export const theirs = dashboard(hexId("b", 16), "Overview", hexId("b", 1), { tags: ["theirs"] });
export const watching = alert(hexId("b", 32), "Watching", theirs, hexId("b", 2));
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

/** Returns the codes of a table in the document, each with the status that it belongs to. */
function documented(heading: string): Map<string, string> {
  const text = readFileSync(new URL("../../docs/outcomes-and-exit-codes.md", import.meta.url), "utf8");
  const section = text.slice(text.indexOf(heading));
  const table = /^\| code[^\n]*\| of [\s\S]*?\n\n/m.exec(section)?.[0] ?? "";
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(
    rows
      .flatMap(([, codes = "", of = ""]) =>
        [...codes.matchAll(/`([a-z-]+)`/g)].map(([, code = ""]) => [code, of] as const),
      )
      .filter(([code]) => !OF_FILES.includes(code)),
  );
}

/** Tests that each code of this table has a scenario that gives it. */
export function testOutcomeCodes(
  subject: string,
  heading: string,
  scenarios: Readonly<Record<string, Scenario>>,
  count: number,
): void {
  describe(`the codes of outcomes of ${subject}`, () => {
    const codes = documented(heading);

    it("are those of the document, each with a scenario", () => {
      expect(codes.size).toBe(count);
      expect(Object.keys(scenarios).toSorted()).toEqual([...codes.keys()].toSorted());
    });

    it.each([...codes])("%s (%s)", async (code, of) => {
      const scenario = scenarios[code];
      const outcomes = (await scenario?.run()) ?? [];
      const outcome = outcomes.find(({ name }) => name === scenario?.recordName);
      const said = ["blocked", "skip", "update", "unchanged", "delete"].includes(of)
        ? outcome?.action
        : outcome?.status;
      expect([outcome?.code, said]).toEqual([code, of]);
    });
  });
}
