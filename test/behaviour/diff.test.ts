import { describe, expect, it } from "vitest";
import { callSandbox } from "../support/read-sandbox.ts";
import { changeOn, recordOn } from "../support/on-stack.ts";
import { diffOf, linesOf, sideOf, type Bodies } from "../support/diff-bodies.ts";
import { excluding, including, type JsonObject } from "../support/import-stage.ts";
import { alert, dashboard, hexId, source, tileOf, tileWith, webhook, archiveIds } from "../support/stack-records.ts";
import { documentOf, type CliRun } from "../support/run-cli.ts";
import {
  emptySeed,
  programAfterImport,
  passThrough,
  outcomesOf,
  refuseRoute,
  programWithArchive,
  type ProgramWithArchive,
} from "../support/program-with-archive.ts";

/** Returns six records of a stack whose ids all begin with this letter. Two letters make two stacks with the same content. */
function stack(letter: "a" | "b") {
  const [one, two] = ["One", "Two"].map((name, at) => dashboard(hexId(letter, 16 + at), name, hexId(letter, 1))) as [
    JsonObject,
    JsonObject,
  ];
  const hook = hexId(letter, 2);
  const [busy, quiet] = [alert(hexId(letter, 32), "Busy", one, hook), alert(hexId(letter, 33), "Quiet", two, hook)];
  const [logs, pager] = [source(hexId(letter, 1), "Logs", hexId(letter, 8)), webhook(hook, "pager")];
  return { dashboards: [one, two], alerts: [busy, quiet], sources: [logs], webhooks: [pager], one, two, busy, quiet };
}

const [a, b] = [stack("a"), stack("b")];
/** Returns the stack as a side of the comparison, with some of its kinds replaced. */
const side = (
  { dashboards, alerts, sources, webhooks }: typeof a,
  more: Bodies = {},
  unread: Parameters<typeof sideOf>[1] = {},
): ReturnType<typeof sideOf> => sideOf({ dashboards, alerts, sources, webhooks, ...more }, unread);
/** Returns the stack as a side without one kind, with the reason why the kind is missing, if one is given. */
function without(of: typeof a, kind: string, reason?: "not-requested" | "not-offered" | "failed") {
  const { one: _one, two: _two, busy: _busy, quiet: _quiet, ...bodies } = of;
  const left = Object.fromEntries(Object.entries(bodies).filter(([name]) => name !== kind));
  return sideOf(left, reason === undefined ? {} : { [kind]: reason });
}
const nothing = side(a, { dashboards: [], alerts: [], sources: [], webhooks: [] });
const noAlerts = { alerts: [] };

