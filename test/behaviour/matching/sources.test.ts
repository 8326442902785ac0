import { describe, expect, it } from "vitest";
import {
  importStage,
  bodiesSentTo,
  outcomeLines,
  type JsonObject,
  type RunOptions,
} from "../../support/import-stage.ts";
import { alert, archiveIds, dashboard, hexId, records, source, sqlDashboard } from "../../support/stack-records.ts";
import { fromOtherStack, hook, usualTarget } from "../../support/import-samples.ts";
import { shortId } from "./short-id.ts";

// The tables shorten ids to letter and number: a1 is hexId("a", 1).

const of = (letter: "a" | "b", connection: number) => {
  return (number: number, name: string, table = `t${number}`, id = hexId(letter, number)): JsonObject =>
    source(id, name, hexId("c", connection), table);
};
const [ours, theirs] = [of("a", 1), of("b", 2)];

/**
 * Imports the sources `here`, with a dashboard on each of them and an alert on each dashboard, onto a stack with the sources `there`.
 * Expects that each dashboard is created on the counterpart of its source, or is blocked with its alert. Returns the matches, the
 * sources that are open, and the codes of all sources.
 */
async function planned(here: readonly JsonObject[], there: readonly JsonObject[], options: RunOptions = {}) {
  const boards = here.map(({ id }, at) => dashboard(hexId("a", 100 + at), `Board ${at}`, String(id)));
  const stack = usualTarget({ sources: there });
  const alerts = boards.map((on, at) => alert(hexId("a", 200 + at), `Alert ${at}`, on, archiveIds.webhook));
  const archive = records({ dashboards: boards, alerts, sources: here, webhooks: [hook] });
  const { plan } = await importStage(stack).run(archive, { ...fromOtherStack, ...options });
  const matches = plan.matches.filter(({ space }) => space === "sources");
  const counterparts = new Map(matches.map(({ from, to }) => [from, to]));
  const sent = bodiesSentTo(stack, "create dashboards") as { tiles?: { config: JsonObject }[] }[];
  expect(sent.map(({ tiles }) => tiles?.[0]?.config["sourceId"])).toEqual(
    here.flatMap(({ id }) => counterparts.get(String(id)) ?? []),
  );
  const ends = new Map(
    plan.unresolved.map(({ id, reason }) => [id, `blocked ${reason === "missing" ? "missing-reference" : reason}`]),
  );
  const items = (kind: string) => plan.items.filter((item) => item.kind === kind);
  expect(outcomeLines(items("dashboards"), "action", "code")).toEqual(
    here.map(({ id }) => ends.get(String(id)) ?? "create"),
  );
  expect(outcomeLines(items("alerts"), "action", "code")).toEqual(
    here.map(({ id }) => (ends.has(String(id)) ? "blocked dependency-blocked" : "create")),
  );
  return {
    matches: matches.map(({ from, to, rule }) => `${shortId(from)} ${shortId(to)} ${rule}`),
    open: plan.unresolved.map(({ id, reason, candidates }) =>
      [shortId(id), ...(reason === "ambiguous" ? candidates.map((each) => shortId(each.id)) : [reason])].join(" "),
    ),
    codes: items("sources").map(({ code }) => code),
  };
}

const equal = (number: number, letter: "a" | "b" = "b"): JsonObject => ours(1, "Logs", "t1", hexId(letter, number));
const renamed = theirs(1, "Renamed", "t1", hexId("a", 1));
const stranger = theirs(9, "Other", "t9", hexId("a", 1));
const both = theirs(1, "Logs", "t1");
const [byName, byTable] = [theirs(2, "Logs", "t2"), theirs(3, "Other", "t1")];
const two = [ours(1, "Logs", "t"), ours(3, "Logs", "t")];
const mapTo = (lines: Readonly<Record<string, string>>): RunOptions => ({ mapping: { sources: lines } });

type Row = [
  title: string,
  here: JsonObject[],
  there: JsonObject[],
  matches: string[],
  open?: string[],
  options?: RunOptions,
];

