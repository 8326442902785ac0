import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { ManualMapping } from "../../../src/core/plan/plan.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { Inventory } from "../../../src/matching/inventory.ts";
import { manualMatches } from "../../../src/matching/map-file.ts";
import { plainImport } from "../../support/import-stage.ts";
import { alert, dashboard, hexId, records, source, webhook, targetIds } from "../../support/stack-records.ts";

type Bodies = Readonly<Record<string, readonly JsonObject[]>>;

/** Returns the inventory of a target that lists only these kinds. */
function inventoryOf(byKind: Bodies): Inventory {
  const entries = kinds.map(({ name }) => {
    const bodies = byKind[name];
    const status = bodies === undefined ? "not-offered" : "complete";
    return [name, { status, records: records({ [name]: bodies ?? [] }) }] as const;
  });
  return { stack: { variant: "managed", baseUrl: "http://memory.test" }, kinds: new Map(entries) };
}

const [LOGS, TRACES, HOOK] = [hexId("a", 1), hexId("a", 2), hexId("a", 3)];
const archived = { sources: [source(LOGS, "Logs", ""), source(TRACES, "Traces", "")] };

const board = dashboard(hexId("b", 16), "Board", targetIds.source);
const theirs = {
  dashboards: [board],
  alerts: [alert(hexId("b", 20), "Busy", board, hexId("b", 7))],
  sources: [source(targetIds.source, "Logs", ""), source(hexId("b", 2), "Traces", "")],
};

function matched(mapping: ManualMapping, { here = archived, there = theirs, referred = {} } = {}) {
  const ids = new Map(Object.entries<readonly string[]>(referred).map(([space, each]) => [space, new Set(each)]));
  const archive = { records: records(here), referencedIds: ids, byKey: new Map() };
  const { matches, warnings } = manualMatches({
    archive,
    inventory: inventoryOf(there),
    options: { ...plainImport, mapping },
  });
  return { matches, warnings };
}

const thrownBy = (...given: Parameters<typeof matched>): unknown => {
  try {
    return matched(...given);
  } catch (error) {
    return error;
  }
};

const usage = (mistake: RegExp) =>
  expect.objectContaining({ code: "usage", faults: [expect.stringMatching(mistake)], hint: expect.any(String) });

describe("a map file", () => {
  it("names records by id or by name, on both sides", () => {
    const { matches, warnings } = matched({ sources: { Logs: "Traces", [TRACES]: hexId("b", 1) } });
    expect(warnings).toEqual([]);
    expect(matches).toEqual([
      { space: "sources", from: LOGS, to: hexId("b", 2), name: "Logs", targetName: "Traces", rule: "map-file" },
      { space: "sources", from: TRACES, to: hexId("b", 1), name: "Traces", targetName: "Logs", rule: "map-file" },
    ]);
  });

  it("warns of a source that it maps to one of another type", () => {
    const metrics = { ...source(hexId("b", 3), "Metrics", ""), kind: "metric" };
    const there = { ...theirs, sources: [...theirs.sources, metrics] };
    const { matches, warnings } = matched({ sources: { Logs: "Metrics", Traces: "Traces" } }, { there });
    expect(matches).toHaveLength(2);
    expect(warnings).toEqual([
      { code: "map-entry", message: expect.stringMatching(/"Logs" of type log to "Metrics" of type metric;/) },
    ]);
  });

  it("is refused if it names a kind whose ids cannot be mapped", () => {
    expect(thrownBy({ "dashboards/tiles": { a: "b" } })).toEqual(usage(/ids of "dashboards\/tiles" cannot be mapped/));
    expect(thrownBy({ pipes: { a: "b" } })).toEqual(usage(/"pipes"/));
  });

  it("is refused for a name that the target lacks", () => {
    expect(thrownBy({ sources: { Logs: "Lgos" } })).toEqual(
      usage(/source "Logs": the target has no source "Lgos"; did you mean "Logs"\?/),
    );
  });

  it("is refused for a name that two records have, of the archive or of the target", () => {
    const [here, there] = [archived, theirs].map(({ sources }) => ({
      ...theirs,
      sources: sources.map((each) => ({ ...each, name: "Twin" })),
    }));
    expect(thrownBy({ sources: { Twin: hexId("b", 2) } }, { here })).toEqual(usage(/"Twin"/));
    expect(thrownBy({ sources: { [LOGS]: "Twin" } }, { there })).toEqual(usage(/"Twin"/));
  });

  it("may name one record by name and by id, but not map two records to the same record", () => {
    const boards = [dashboard(hexId("a", 16), "One", ""), dashboard(hexId("a", 17), "Two", "")];
    const here = { ...archived, dashboards: boards };
    const id = hexId("b", 16);
    expect(matched({ dashboards: { One: id, [hexId("a", 16)]: id } }, { here }).matches).toHaveLength(2);
    expect(thrownBy({ dashboards: { One: id, Two: id } }, { here })).toEqual(
      usage(/dashboard "Two": "Board" is the counterpart of "One" already/),
    );
  });
});

