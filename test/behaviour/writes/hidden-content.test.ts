import { describe, expect, it } from "vitest";
import { dependencies, logs, newStage, update, usualTarget } from "../../support/import-samples.ts";
import {
  importInto,
  importStage,
  outcomeOf,
  warningMessages,
  warningsBesidesJournal,
  writesOn,
  type JsonObject,
} from "../../support/import-stage.ts";
import { memoryStack, runKilled, type MemoryStack } from "../../support/memory-stack.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { rollBackJournal } from "../../support/rollback-runs.ts";
import {
  alert,
  archiveIds,
  dashboard,
  hexId,
  records,
  source,
  targetIds,
  tileOf,
} from "../../support/stack-records.ts";

const theirs = dashboard(hexId("b", 16), "Overview", targetIds.source, { tags: ["theirs"] });
const other = {
  ...dashboard(hexId("b", 17), "Other", targetIds.source, { tags: ["theirs"] }),
  tiles: [{ ...(theirs["tiles"] as JsonObject[])[0], id: hexId("d", 17) }],
};
const archive = records({
  dashboards: ["Overview", "Other"].map((name, at) => dashboard(hexId("a", 16 + at), name, archiveIds.source)),
  sources: [logs],
});
const target = (more: Record<string, JsonObject[]> = {}): MemoryStack =>
  usualTarget({ dashboards: [theirs, other], ...more });

/** Creates a target on which the API shows a chart in the place of the tile of "Overview". */
function targetWithHiddenTile(): MemoryStack {
  const stack = target();
  stack.substitutes.add(tileOf(theirs));
  return stack;
}

const unseen = { ...theirs, tiles: [{ id: hexId("d", 9) }] };
const watching = alert(hexId("b", 32), "Watching", unseen, targetIds.webhook);

describe("a dashboard with a tile that the API cannot show", () => {
  it.each([
    ["the chart, which the update would put in its place", targetWithHiddenTile(), "Requests"],
    ["an alert on a tile that the dashboard does not show", target({ alerts: [watching] }), "Watching"],
  ])("is not updated, and the message names the sign of it: %s", async (_, stack, sign) => {
    const run = await importInto(stack, archive, update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "blocked", code: "would-lose-hidden" });
    expect(outcomeOf(run, "Overview")?.message).toContain(sign);
    expect(outcomeOf(run, "Other")).toMatchObject({ action: "update", status: "done" });
    expect(run.exitCode).toBe(3);
  });

  it("is updated under --accept-hidden-loss, and the plan says what is lost", async () => {
    const run = await importInto(targetWithHiddenTile(), archive, { ...update, acceptHiddenLoss: true });
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(warningsBesidesJournal(run.plan).map(({ code }) => code)).toEqual(["would-lose-hidden"]);
  });

  it("is put back by a rollback with --accept-hidden-loss, though it shows the chart only since the import", async () => {
    const { stack, stage } = newStage(target());
    await stage.run(archive, update);
    stack.substitutes.add(tileOf(theirs));
    const rollback = await rollBackJournal(stack, stage.history, { acceptHiddenLoss: true });
    expect(outcomeOf(rollback, "Overview")).toMatchObject({ action: "update", status: "done" });
  });

  it("is not deleted by a mirror without --accept-hidden-loss", async () => {
    const { stack, stage } = newStage(target({ dashboards: [] }));
    await stage.run(archive);
    const [first = {}] = recordsOn(stack, "dashboards") as JsonObject[];
    stack.substitutes.add(tileOf(first));
    const rest = archive.filter(({ kind }) => kind !== "dashboards");
    const kept = await stage.run(rest, { mirror: {} });
    expect(outcomeOf(kept, String(first["name"]))).toMatchObject({ action: "blocked", code: "would-lose-hidden" });
    expect(writesOn(stack).filter((name) => name.startsWith("delete"))).toHaveLength(1);
  });
});

describe("what the source of an archive holds and no write brings back", () => {
  const substitute = dashboard(hexId("a", 20), "Converted", archiveIds.source);
  const [tile] = substitute["tiles"] as JsonObject[];
  const config = { displayType: "line", sourceId: archiveIds.source, select: [{ aggFn: "count" }] };
  const shown = { ...substitute, tiles: [{ ...tile, config }] };
  const silenced = { silenced: { by: "jo", at: "2026-11-24T20:00:00.000Z" } };
  const quiet = alert(hexId("a", 32), "Quiet", substitute, archiveIds.webhook, silenced);
  const loud = alert(hexId("a", 33), "Loud", substitute, archiveIds.webhook, { silenced: null });
  const archiveWithLosses = records({ dashboards: [shown], alerts: [quiet, loud], ...dependencies.ours });

  it("is in the plan, by record: a chart in the place of a tile, an alert that is silenced no longer", async () => {
    const run = await importInto(target(), archiveWithLosses);
    expect(run.exitCode).toBe(0);
    const warnings = run.plan.warnings.filter(({ code }) => code === "substitute-tiles" || code === "silenced");
    expect(warnings.map(({ code }) => code)).toEqual(["substitute-tiles", "silenced"]);
    expect(warnings[0]?.message).toMatch(/"Converted".*"Requests"/);
    expect(warnings[1]?.message).toContain("Quiet");
    expect(warnings[1]?.message).not.toContain("Loud");
  });

  it("is not named if the target has the records already, or the archive is of a managed stack", async () => {
    const stack = target();
    await importInto(stack, archiveWithLosses);
    const again = await importInto(stack, archiveWithLosses);
    expect(warningMessages(again.plan, "silenced")).toEqual([]);
    const source = { variant: "managed", baseUrl: "http://managed.test" } as const;
    const managed = await importInto(target(), archiveWithLosses, { source });
    expect(warningMessages(managed.plan, "substitute-tiles")).toEqual([]);
  });
});