describe("a comparison of two stacks", () => {
  it("counts neither ids nor the order in which records are listed", async () => {
    const reversed = (of: typeof a): ReturnType<typeof sideOf> =>
      side(of, { dashboards: of.dashboards.toReversed(), alerts: of.alerts.toReversed() });
    const equal = { changes: [], same: 6, notCompared: [], warnings: [] };
    expect(await diffOf(side(a), reversed(b))).toEqual(equal);
    expect(await diffOf(reversed(a), side(b))).toEqual(equal);
  });

  it("names the records and tiles that a changed id points to, of both sides", async () => {
    const pagers = [webhook(archiveIds.webhook, "pager"), webhook(hexId("a", 3), "oncall")];
    const config = { displayType: "markdown", markdown: "" };
    const tiles = [...(a.one["tiles"] as readonly JsonObject[]), tileWith(hexId("a", 9), "Errors", config)];
    const busy = alert(hexId("a", 32), "Busy", a.one, hexId("a", 3), { tileId: hexId("a", 9) });
    const right = side(a, { dashboards: [{ ...a.one, tiles }, a.two], alerts: [busy, a.quiet], webhooks: pagers });
    const change = (await diffOf(side(a), right)).changes.find(({ kind }) => kind === "alerts");
    expect(change?.members.map(({ pointer, fromName, toName }) => [pointer, fromName, toName])).toEqual([
      ["/channels/0/webhookId", "pager", "oncall"],
      ["/tileId", "Requests", "Errors"],
    ]);
  });

  it("names what is only on one side by the id that it has there", async () => {
    const less = side(a, { alerts: [a.quiet] });
    expect((await diffOf(side(a), less)).changes).toEqual([
      { kind: "alerts", change: "removed", name: "Busy", leftId: hexId("a", 32), members: [] },
    ]);
    expect((await diffOf(less, side(a))).changes).toEqual([
      { kind: "alerts", change: "added", name: "Busy", rightId: hexId("a", 32), members: [] },
    ]);
    for (const sides of [
      [side(a), nothing],
      [nothing, side(a)],
    ] as const) {
      const found = await diffOf(...sides);
      expect(found).toMatchObject({ same: 0, notCompared: [], warnings: [] });
      expect(found.changes).toHaveLength(6);
    }
    expect(await diffOf(nothing, nothing)).toEqual({ changes: [], same: 0, notCompared: [], warnings: [] });
  });

  it("lists changes by kind, then name, each side's own", async () => {
    const extra = (number: number, name: string) => dashboard(hexId("a", number), name, archiveIds.source);
    const more = side(a, { dashboards: [extra(20, "b"), extra(19, "C"), ...a.dashboards, extra(18, "a")] });
    const sorted = (sign: string): string[] =>
      ["dashboards C", "dashboards a", "dashboards b", "alerts Busy", "alerts Quiet"].map((line) => `${sign} ${line}`);
    expect(linesOf(await diffOf(more, side(b, noAlerts)))).toEqual(sorted("-"));
    expect(linesOf(await diffOf(side(b, noAlerts), more))).toEqual(sorted("+"));
  });

  it("follows a reference to the record that it means: the same is no difference, another one is", async () => {
    const moved = { ...b.busy, dashboardId: b.two["id"] ?? null, tileId: tileOf(b.two) };
    const found = linesOf(await diffOf(side(a), side(b, { alerts: [moved, b.quiet] })));
    expect(found).not.toEqual([]);
    for (const line of found) expect(line).toContain("alerts Busy");
    const channel = { type: "webhook", webhookId: hexId("b", 3) };
    const alerts = [{ ...b.busy, channel, channels: [channel] }, b.quiet];
    const rerouted = await diffOf(
      side(a),
      side(b, { alerts, webhooks: [...b.webhooks, webhook(hexId("b", 3), "chat")] }),
    );
    expect(linesOf(rerouted)).toEqual(["+ webhooks chat", "~ alerts Busy"]);
    const change = { change: "changed", from: hexId("b", 2), to: hexId("b", 3) };
    expect(rerouted.changes[1]?.members).toContainEqual(expect.objectContaining(change));
  });

  it("names the side that lacks a kind, and why, and says nothing of a kind that both lack", async () => {
    const one = await diffOf(without(a, "webhooks", "not-requested"), side(b));
    expect(one).toMatchObject({ notCompared: [{ kind: "webhooks", side: "left", reason: "not-requested" }] });
    expect((await diffOf(without(a, "webhooks"), without(b, "webhooks"))).notCompared).toEqual([]);
    const other = await diffOf(side(a), without(b, "dashboards", "failed"));
    expect(other.notCompared).toEqual([{ kind: "dashboards", side: "right", reason: "failed" }]);
    for (const reason of ["not-offered", "failed"] as const) {
      const both = await diffOf(without(a, "webhooks", reason), without(b, "webhooks", "failed"));
      expect(both.notCompared).toEqual([
        { kind: "webhooks", side: "left", reason },
        { kind: "webhooks", side: "right", reason: "failed" },
      ]);
    }
  });

  it("compares only what is asked for, a renamed record by either name", async () => {
    const renamed = side(a, { dashboards: [{ ...a.one, name: "Uno" }, a.two] });
    for (const name of ["One", "Uno"]) {
      const found = await diffOf(side(a), renamed, { kinds: ["dashboards"], filter: including(name) });
      expect(found).toMatchObject({ same: 0, changes: [{ change: "changed", name: "Uno", leftId: hexId("a", 16) }] });
      expect(found.changes[0]?.members).toEqual([{ pointer: "/name", change: "changed", from: "One", to: "Uno" }]);
    }
    expect(await diffOf(side(a), renamed, { filter: including("Two") })).toMatchObject({ changes: [], same: 1 });
    const loud = side(b, { alerts: [{ ...b.busy, threshold: 99 }, b.quiet] });
    expect(await diffOf(side(a), loud, { filter: excluding("Bus*") })).toMatchObject({ changes: [], same: 5 });
  });

  it("names the pipes of one side alone", async () => {
    const pipe = (id: string) => ({ id, name: `Pipe ${id}` });
    const [left, right] = [sideOf({ pipes: [pipe("p1"), pipe("p2")] }), sideOf({ pipes: [pipe("p2")] })];
    expect(linesOf(await diffOf(left, right))).toEqual(["- pipes Pipe p1"]);
    expect(linesOf(await diffOf(right, left))).toEqual(["+ pipes Pipe p1"]);
  });

  it("does not count what the server adds or keeps for itself", async () => {
    const stamped = { ...b.one, createdAt: "2026-01-01", updatedAt: "2026-01-02", teamId: "t" };
    const firing = { ...b.busy, state: "ALERT", updatedAt: "2026-01-02" };
    const found = await diffOf(side(a), side(b, { dashboards: [stamped, b.two], alerts: [firing, b.quiet] }));
    expect(found).toMatchObject({ changes: [], same: 6 });
  });

  it("names every member that differs, and says nothing of the order of tiles", async () => {
    const tile = (name: string, x: number): JsonObject =>
      tileWith(`${name}${x}`, name, { displayType: "markdown", markdown: name }, { x });
    const before = { ...a.one, tiles: [tile("A", 0), tile("B", 6)], savedQuery: "a:b", tags: ["x"] };
    const after = { ...b.one, tiles: [tile("B", 6), tile("A", 0)] };
    const changesTo = async (more: JsonObject) =>
      (
        await diffOf(
          side(a, { ...noAlerts, dashboards: [before] }),
          side(b, { ...noAlerts, dashboards: [{ ...after, ...more }] }),
        )
      ).changes;
    const changed = await changesTo({ tags: ["x", "y"] });
    expect(changed).toMatchObject([{ name: "One", rightId: hexId("b", 16) }]);
    expect(changed[0]?.members).toEqual([
      { pointer: "/savedQuery", change: "removed", from: "a:b" },
      { pointer: "/tags/1", change: "added", to: "y" },
    ]);
    expect(await changesTo({ savedQuery: "a:b", tags: ["x"] })).toEqual([]);
  });
});