describe("a map file's line for an id that the target's list may hide", () => {
  const HIDDEN = hexId("b", 99);
  const [boards, sources] = [[dashboard(hexId("a", 16), "One", "")], archived.sources];
  const partly = (kind: "dashboards" | "sources") => {
    const inventory = inventoryOf(theirs);
    const status = "partial" as const;
    const records = inventory.kinds.get(kind)?.records ?? [];
    return { ...inventory, kinds: new Map([...inventory.kinds, [kind, { status, records }]]) };
  };
  const archive = { records: records({ dashboards: boards, sources }), referencedIds: new Map(), byKey: new Map() };
  const lookUp = (mapping: ManualMapping, kind: "sources" | "dashboards") =>
    manualMatches({ archive, inventory: partly(kind), options: { ...plainImport, mapping } });

  it("takes an id of a source on trust", () => {
    const { matches } = lookUp({ sources: { Logs: HIDDEN } }, "sources");
    expect(matches).toMatchObject([{ to: HIDDEN }]);
  });

  it("is refused for a dashboard, which an import reads before it replaces it", () => {
    const refused = () => lookUp({ dashboards: { One: HIDDEN } }, "dashboards");
    expect(refused).toThrowError(usage(/the target has no dashboard "b+0063"/));
  });
});

describe("a map file's line for a kind that the target does not list", () => {
  const webhooks = (to: string, referred: Readonly<Record<string, readonly string[]>> = { webhooks: [HOOK] }) =>
    thrownBy({ webhooks: { [HOOK]: to } }, { referred });
  const match = { space: "webhooks", from: HOOK, name: HOOK, rule: "map-file" };

  it("takes an id on trust, in upper or lower case", () => {
    for (const id of [hexId("b", 7), hexId("b", 8).toUpperCase()]) {
      expect(webhooks(id)).toEqual({ matches: [{ ...match, to: id, targetName: id }], warnings: [] });
    }
    // On the archive's own stack, ids may have any form.
    expect(webhooks("h-1", { webhooks: [HOOK, "h-1"] })).toMatchObject({ matches: [{ to: "h-1" }] });
  });

  it("is refused for a name, which cannot be looked up", () => {
    expect(webhooks("pager")).toEqual(usage(/"pager" is not an id/));
  });
});

describe("a map file's line for a record that the archive lacks", () => {
  const warned = (sources: ManualMapping[string], more: Parameters<typeof matched>[1] = {}) => {
    const { matches, warnings } = matched({ sources }, more);
    return { matches: matches.map(({ from }) => from), messages: warnings.map(({ message }) => message), warnings };
  };

  it("gives a warning with a suggestion and matches nothing", () => {
    const { matches, warnings } = warned({ Lgos: "Logs", Traces: "Traces" });
    expect(matches).toEqual([TRACES]);
    expect(warnings).toEqual([
      { code: "unused", message: expect.stringMatching(/the source "Lgos"; did you mean "Logs"\?$/) },
    ]);
    expect(warned({ Lgos: "Logs", Trases: "Traces" }).messages).toEqual([
      expect.stringMatching(/"Lgos"; did you mean "Logs"\?(?:,| and) "Trases"; did you mean "Traces"\?/),
    ]);
    expect(warned({ "something else": "Logs" }).messages).toEqual([expect.not.stringContaining("did you mean")]);
    const others = { ...archived, dashboards: [dashboard(hexId("a", 16), "Logz", "")] };
    expect(warned({ Logz: "Logs" }, { here: others }).messages).toEqual([expect.stringContaining('mean "Logs"')]);
  });

  it("is named in the warning up to five lines, then counted", () => {
    const lines = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`Other${at}`, "Logs"]));
    expect(warned(lines(2)).messages).toEqual([expect.stringMatching(/the sources "Other0".*"Other1"$/)]);
    expect(warned(lines(5)).messages).toEqual([expect.stringMatching(/"Other4"$/)]);
    expect(warned(lines(7)).messages).toEqual([expect.stringMatching(/"Other4" and 2 more$/)]);
  });

  it("matches if records reference the id, or if the archive has no records of the kind", () => {
    const gone = hexId("a", 9);
    expect(warned({ [gone]: "Logs" }, { referred: { sources: [gone] } })).toMatchObject({
      matches: [gone],
      warnings: [],
    });
    const none = warned({ [gone]: "Logs" }, { here: { sources: [] } });
    expect(none.matches).toEqual([gone]);
    expect(none.messages).toHaveLength(1);
    expect(warned({ [gone]: "Logs" }).matches).toEqual([]);
  });
});

it("a map file's line takes a webhook's name if the target lists webhooks", () => {
  const there = { ...theirs, webhooks: [webhook(hexId("b", 7), "pager")] };
  const { matches } = matched({ webhooks: { [HOOK]: "pager" } }, { there, referred: { webhooks: [HOOK] } });
  expect(matches).toMatchObject([{ to: hexId("b", 7), targetName: "pager" }]);
});