describe("a source", () => {
  it.each<Row>([
    [
      "of the same id and an equal key comes before one that is equal in more",
      [ours(1, "Logs", "t1")],
      [theirs(2, "Logs", "t1"), renamed],
      ["a1 a1 same-id"],
    ],
    [
      "that is there twice on both sides is matched one for one",
      [equal(1, "a"), equal(2, "a")],
      [equal(1), equal(2)],
      ["a1 b1 equal-content", "a2 b2 equal-content"],
    ],
    [
      "that the archive has twice and the target once is matched with the first",
      [equal(1, "a"), equal(2, "a")],
      [equal(1)],
      ["a1 b1 equal-content"],
      ["a2 missing"],
    ],
    [
      "that the archive has twice and the target three times is open",
      [equal(1, "a"), equal(2, "a")],
      [equal(1), equal(2), equal(3)],
      [],
      ["a1 b1 b2 b3", "a2 b1 b2 b3"],
    ],
    [
      "of the same name and table comes before one of the same table",
      [ours(1, "Logs")],
      [byTable, byName, both],
      ["a1 b1 natural-key"],
    ],
    [
      "of the same table comes before one of the same name",
      [ours(1, "Logs")],
      [byTable, byName],
      ["a1 b3 natural-key"],
    ],
    ["of the same table alone is matched", [ours(1, "Logs")], [byTable], ["a1 b3 natural-key"]],
    ["of the same name, but another table, is missing", [ours(1, "Logs")], [byName], [], ["a1 missing"]],
    [
      "whose counterpart is matched with another already is missing",
      [ours(1, "Logs", "t1"), ours(2, "Else", "t1")],
      [both],
      ["a1 b1 natural-key"],
      ["a2 missing"],
    ],
    [
      "of which nothing but the id is equal is missing if that one is another's",
      [ours(1, "Logs"), ours(2, "Other", "t9")],
      [stranger],
      ["a2 a1 natural-key"],
      ["a1 missing"],
    ],
    [
      "of a name that the archive has twice is left to the user, though the target has but one",
      two,
      [theirs(1, "Logs", "t")],
      [],
      ["a1 b1", "a3 b1"],
    ],
    [
      "of a name that the archive has twice is told apart by its table",
      [ours(1, "Logs", "t1"), ours(3, "Logs", "t2")],
      [theirs(4, "Logs", "t2"), theirs(5, "Logs", "t1")],
      ["a1 b5 natural-key", "a3 b4 natural-key"],
    ],
    [
      "of a name that the target has twice is told apart by a weaker key",
      [ours(1, "Logs", "t9")],
      [theirs(4, "Logs", "t1"), theirs(5, "Logs", "t2"), theirs(6, "New", "t9")],
      ["a1 b6 natural-key"],
    ],
    [
      "of a name that differs by case is another one",
      [ours(1, "logs", "t1")],
      [theirs(1, "Logs", "t2")],
      [],
      ["a1 missing"],
    ],
    [
      "that the map file names is left to others as well",
      [ours(1, "Logs"), ours(2, "Other")],
      [both, theirs(2, "Other")],
      ["a1 b2 map-file", "a2 b2 natural-key"],
      [],
      mapTo({ [hexId("a", 1)]: hexId("b", 2) }),
    ],
    [
      "that the map file names by an id comes before one whose name looks the same",
      [ours(1, "Logs", "t1")],
      [theirs(8, hexId("b", 3)), theirs(3, "Right")],
      ["a1 b3 map-file"],
      [],
      mapTo({ [hexId("a", 1)]: hexId("b", 3) }),
    ],
    [
      "that the map file names comes before every other rule, also for two of the archive",
      [ours(1, "Logs"), ours(3, "Old", "t2")],
      [theirs(1, "Logs"), theirs(2, "Other", "t9")],
      ["a1 b2 map-file", "a3 b2 map-file"],
      [],
      mapTo({ Logs: "Other", Old: hexId("b", 2) }),
    ],
    [
      "that the map file names leaves the other one of its name to the user",
      two,
      [theirs(1, "Logs", "t"), theirs(2, "Other", "t2")],
      ["a1 b2 map-file"],
      ["a3 b1"],
      mapTo({ [hexId("a", 1)]: hexId("b", 2) }),
    ],
  ])("%s", async (_, here, there, matches, open = [], options = {}) => {
    expect(await planned(here, there, options)).toMatchObject({ matches, open });
  });

  it("of which the target has two is ambiguous itself, like the dashboard on it", async () => {
    const made = await planned([equal(1, "a")], [equal(1), equal(2)]);
    expect(made).toEqual({ matches: [], open: ["a1 b1 b2"], codes: ["ambiguous"] });
  });
});

describe("connections that follow from matched sources are matched:", () => {
  const archive = (...sources: JsonObject[]) =>
    records({ dashboards: [sqlDashboard(hexId("a", 16), hexId("c", 1))], sources });
  const on = (number: number, sourceOf: JsonObject): JsonObject => ({ ...sourceOf, connection: hexId("c", number) });
  const here = [ours(1, "Logs"), ours(2, "Traces")];
  const agreeing = [theirs(1, "Logs"), theirs(2, "Traces")];
  const differing = [theirs(1, "Logs"), on(7, theirs(2, "Traces"))];
  const { connection: _none, ...without } = theirs(1, "Logs");
  const sameId = (name: string): JsonObject => on(7, theirs(7, name, "t7", hexId("a", 1)));
  const mapConnectionTo = (number: number): RunOptions => ({
    mapping: { connections: { [hexId("c", 1)]: hexId("c", number) } },
  });

  it.each<[string, JsonObject[], JsonObject[], to: number | undefined, options?: RunOptions]>([
    ["they agree", here, agreeing, 2],
    ["they do not", here, differing, undefined],
    ["they do not, and the map file says which", here, differing, 7, mapConnectionTo(7)],
    ["the map file says otherwise", here, agreeing, 8, mapConnectionTo(8)],
    ["another one has no counterpart", [ours(1, "Logs"), ours(2, "Old", "old_logs")], [theirs(1, "Logs")], 2],
    ["one there has no connection", here, [without, on(8, theirs(2, "Traces"))], 8],
    ["nothing but the id is equal, elsewhere", here.slice(0, 1), [sameId("Traces")], undefined],
    [
      "nothing but the id is equal, beside two that it could be",
      [ours(5, "Logs", "t1")],
      [sameId("Logs"), ...[1, 2].map((number) => on(8, theirs(number, "Logs", "t1")))],
      8,
    ],
  ])("%s", async (_, sources, there, to, options = {}) => {
    const stack = usualTarget({ sources: there });
    const { plan } = await importStage(stack).run(archive(...sources), { ...fromOtherStack, ...options });
    const sent = bodiesSentTo(stack, "create dashboards");
    if (to === undefined) expect(plan.items[0]).toMatchObject({ action: "blocked", code: "missing-reference" });
    else expect(sent).toMatchObject([{ tiles: [{ config: { connectionId: hexId("c", to) } }] }]);
    const taught = plan.matches.filter(({ space }) => space === "connections");
    expect(outcomeLines(taught, "to", "rule")).toEqual(
      to === undefined ? [] : [`${hexId("c", to)} ${options.mapping ? "map-file" : "inferred"}`],
    );
  });
});