describe("records that a comparison tells apart", () => {
  it("needs a map file for the webhooks that one side does not list: without it, the alerts on them differ", async () => {
    for (const [left, right] of [
      [a, b],
      [b, a],
    ] as const) {
      const pairs = left.webhooks.map(({ id }, at) => [String(id), String(right.webhooks[at]?.["id"])]);
      const mapping = { webhooks: Object.fromEntries(pairs) as Record<string, string> };
      const sides = [without(left, "webhooks", "not-offered"), side(right)] as const;
      expect(await diffOf(...sides, { mapping })).toMatchObject({ changes: [], same: 5 });
      const { changes } = await diffOf(...sides);
      expect(new Set(changes.map(({ kind, change }) => `${kind} ${change}`))).toEqual(new Set(["alerts changed"]));
    }
  });

  it("needs a map file for what has another name, and a wrong one is refused", async () => {
    const renamed = { ...b.sources[0], name: "Records", from: { databaseName: "default", tableName: "records" } };
    const right = side(b, { sources: [renamed] });
    const mapped = (sources: Record<string, string>) => diffOf(side(a), right, { mapping: { sources } });
    expect((await mapped({})).changes.length).toBeGreaterThan(1);
    // What the map file pairs counts as the same: an import never writes it.
    const found = await mapped({ Logs: "Records" });
    expect(found.changes).toEqual([]);
    await expect(mapped({ Logs: "Recrds" })).rejects.toMatchObject({ faults: [expect.stringContaining("Recrds")] });
    const unused = { changes: found.changes, warnings: [{ code: "unused" }] };
    expect(await mapped({ Logs: "Records", Logz: "Records" })).toMatchObject(unused);
  });

  it("is a dashboard of other content, though the map file pairs it", async () => {
    const [theirs] = b.dashboards;
    const right = side(b, { dashboards: [{ ...theirs, name: "Uno", tags: ["new"] }, ...b.dashboards.slice(1)] });
    const mapping = { dashboards: { One: String(theirs?.["id"]) } };
    const { changes } = await diffOf(side(a), right, { mapping });
    expect(changes.map(({ kind, members }) => [kind, members.map(({ pointer }) => pointer)])).toEqual([
      ["dashboards", ["/name", "/tags"]],
    ]);
  });

  it("names the webhooks of both sides, though one of them shows a single channel", async () => {
    const single = { ...a.busy, channels: undefined, channel: { type: "webhook", webhookId: hexId("a", 3) } };
    const webhooks = [...a.webhooks, webhook(hexId("a", 3), "chat")];
    const { changes } = await diffOf(side(a, { webhooks }), side(a, { webhooks, alerts: [single] }));
    expect(changes.flatMap(({ members }) => members)).toMatchObject([
      { pointer: "/channels/0/webhookId", fromName: expect.any(String), toName: "chat" },
    ]);
  });

  it("is an alert on a webhook that goes to another, though no list says so", async () => {
    const moved = { alerts: [alert(hexId("a", 32), "Busy", a.one, hexId("a", 3))] };
    const before = { alerts: [a.busy] };
    const unlisted = (alerts: Bodies) =>
      sideOf({ dashboards: a.dashboards, sources: a.sources, ...alerts }, { webhooks: "not-offered" });
    const found = await diffOf(unlisted(before), unlisted(moved));
    const pointers = found.changes.flatMap(({ members }) => members.map(({ pointer }) => pointer));
    expect(pointers).toEqual(["/channels/0/webhookId"]);
    const webhooks = [...a.webhooks, webhook(hexId("a", 3), "chat")];
    const listed = await diffOf(side(a, { ...before, webhooks }), side(a, { ...moved, webhooks }));
    expect(listed.changes).toHaveLength(1);
  });

  it("is a source that gets another connection", async () => {
    const other = source(archiveIds.source, "Logs", hexId("a", 9));
    const found = await diffOf(side(a), side(a, { sources: [other] }));
    expect(found.changes).toMatchObject([{ kind: "sources", members: [{ pointer: "/connection" }] }]);
  });

  it("is a tile by its id, so that an alert stays on its tile when two of them swap names", async () => {
    const config = { displayType: "line", sourceId: archiveIds.source };
    const named = (...names: string[]): JsonObject => {
      const tiles = names.map((name, at) => tileWith(hexId("d", at + 1), name, config));
      return dashboard(hexId("a", 16), "Overview", "", { tiles });
    };
    const alerts = [alert(hexId("a", 32), "Busy", named("One"), archiveIds.webhook)];
    const [before, after] = [named("One", "Two"), named("Two", "One")];
    const found = await diffOf(side(a, { dashboards: [before], alerts }), side(a, { dashboards: [after], alerts }));
    expect(found.changes.map(({ kind }) => kind)).toEqual(["dashboards"]);
  });

  it("is each of two records that swapped what they say", async () => {
    const swapped = [
      { ...a.one, name: "Two" },
      { ...a.two, name: "One" },
    ];
    const { changes } = await diffOf(side(a, noAlerts), side(a, { ...noAlerts, dashboards: swapped }));
    expect(changes.map(({ leftId, rightId }) => [leftId, rightId])).toEqual([
      [hexId("a", 16), hexId("a", 16)],
      [hexId("a", 17), hexId("a", 17)],
    ]);
  });

  it("does not pair two records of one name without evidence: they count as removed and added", async () => {
    const twins = (letter: "a" | "b", ...tags: string[]): JsonObject[] =>
      tags.map((tag, at) => dashboard(hexId(letter, 17 + at), "Twin", hexId(letter, 1), { tags: [tag] }));
    const left = side(a, { ...noAlerts, dashboards: twins("a", "one", "two") });
    const { changes } = await diffOf(left, side(b, { ...noAlerts, dashboards: twins("b", "three", "four") }));
    const [went, came] = [
      { change: "removed", name: "Twin", ambiguous: true },
      { change: "added", name: "Twin" },
    ];
    expect(changes).toMatchObject([went, went, came, came]);
  });

  it("is an alert without a name, which is called by what it watches, on the side that has it", async () => {
    const unnamed = ({ busy }: typeof a): Bodies => ({ alerts: [{ ...busy, name: "" }] });
    const went = await diffOf(side(a, unnamed(a)), side(b, noAlerts));
    const came = await diffOf(side(a, noAlerts), side(b, unnamed(b)));
    expect([...went.changes, ...came.changes].map(({ change, displayName }) => [change, displayName])).toEqual([
      ["removed", "on Requests (One)"],
      ["added", "on Requests (One)"],
    ]);
  });
});

