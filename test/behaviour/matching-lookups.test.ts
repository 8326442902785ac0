import { describe, expect, it } from "vitest";
import { importStage } from "../support/import-stage.ts";
import type { JsonObject, RunOptions } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { dashboard, hexId, records, source } from "../support/stack-records.ts";

const elsewhere = { variant: "self-hosted", baseUrl: "http://elsewhere.test" } as const;

const ours = (number: number, name: string, table = `t${number}`): JsonObject =>
  source(hexId("a", number), name, hexId("c", 1), table);
const theirs = (number: number, name: string, table = `t${number}`): JsonObject =>
  source(hexId("b", number), name, hexId("c", 2), table);

/** Plans an import of these sources, each with a dashboard on it, onto a stack with those. */
async function planned(here: readonly JsonObject[], there: readonly JsonObject[], options: RunOptions = {}) {
  const boards = here.map(({ id }, at) => dashboard(hexId("a", 100 + at), `Board ${at}`, String(id)));
  const stack = memoryStack({ dashboards: [], alerts: [], sources: there, webhooks: [] });
  const { plan } = await importStage(stack).run(records({ dashboards: boards, sources: here }), {
    source: elsewhere,
    ...options,
  });
  const matches = plan.matches.flatMap(({ space, from, to, rule }) => (space === "sources" ? [[from, to, rule]] : []));
  const open = plan.unresolved.map(({ id, reason, candidates }) =>
    reason === "ambiguous" ? [id, candidates.map((each) => each.id)] : [id, reason],
  );
  return { matches, open };
}

describe("a source of another stack", () => {
  it("is the one of the same id where one of its keys is equal too, before one that is equal in more", async () => {
    const same = { ...theirs(1, "Renamed", "t1"), id: hexId("a", 1) };
    const { matches } = await planned([ours(1, "Logs", "t1")], [theirs(2, "Logs", "t1"), same]);
    expect(matches).toEqual([[hexId("a", 1), hexId("a", 1), "same-id"]]);
  });

  it("is the one that is equal in all, before one that is equal by a key", async () => {
    const equal = { ...ours(1, "Logs"), id: hexId("b", 7) };
    const { matches } = await planned([ours(1, "Logs")], [{ ...equal, id: hexId("b", 8), disabled: true }, equal]);
    expect(matches).toEqual([[hexId("a", 1), hexId("b", 7), "equal-content"]]);
  });

  it("that is there twice, or was twice, is one for one what is equal", async () => {
    const equal = (id: string): JsonObject => ({ ...ours(1, "Logs"), id });
    const two = [equal(hexId("a", 1)), equal(hexId("a", 2))];
    const there = [equal(hexId("b", 1)), equal(hexId("b", 2)), equal(hexId("b", 3))];
    expect((await planned(two, there.slice(0, 2))).matches).toEqual([
      [hexId("a", 1), hexId("b", 1), "equal-content"],
      [hexId("a", 2), hexId("b", 2), "equal-content"],
    ]);
    expect((await planned(two, there.slice(0, 1))).matches).toEqual([[hexId("a", 1), hexId("b", 1), "equal-content"]]);
    // One more could be the target's own, so which one is meant stays open.
    const open = await planned(two, there);
    expect(open.matches).toEqual([]);
    expect(open.open).toEqual(two.map(({ id }) => [id, there.map((each) => each["id"])]));
  });

  it("is what the strongest key says: name and table, then the table; a name alone says nothing of another table", async () => {
    const here = [ours(1, "Logs", "t1")];
    const both = theirs(1, "Logs", "t1");
    const [byName, byTable] = [theirs(2, "Logs", "t2"), theirs(3, "Other", "t1")];
    const rule = async (...there: readonly JsonObject[]) => (await planned(here, there)).matches;
    expect(await rule(byTable, byName, both)).toEqual([[hexId("a", 1), hexId("b", 1), "natural-key"]]);
    expect(await rule(byTable, byName)).toEqual([[hexId("a", 1), hexId("b", 3), "natural-key"]]);
    expect(await rule(byName)).toEqual([]);
    expect(await rule(byTable)).toEqual([[hexId("a", 1), hexId("b", 3), "natural-key"]]);
    expect(await rule(theirs(4, "Other", "t4"))).toEqual([]);
  });

  it("is none that another one has been matched with", async () => {
    const { matches, open } = await planned([ours(1, "Logs", "t1"), ours(2, "Else", "t1")], [theirs(1, "Logs", "t1")]);
    expect(matches).toEqual([[hexId("a", 1), hexId("b", 1), "natural-key"]]);
    expect(open).toEqual([[hexId("a", 2), "missing"]]);
  });

  it("is left to a person where nothing but the id is equal, unless that one is another's", async () => {
    const same = { ...theirs(9, "Other", "t9"), id: hexId("a", 1) };
    expect(await planned([ours(1, "Logs")], [same])).toEqual({ matches: [], open: [[hexId("a", 1), [hexId("a", 1)]]] });
    const taken = await planned([ours(1, "Logs"), ours(2, "Other", "t9")], [same]);
    expect(taken).toEqual({
      matches: [[hexId("a", 2), hexId("a", 1), "natural-key"]],
      open: [[hexId("a", 1), "missing"]],
    });
  });

  it("is what the map file says, which leaves what it names to others as well", async () => {
    const options = { mapping: { sources: { [hexId("a", 1)]: hexId("b", 2) } } };
    const there = [theirs(1, "Logs", "t1"), theirs(2, "Other", "t2")];
    const { matches } = await planned([ours(1, "Logs", "t1"), ours(2, "Other", "t2")], there, options);
    expect(matches).toEqual([
      [hexId("a", 1), hexId("b", 2), "map-file"],
      [hexId("a", 2), hexId("b", 2), "natural-key"],
    ]);
  });
});
