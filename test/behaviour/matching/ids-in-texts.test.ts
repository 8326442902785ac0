import { describe, expect, it } from "vitest";
import {
  excluding,
  importInto,
  outcomeOf,
  warningMessages,
  warningsBesidesJournal,
  type JsonObject,
} from "../../support/import-stage.ts";
import type { MemoryStack } from "../../support/memory-stack.ts";
import { recordOn } from "../../support/on-stack.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  linkingTable,
  rawSql,
  records,
  source,
  targetIds,
  tileOf,
  tileWith,
} from "../../support/stack-records.ts";
import { dependencies, hook, logs, usualTarget } from "../../support/import-samples.ts";

const [ONE, INDEX] = [hexId("a", 16), hexId("a", 17)];
const text = (markdown: string): JsonObject => ({ displayType: "markdown", markdown });
/** Makes a dashboard with a tile of this text. */
const noted = (id: string, name: string, markdown: string, more: JsonObject = {}): JsonObject =>
  dashboard(id, name, "", { tiles: [tileWith(hexId("d", 1), "Notes", text(markdown))], ...more });
const markdownOf = (stack: MemoryStack, name = "Index"): unknown =>
  (recordOn(stack, "dashboards", name)["tiles"] as { config: { markdown: string } }[])[0]?.config.markdown;
const archiveOf = (...dashboards: JsonObject[]) => records({ dashboards, ...dependencies.ours });

describe("ids in a text", () => {
  const [ours, theirs, nobodys] = [archiveIds.source, targetIds.source, hexId("e", 77)];

  it.each([
    [
      "a link",
      `[x](https://o11y.test/search?source=${ours}&q=1)`,
      `[x](https://o11y.test/search?source=${theirs}&q=1)`,
    ],
    ["two in one", `${ours} and ${archiveIds.webhook}, ${ours}.`, `${theirs} and ${targetIds.webhook}, ${theirs}.`],
    ["in upper case", `see ${ours.toUpperCase()}`, `see ${theirs}`],
    ["in brackets", `(${ours})`, `(${theirs})`],
    ["of a webhook", `ask ${archiveIds.webhook}!`, `ask ${targetIds.webhook}!`],
    ["beside one that is nobody's", `${nobodys} ${ours}`, `${nobodys} ${theirs}`],
    ["part of a longer number", `f${ours} ${ours}0`, `f${ours} ${ours}0`],
    ["part of a word", `x-${ours} x${ours} ${ours}-a`, `x-${ours} x${ours} ${ours}-a`],
    ["nobody's", nobodys, nobodys],
  ])("become the target's, where they are ids of records: %s", async (_, markdown, expected) => {
    const stack = usualTarget();
    const { plan } = await importInto(stack, archiveOf(noted(INDEX, "Index", markdown)));
    expect(markdownOf(stack)).toBe(expected);
    expect([plan.warnings, plan.unresolved]).toEqual([[], []]);
  });

  it("of a connection that a tile uses becomes the target's", async () => {
    const configs = [text(`on ${hexId("c", 1)}`), rawSql(hexId("c", 1))];
    const tiles = configs.map((config, at) => tileWith(hexId("d", at), `T${at}`, config));
    const stack = usualTarget();
    await importInto(stack, archiveOf(dashboard(INDEX, "Index", "", { tiles })));
    expect(markdownOf(stack)).toBe(`on ${hexId("c", 2)}`);
  });

  it("of a new dashboard and its tile become those of the same ones on the target", async () => {
    const tile = hexId("d", 7);
    const tiles = [tileWith(tile, "T", { displayType: "line", sourceId: archiveIds.source })];
    const index = noted(INDEX, "Index", `/dashboards/${ONE}?tile=${tile} ${ONE.toUpperCase()}`);
    const stack = usualTarget();
    await importInto(stack, archiveOf(index, dashboard(ONE, "One", "", { tiles })));
    const made = recordOn(stack, "dashboards", "One");
    expect(markdownOf(stack)).toBe(`/dashboards/${made.id}?tile=${tileOf(made)} ${made.id}`);
  });
});

describe("the id in a text of a record that has no counterpart", () => {
  const GONE = hexId("a", 7);
  const twins = [20, 21].map((number) => noted(hexId("b", number), "One", "x", { tags: [String(number)] }));

  it.each([
    ["that the target lacks", GONE, { sources: [source(GONE, "Gone", hexId("c", 1), "t7")] }, "unmatched"],
    ["that is blocked", ONE, { dashboards: [noted(ONE, "One", "x")] }, "ambiguous"],
  ])("stays, with a warning, and blocks nothing: %s", async (_, id, mentioned, code) => {
    const stack = usualTarget({ dashboards: twins });
    const run = await importInto(stack, [...archiveOf(noted(INDEX, "Index", `see ${id}`)), ...records(mentioned)]);
    expect(outcomeOf(run, id)).toMatchObject({ code });
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "create", status: "done" });
    expect(markdownOf(stack)).toBe(`see ${id}`);
    expect(run.plan.warnings).toMatchObject([{ code: "dead-link", pointer: "/tiles/0/config/markdown" }]);
  });

  it("is right as it is on the archive's own stack, which has the record though the archive does not", async () => {
    const index = noted(INDEX, "Index", `see ${ONE}`);
    const stack = usualTarget({ dashboards: [noted(ONE, "One", "x"), index] });
    const run = await importInto(stack, archiveOf({ ...index, tags: ["new"] }), { onConflict: "overwrite" });
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "update", status: "done" });
    expect(warningsBesidesJournal(run.plan)).toEqual([]);
    expect(markdownOf(stack)).toBe(`see ${ONE}`);
  });

  it("is named as the kind of record that a member references, where a text mentions the same id", async () => {
    const dead = hexId("e", 9);
    const tiles = [
      tileWith(hexId("d", 1), "Notes", text(`see ${dead}`)),
      tileWith(hexId("d", 2), "Table", linkingTable(dead)),
    ];
    const archive = records({ dashboards: [dashboard(INDEX, "Index", "", { tiles })] });
    const { plan } = await importInto(usualTarget(), archive, { whole: new Set(["dashboards"]) });
    expect(warningMessages(plan, "dead-link")[0]).toMatch(/"Index" keeps its link to the dashboard/);
  });

  it("is named with what an alert without a name watches, if it is in the text of the alert", async () => {
    const OTHER = hexId("a", 30);
    const one = noted(ONE, "One", "x");
    const message = `see /dashboards/${OTHER}`;
    const archive = records({
      dashboards: [one, noted(OTHER, "Other", "y")],
      alerts: [alert(hexId("a", 32), null, one, archiveIds.webhook, { message })],
      sources: [logs],
      webhooks: [hook],
    });
    const { plan } = await importInto(usualTarget(), archive, { filter: excluding("Other") });
    expect(warningMessages(plan, "dead-link")).toEqual([expect.stringContaining(`the alert "on Notes (One)"`)]);
  });
});