interface Reported {
  readonly changes: {
    readonly kind: string;
    readonly change: string;
    readonly name: string;
    readonly leftId?: string;
  }[];
  readonly notCompared: { readonly kind: string; readonly side: string; readonly reason: string }[];
  readonly same: number;
}

const reported = (run: CliRun): Reported => documentOf(run)["diff"] as Reported;

/** Exports the target while its alerts cannot be read. */
async function exportWithoutAlerts(program: ProgramWithArchive, out: string): Promise<void> {
  refuseRoute(program, "GET alerts", 403);
  await program.run(["export", "--from", program.to.stack, "--out", out, "--allow-partial"], { env: envOf(program) });
  program.watch = passThrough;
}

function envOf({ to }: ProgramWithArchive): Record<string, string> {
  return { STACKFERRY_FROM_API_KEY: to.apiKey ?? "", STACKFERRY_TO_API_KEY: to.apiKey ?? "" };
}

describe("a kind that could not be read", () => {
  it("makes a comparison incomplete (exit 3), not one without a difference, on whichever side it is", async () => {
    await using program = await programAfterImport();
    await exportWithoutAlerts(program, "partial.zip");
    await program.run(["export", "--from", program.to.stack, "--out", "whole.zip"], { env: envOf(program) });
    for (const [left, right, sides] of [
      ["partial.zip", "partial.zip", ["left", "right"]],
      ["partial.zip", "whole.zip", ["left"]],
      ["whole.zip", "partial.zip", ["right"]],
    ] as const) {
      for (const more of [[], ["--exit-code"]]) {
        const run = await program.run(["diff", left, right, ...more]);
        expect(documentOf(run)).toMatchObject({ exitCode: 3, different: false });
        const failed = reported(run).notCompared.filter(({ reason }) => reason === "failed");
        expect(failed).toEqual(sides.map((side) => ({ kind: "alerts", side, reason: "failed" })));
        expect(reported(run).changes).toEqual([]);
      }
      const others = await program.run(["diff", left, right, "--kinds", "dashboards", "--exit-code"]);
      expect(documentOf(others)).toMatchObject({ exitCode: 0, diff: { same: 3, notCompared: [] } });
    }
  });

  it("weighs more than a difference in another kind (exit 3, not 10)", async () => {
    await using program = await programAfterImport();
    await exportWithoutAlerts(program, "partial.zip");
    await changeOn(program.to, "dashboards", { tags: ["changed"] }, "Three");
    const words = ["diff", "partial.zip", program.to.stack];
    for (const more of [[], ["--exit-code"]]) {
      const run = await program.run([...words, ...more], { env: envOf(program) });
      expect(documentOf(run)).toMatchObject({ exitCode: 3, different: true });
      expect(linesOf(reported(run) as never)).toEqual(["~ dashboards Three"]);
    }
  });
});

