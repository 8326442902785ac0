import { describe, expect, it } from "vitest";
import { dependencies } from "../../support/import-samples.ts";
import {
  excluding,
  importInto,
  importStage,
  including,
  outcomeLines,
  planInto,
  writesDuring,
  writesOn,
  type JsonObject,
} from "../../support/import-stage.ts";
import { memoryStack, namesOn, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { alert, archiveIds, dashboard, hexId, linkingTable, records, tileWith } from "../../support/stack-records.ts";

const [overviewId, latencyId] = [hexId("a", 16), hexId("a", 17)];
const linked = (id: string, name: string, config: JsonObject): JsonObject =>
  dashboard(id, name, "", { tiles: [tileWith(hexId("d", id === overviewId ? 16 : 17), "Table", config)] });
const overview = linked(overviewId, "Overview", linkingTable(latencyId, archiveIds.source));
const latency = linked(latencyId, "Latency", linkingTable(overviewId, archiveIds.source));
const slow = alert(hexId("a", 32), "Slow", latency, archiveIds.webhook);
const content = { dashboards: [overview, latency], alerts: [slow], ...dependencies.ours };
const archive = records(content);

/** Makes the stack from which the archive was made; one of its dashboards has changed since. */
const ownStack = (changed: JsonObject = { ...latency, tags: ["theirs"] }): MemoryStack =>
  memoryStack({ ...content, dashboards: [overview, changed] });

it("an import onto the archive's own stack takes nobody's removed link for an import that was cut short", async () => {
  const stack = ownStack(linked(latencyId, "Latency", { displayType: "table", sourceId: archiveIds.source }));
  await expect(planInto(stack, archive, { onConflict: "fail" })).rejects.toMatchObject({ code: "incomplete" });
  await importInto(stack, archive);
  expect(writesOn(stack)).toEqual([]);
});

describe("an import under a name prefix onto the archive's own stack", () => {
  const namePrefix = "[copy] ";

  it("makes copies once, and never renames what is there", async () => {
    const stack = ownStack();
    const copy = () => importInto(stack, archive, { namePrefix, onConflict: "overwrite" });
    const writes = await writesDuring(stack, copy);
    expect(namesOn(stack).toSorted()).toEqual(["Latency", "Overview", "[copy] Latency", "[copy] Overview"]);
    expect(writes.filter((name) => name.startsWith("create"))).toHaveLength(3);
    expect(await writesDuring(stack, copy)).toEqual([]);
  });

  it("never overwrites an alert without a name, whose dashboard is not copied with it", async () => {
    const thresholds = [5, 7, 9];
    const [now, ...later] = thresholds.map((threshold) => {
      return { ...content, alerts: [{ ...alert(hexId("a", 33), null, overview, archiveIds.webhook), threshold }] };
    });
    const stack = memoryStack(now ?? {});
    const stage = importStage(stack);
    for (const changed of later) {
      const run = await stage.run(records(changed), { namePrefix, kinds: ["alerts"], onConflict: "overwrite" });
      expect(outcomeLines(run.outcomes, "code").filter((code) => code !== "matched")).toEqual(["exists"]);
    }
    expect(writesOn(stack)).toEqual([]);
    await stage.run(records(later[1] ?? {}), { namePrefix, onConflict: "overwrite" });
    expect(recordsOn(stack, "alerts").map(({ threshold }) => threshold)).toEqual([5, 9]);
  });

  it("makes no copies of copies", async () => {
    const alerts = [slow, alert(hexId("a", 33), null, overview, archiveIds.webhook)];
    const stack = memoryStack({ ...content, alerts });
    await importInto(stack, records({ ...content, alerts }), { namePrefix });
    const kinds = ["dashboards", "alerts", "sources", "webhooks"] as const;
    const newer = records(Object.fromEntries(kinds.map((kind) => [kind, recordsOn(stack, kind) as JsonObject[]])));
    const again = (more = {}) => importInto(stack, newer, { namePrefix, ...more });
    expect(await writesDuring(stack, () => expect(again()).rejects.toMatchObject({ code: "usage" }))).toEqual([]);
    expect(await writesDuring(stack, () => again({ filter: excluding("[copy] *") }))).toEqual([]);
  });

  it("refuses a map file that makes a copy of the original", async () => {
    const mapping = { dashboards: { Latency: latencyId } };
    const copy = (more = {}) => importInto(ownStack(), archive, { mapping, namePrefix, ...more });
    const faults = [expect.stringContaining('"Latency"')];
    await expect(copy({ onConflict: "overwrite" })).rejects.toMatchObject({ code: "usage", faults });
    expect(await copy({ filter: including("Overview") })).toMatchObject({ exitCode: 0 });
  });
});
