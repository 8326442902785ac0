import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { ManualMapping } from "../../../src/core/plan/plan.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { Inventory } from "../../../src/matching/inventory.ts";
import { manualMatches } from "../../../src/matching/map-file.ts";
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
  const { matches, warnings } = manualMatches(
    mapping,
    { records: records(here), referencedIds: ids },
    inventoryOf(there),
  );
  return { matches, warnings };
}

const thrownBy = (...given: Parameters<typeof matched>): unknown => {
  try {
    return matched(...given);
  } catch (error) {
    return error;
  }
};

const usage = (message: RegExp) =>
  expect.objectContaining({ code: "usage", message: expect.stringMatching(message), hint: expect.any(String) });

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
    expect(thrownBy({ "dashboards/tiles": { a: "b" } })).toEqual(
      usage(/"dashboards\/tiles", and ids of that kind cannot be mapped/),
    );
    expect(thrownBy({ pipes: { a: "b" } })).toEqual(usage(/"pipes"/));
  });

  it("is refused for a name that the target lacks", () => {
    expect(thrownBy({ sources: { Logs: "Lgos" } })).toEqual(
      usage(/names the source "Lgos", which does not exist on the target/),
    );
  });

  it("may name one record by name and by id, but not map two records to the same record", () => {
    const boards = [dashboard(hexId("a", 16), "One", ""), dashboard(hexId("a", 17), "Two", "")];
    const here = { ...archived, dashboards: boards };
    const id = hexId("b", 16);
    expect(matched({ dashboards: { One: id, [hexId("a", 16)]: id } }, { here }).matches).toHaveLength(2);
    expect(thrownBy({ dashboards: { One: id, Two: id } }, { here })).toEqual(
      usage(/maps "One" and "Two" to the same record, "Board"/),
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
  const archive = { records: records({ dashboards: boards, sources }), referencedIds: new Map() };

  it("is unverified for a source", () => {
    const { matches } = manualMatches({ sources: { Logs: HIDDEN } }, archive, partly("sources"));
    expect(matches).toMatchObject([{ to: HIDDEN, unverified: true }]);
  });

  it("is refused for a dashboard, which an import reads before it replaces it", () => {
    const refused = () => manualMatches({ dashboards: { One: HIDDEN } }, archive, partly("dashboards"));
    expect(refused).toThrowError(usage(/names the dashboard "b+0063", which does not exist on the target/));
  });
});

describe("a map file's line for a kind that the target does not list", () => {
  const webhooks = (to: string, referred: Readonly<Record<string, readonly string[]>> = { webhooks: [HOOK] }) =>
    thrownBy({ webhooks: { [HOOK]: to } }, { referred });
  const match = { space: "webhooks", from: HOOK, name: HOOK, rule: "map-file" };

  it("accepts an id that a record of the target references, in upper or lower case", () => {
    for (const id of [hexId("b", 7), hexId("b", 7).toUpperCase()]) {
      expect(webhooks(id)).toEqual({ matches: [{ ...match, to: id, targetName: id }], warnings: [] });
    }
  });

  it("accepts any other id as unverified", () => {
    const id = hexId("b", 8);
    expect(webhooks(id)).toEqual({ matches: [{ ...match, to: id, targetName: id, unverified: true }], warnings: [] });
    // On the archive's own stack, ids may have any form.
    const odd = webhooks("h-1", { webhooks: [HOOK, "h-1"] });
    expect(odd).toMatchObject({ matches: [{ to: "h-1", unverified: true }] });
  });

  it("is refused for a name, which cannot be looked up", () => {
    expect(webhooks("pager")).toEqual(usage(/names the webhook "pager", which is not an id/));
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
      { code: "unused", message: expect.stringMatching(/source "Lgos" \(did you mean "Logs"\?\), which /) },
    ]);
    expect(warned({ Lgos: "Logs", Trases: "Traces" }).messages).toEqual([
      expect.stringMatching(/"Lgos" \(did you mean "Logs"\?\)(?:,| and) "Trases" \(did you mean "Traces"\?\)/),
    ]);
    expect(warned({ "something else": "Logs" }).messages).toEqual([expect.not.stringContaining("did you mean")]);
    const others = { ...archived, dashboards: [dashboard(hexId("a", 16), "Logz", "")] };
    expect(warned({ Logz: "Logs" }, { here: others }).messages).toEqual([expect.stringContaining('mean "Logs"')]);
  });

  it("is named in the warning up to five lines, then counted", () => {
    const lines = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`Other${at}`, "Logs"]));
    expect(warned(lines(2)).messages).toEqual([
      expect.stringMatching(/the sources "Other0".*"Other1", which this archive lacks$/),
    ]);
    expect(warned(lines(5)).messages).toEqual([expect.stringMatching(/"Other4", which/)]);
    expect(warned(lines(7)).messages).toEqual([expect.stringMatching(/"Other4" and 2 more, which/)]);
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

describe("a map file's line that gives members", () => {
  const connection = { id: hexId("a", 5), name: "Main", host: "http://h:8123", username: "u" };
  const given = (space: string, members: Readonly<Record<string, string>>) =>
    thrownBy({ [space]: { Main: members } }, { here: { ...archived, connections: [connection] } as typeof archived });

  it("gives no match", () => {
    expect(given("connections", { host: "http://n:8123", username: "u" })).toEqual({ matches: [], warnings: [] });
  });

  it("is refused for members that the kind does not take", () => {
    expect(given("connections", { host: "h", port: "1" })).toMatchObject({
      code: "usage",
      message: expect.stringContaining('the connection "Main" gives "port"'),
      hint: "It takes an id, a name, or host and username.",
    });
    expect(given("sources", { host: "h" })).toMatchObject({ code: "usage", hint: "It takes an id or a name." });
  });

  it("is refused for a credential in a URL's address", () => {
    for (const host of ["http://u:p@h", "http://u@h:8123/x", "//p@h"]) {
      expect(given("connections", { username: "u", host })).toEqual(usage(/holds a credential in an address/));
    }
    for (const host of ["http://h/u@x", "http://h?u@x", "http://h#u@x", "u@h", "http://h"]) {
      expect(given("connections", { host })).toEqual({ matches: [], warnings: [] });
    }
  });
});

it("a map file's line takes a webhook's name if the target lists webhooks", () => {
  const there = { ...theirs, webhooks: [webhook(hexId("b", 7), "pager")] };
  const { matches } = matched({ webhooks: { [HOOK]: "pager" } }, { there, referred: { webhooks: [HOOK] } });
  expect(matches).toMatchObject([{ to: hexId("b", 7), targetName: "pager" }]);
  expect(matches[0]).not.toHaveProperty("unverified");
});