describe("the exit code of diff", () => {
  it("is 10 for a difference under --exit-code, and otherwise 0", async () => {
    await using program = await programAfterImport();
    const env = envOf(program);
    await program.run(["export", "--from", program.to.stack, "--out", "before.zip"], { env });
    const words = ["diff", "before.zip", program.to.stack];
    expect(documentOf(await program.run([...words, "--exit-code"], { env }))).toMatchObject({
      exitCode: 0,
      different: false,
      diff: { changes: [] },
    });
    await callSandbox(program.to, "DELETE", `alerts/${(await recordOn(program.to, "alerts", "Busy")).id}`);
    const run = await program.run([...words, "--exit-code"], { env });
    expect(documentOf(run)).toMatchObject({ exitCode: 10, different: true });
    expect(linesOf(reported(run) as never)).toEqual(["- alerts Busy"]);
    expect(documentOf(await program.run(words, { env }))).toMatchObject({ exitCode: 0, different: true });
    const turned = await program.run(["diff", program.to.stack, "before.zip", "--exit-code"], { env });
    expect(turned.exitCode).toBe(10);
    expect(linesOf(reported(turned) as never)).toEqual(["+ alerts Busy"]);
    const excluded = await program.run([...words, "--exit-code", "--exclude", "Busy"], { env });
    expect(documentOf(excluded)).toMatchObject({ exitCode: 0, different: false });
  });
});