describe("a tile that was made in the web interface, and that may have settings which no answer shows", () => {
  const tiles = (...ids: readonly string[]): JsonObject[] =>
    ids.map((id) => ({ ...(theirs["tiles"] as JsonObject[])[0], id, name: `Tile ${id}` }));
  const made = (...ids: readonly string[]): MemoryStack =>
    target({ dashboards: [{ ...theirs, tiles: tiles(...ids) }, other] });
  const named = (run: Parameters<typeof warningMessages>[0]): string[] => warningMessages(run, "may-lose-hidden");

  it("is named by an update of its dashboard; tiles with ids of the API and other dashboards are not", async () => {
    const [message, ...others] = named((await importStage(made("k3x1p", hexId("d", 3))).run(archive, update)).plan);
    expect(others).toEqual([]);
    expect(message).toMatch(/"Overview".*1 tile .*"Tile k3x1p"/);
    expect(message).not.toContain(hexId("d", 3));
  });

  it("is not named if its dashboard is not updated, if it is Markdown, or on a managed stack", async () => {
    expect(named((await importInto(made("k3x1p"), archive)).plan)).toEqual([]);
    const markdown = { ...tiles("k3x1p")[0], config: { displayType: "markdown", markdown: "Call us." } };
    const notes = target({ dashboards: [{ ...theirs, tiles: [markdown] }, other] });
    expect(named((await importInto(notes, archive, update)).plan)).toEqual([]);
    const managed = memoryStack(
      { dashboards: [{ ...theirs, tiles: tiles("k3x1p") }], ...dependencies.theirs },
      "managed",
    );
    const run = await importInto(managed, archive, update);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(named(run.plan)).toEqual([]);
  });

  it("is named without a secret that its name holds", async () => {
    const secret = "Bearer 3f9c2b7a1d4e4f6a8b0c5d6e7f8a9b0c";
    const [tile] = tiles("k3x1p");
    const stack = target({ dashboards: [{ ...theirs, tiles: [{ ...tile, name: secret }] }, other] });
    const { plan } = await importInto(stack, archive, update);
    expect(named(plan)).toHaveLength(1);
    expect(JSON.stringify([plan.warnings, plan.items.map(({ mayHide }) => mayHide)])).not.toContain("3f9c");
  });

  it("is not named again after a run that was killed once it had written", async () => {
    const { stack, stage } = newStage(made("k3x1p"));
    await runKilled(stack, "after", /^update /, () => stage.run(archive, update));
    expect(named((await stage.run(archive, update)).plan)).toEqual([]);
  });
});

describe("a stack that may hold tiles which the API does not show", () => {
  const promql = { ...source(hexId("b", 3), "Metrics", hexId("c", 2)), kind: "promql" };
  const prometheus = { id: hexId("b", 4), name: "Prometheus", host: "http://p", isPrometheusEndpoint: true };

  it.each<[string, Record<string, JsonObject[]>]>([
    ["a source", { sources: [source(targetIds.source, "Logs", hexId("c", 2)), promql] }],
    ["a connection", { connections: [prometheus] }],
  ])("has %s as a sign of such tiles: the plan warns once, names the dashboards, and updates", async (_what, more) => {
    const run = await importInto(target(more), archive, update);
    expect(warningsBesidesJournal(run.plan).map(({ code }) => code)).toEqual(["may-lose-hidden"]);
    expect(warningsBesidesJournal(run.plan)[0]?.message).toMatch(/"Overview", "Other"/);
    expect(outcomeOf(run, "Overview")).toMatchObject({ action: "update", status: "done" });
  });

  it("gets no warning about a dashboard that an import has written, and that nobody has changed since", async () => {
    const stage = importStage(target({ connections: [prometheus] }));
    await stage.run(archive, update);
    const retagged = archive.map((record) => ({ ...record, body: { ...record.body, tags: ["newer"] } }));
    const again = await stage.run(retagged, update);
    expect(outcomeOf(again, "Overview")).toMatchObject({ action: "update", status: "done" });
    expect(again.plan.warnings).toEqual([]);
  });

  it("gets no warning if no dashboard is updated", async () => {
    const run = await importInto(target({ connections: [prometheus] }), archive);
    expect(warningsBesidesJournal(run.plan)).toEqual([]);
  });
});