describe("the exit code of import --dry-run --exit-code", () => {
  const words = ["--dry-run", "--exit-code"];

  it("is 10 where something would be written, 0 where nothing would, and 0 without --exit-code", async () => {
    await using program = await programWithArchive();
    expect(documentOf(await program.import(...words))).toMatchObject({ exitCode: 10, counts: { create: 5 } });
    expect((await program.import("--dry-run")).exitCode).toBe(0);
    expect((await program.import()).exitCode).toBe(0);
    expect(documentOf(await program.import(...words))).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    await changeOn(program.to, "dashboards", { tags: ["theirs"] }, "Three");
    expect((await program.import(...words)).exitCode).toBe(0);
    const updating = documentOf(await program.import(...words, "--on-conflict", "overwrite"));
    expect(updating).toMatchObject({ exitCode: 10, counts: { update: 1 } });
  });

  it("is 3 where some are blocked, whatever would be written besides", async () => {
    const { webhooks: _webhooks, ...withoutWebhooks } = emptySeed("b");
    await using program = await programWithArchive(withoutWebhooks);
    for (const more of [words, ["--dry-run"]]) {
      const run = await program.import(...more);
      expect(run.exitCode).toBe(3);
      const actions = outcomesOf(run).map(({ kind, action }) => `${action} ${kind}`);
      expect(actions).toContain("create dashboards");
      expect(actions).toContain("blocked alerts");
    }
    expect(program.to.stats().byRoute["POST dashboards"]).toBeUndefined();
    // The rest is there.
    expect((await program.import()).exitCode).toBe(3);
    expect((await program.import(...words)).exitCode).toBe(3);
  });
});
