import { describe, expect, it } from "vitest";
import type { Bodies } from "../support/diff-bodies.ts";
import { askedFor, diffOf, linesOf, sideOf } from "../support/diff-bodies.ts";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import { callSandbox, changeTheOne, emptyStack, outcomesOf, smallBench, theOne } from "../support/small-bench.ts";
import { alert, dashboard, hexId, source, webhook } from "../support/stack-records.ts";

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

/** Exports the target, though its alerts cannot be read. */
async function exportWithoutAlerts(bench: SmallBench, out: string): Promise<void> {
  bench.watch = (request, proceed) =>
    request.route === "GET alerts" ? Response.json({ message: "no" }, { status: 403 }) : proceed();
  await bench.run(["export", "--from", bench.to.stack, "--out", out, "--allow-partial"], { env: envOf(bench) });
  bench.watch = (_, proceed) => proceed();
}

function envOf({ to }: SmallBench): Record<string, string> {
  return { STACKFERRY_FROM_API_KEY: to.apiKey ?? "", STACKFERRY_TO_API_KEY: to.apiKey ?? "" };
}

describe("a kind that could not be read", () => {
  it.each<[string, string, string, string[]]>([
    ["on both sides", "partial.zip", "partial.zip", ["left", "right"]],
    ["on the left", "partial.zip", "whole.zip", ["left"]],
    ["on the right", "whole.zip", "partial.zip", ["right"]],
  ])("%s makes a comparison incomplete (exit 3), not one without a difference", async (_, left, right, sides) => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    await exportWithoutAlerts(bench, "partial.zip");
    await bench.run(["export", "--from", bench.to.stack, "--out", "whole.zip"], { env: envOf(bench) });
    for (const more of [[], ["--exit-code"]]) {
      const run = await bench.run(["diff", left, right, ...more]);
      expect(documentOf(run)).toMatchObject({ exitCode: 3, different: false });
      const failed = reported(run).notCompared.filter(({ reason }) => reason === "failed");
      expect(failed).toEqual(sides.map((side) => ({ kind: "alerts", side, reason: "failed" })));
      expect(reported(run).changes).toEqual([]);
    }
    const text = await bench.run(["diff", left, right]);
    expect(text.exitCode).toBe(3);
    const others = await bench.run(["diff", left, right, "--kinds", "dashboards", "--exit-code"]);
    expect(documentOf(others)).toMatchObject({ exitCode: 0, diff: { same: 3, notCompared: [] } });
  });

  it("weighs more than a difference in another kind (exit 3, not 10)", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    await exportWithoutAlerts(bench, "partial.zip");
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["changed"] });
    const words = ["diff", "partial.zip", bench.to.stack];
    for (const more of [[], ["--exit-code"]]) {
      const run = await bench.run([...words, ...more], { env: envOf(bench) });
      expect(documentOf(run)).toMatchObject({ exitCode: 3, different: true });
      expect(linesOf(reported(run) as never)).toEqual(["~ dashboards Three"]);
    }
  });
});

describe("the exit code of diff", () => {
  it("is 0 without a difference, 10 with one, and 0 with one where it was not asked for", async () => {
    await using bench = await smallBench();
    expect((await bench.import()).exitCode).toBe(0);
    const env = envOf(bench);
    await bench.run(["export", "--from", bench.to.stack, "--out", "before.zip"], { env });
    const words = ["diff", "before.zip", bench.to.stack];
    expect(documentOf(await bench.run([...words, "--exit-code"], { env }))).toMatchObject({
      exitCode: 0,
      different: false,
      diff: { changes: [] },
    });
    await callSandbox(bench.to, "DELETE", `alerts/${(await theOne(bench.to, "alerts", "Busy")).id}`);
    const run = await bench.run([...words, "--exit-code"], { env });
    expect(documentOf(run)).toMatchObject({ exitCode: 10, different: true });
    expect(linesOf(reported(run) as never)).toEqual(["- alerts Busy"]);
    expect(documentOf(await bench.run(words, { env }))).toMatchObject({ exitCode: 0, different: true });
    const turned = await bench.run(["diff", bench.to.stack, "before.zip", "--exit-code"], { env });
    expect(turned.exitCode).toBe(10);
    expect(linesOf(reported(turned) as never)).toEqual(["+ alerts Busy"]);
    const excluded = await bench.run([...words, "--exit-code", "--exclude", "Busy"], { env });
    expect(documentOf(excluded)).toMatchObject({ exitCode: 0, different: false });
  });
});

describe("the exit code of import --dry-run --exit-code", () => {
  const words = ["--dry-run", "--exit-code"];

  it("is 10 where something would be written, 0 where nothing would, and 0 without --exit-code", async () => {
    await using bench = await smallBench();
    expect(documentOf(await bench.import(...words))).toMatchObject({ exitCode: 10, counts: { create: 5 } });
    expect((await bench.import("--dry-run")).exitCode).toBe(0);
    expect((await bench.import()).exitCode).toBe(0);
    expect(documentOf(await bench.import(...words))).toMatchObject({ exitCode: 0, counts: { unchanged: 5 } });
    await changeTheOne(bench.to, "dashboards", "Three", { tags: ["theirs"] });
    expect((await bench.import(...words)).exitCode).toBe(0);
    const updating = documentOf(await bench.import(...words, "--on-conflict", "update"));
    expect(updating).toMatchObject({ exitCode: 10, counts: { update: 1 } });
  });

  it("is 3 where some are blocked, whatever would be written besides", async () => {
    const { webhooks: _webhooks, ...withoutWebhooks } = emptyStack("b");
    await using bench = await smallBench(withoutWebhooks);
    for (const more of [words, ["--dry-run"]]) {
      const run = await bench.import(...more);
      expect(run.exitCode).toBe(3);
      const actions = outcomesOf(run).map(({ kind, action }) => `${action} ${kind}`);
      expect(actions).toContain("create dashboards");
      expect(actions).toContain("blocked alerts");
    }
    expect(bench.to.stats().byRoute["POST dashboards"]).toBeUndefined();
  });

  it("is 3 where some are blocked and the rest is there", async () => {
    const { webhooks: _webhooks, ...withoutWebhooks } = emptyStack("b");
    await using bench = await smallBench(withoutWebhooks);
    expect(documentOf(await bench.import())).toMatchObject({ exitCode: 3 });
    expect((await bench.import(...words)).exitCode).toBe(3);
  });
});

describe("a comparison of two stacks", () => {
  const letter = { left: "a", right: "b" } as const;
  const stack = (side: keyof typeof letter, more: Partial<Record<string, Bodies[string]>> = {}): Bodies => {
    const of = letter[side];
    const one = dashboard(hexId(of, 16), "One", hexId(of, 1));
    const two = dashboard(hexId(of, 17), "Two", hexId(of, 1));
    const whole: Bodies = {
      dashboards: [one, two],
      alerts: [alert(hexId(of, 32), "Busy", one, hexId(of, 2)), alert(hexId(of, 33), "Quiet", two, hexId(of, 2))],
      sources: [source(hexId(of, 1), "Logs", hexId(of, 8))],
      webhooks: [webhook(hexId(of, 2), "pager")],
    };
    return { ...whole, ...(more as Bodies) };
  };
  const reversed = (bodies: Bodies): Bodies =>
    Object.fromEntries(Object.entries(bodies).map(([kind, all]) => [kind, all.toReversed()]));
  const pick = (bodies: Bodies, kind: string, index: number) => bodies[kind]?.[index] ?? {};

  it("counts neither ids nor the order in which records are listed", async () => {
    const left = sideOf(stack("left"));
    expect(await diffOf(left, sideOf(reversed(stack("right"))))).toEqual({
      changes: [],
      same: 6,
      notCompared: [],
      warnings: [],
    });
    expect((await diffOf(sideOf(reversed(stack("left"))), sideOf(stack("right")))).changes).toEqual([]);
  });

  it("names what is only on one side by the id that it has there", async () => {
    const [left, right] = [stack("left"), stack("right")];
    const without = { ...right, alerts: right["alerts"]?.slice(1) ?? [] };
    expect((await diffOf(sideOf(left), sideOf(without))).changes).toEqual([
      { kind: "alerts", change: "removed", name: "Busy", leftId: hexId("a", 32), members: [] },
    ]);
    expect((await diffOf(sideOf(without), sideOf(left))).changes).toEqual([
      { kind: "alerts", change: "added", name: "Busy", rightId: hexId("a", 32), members: [] },
    ]);
    const none = sideOf(Object.fromEntries(Object.keys(left).map((kind) => [kind, []])));
    expect(await diffOf(sideOf(left), none)).toMatchObject({ same: 0, notCompared: [], warnings: [] });
    expect(linesOf(await diffOf(sideOf(left), none))).toHaveLength(6);
    expect(linesOf(await diffOf(none, sideOf(left)))).toHaveLength(6);
    expect(await diffOf(none, none)).toEqual({ changes: [], same: 0, notCompared: [], warnings: [] });
  });

  it("lists changes by kind, then name, each side's own", async () => {
    const extra = (number: number, name: string) => dashboard(hexId("a", number), name, hexId("a", 1));
    const left = stack("left");
    const more = {
      ...left,
      dashboards: [extra(20, "b"), extra(19, "C"), ...(left["dashboards"] ?? []), extra(18, "a")],
    };
    const right = stack("right", { alerts: [] });
    expect(linesOf(await diffOf(sideOf(more), sideOf(right)))).toEqual([
      "- dashboards C",
      "- dashboards a",
      "- dashboards b",
      "- alerts Busy",
      "- alerts Quiet",
    ]);
    expect(linesOf(await diffOf(sideOf(right), sideOf(more))).slice(0, 3)).toEqual([
      "+ dashboards C",
      "+ dashboards a",
      "+ dashboards b",
    ]);
  });

  it("follows a reference to the record that it means: the same is no difference, another one is", async () => {
    const right = stack("right");
    const [one, two] = [pick(right, "dashboards", 0), pick(right, "dashboards", 1)];
    const moved = {
      ...pick(right, "alerts", 0),
      dashboardId: two["id"] ?? null,
      tileId: `${hexId("b", 17).slice(0, 20)}f001`,
    };
    const other = webhook(hexId("b", 3), "chat");
    const found = await diffOf(sideOf(stack("left")), sideOf({ ...right, alerts: [moved, pick(right, "alerts", 1)] }));
    expect(linesOf(found)).not.toEqual([]);
    expect(linesOf(found).every((line) => line.includes("alerts Busy"))).toBe(true);
    const channel = { type: "webhook", webhookId: hexId("b", 3) };
    const toChat = { ...pick(right, "alerts", 0), channel, channels: [channel] };
    const rerouted = await diffOf(
      sideOf(stack("left")),
      sideOf({ ...right, alerts: [toChat, pick(right, "alerts", 1)], webhooks: [...(right["webhooks"] ?? []), other] }),
    );
    expect(linesOf(rerouted)).toEqual(["+ webhooks chat", "~ alerts Busy"]);
    expect(rerouted.changes[1]?.members).toContainEqual(
      expect.objectContaining({ change: "changed", from: hexId("b", 2), to: hexId("b", 3) }),
    );
    expect(one["name"]).toBe("One");
  });

  it("tells of a kind that one side lacks which side, and why; of one that neither has, nothing", async () => {
    const { webhooks: _left, ...left } = stack("left");
    const { webhooks: _right, ...right } = stack("right");
    const found = await diffOf(sideOf(left, { webhooks: "not-requested" }), sideOf(stack("right")));
    expect(found.notCompared).toEqual([{ kind: "webhooks", side: "left", reason: "not-requested" }]);
    expect(found.changes).toEqual([]);
    expect((await diffOf(sideOf(left), sideOf(right))).notCompared).toEqual([]);
    const both = await diffOf(sideOf(left, { webhooks: "not-offered" }), sideOf(right, { webhooks: "failed" }));
    expect(both.notCompared).toEqual([
      { kind: "webhooks", side: "left", reason: "not-offered" },
      { kind: "webhooks", side: "right", reason: "failed" },
    ]);
    const failed = await diffOf(sideOf(left, { webhooks: "failed" }), sideOf(right, { webhooks: "failed" }));
    expect(failed.notCompared).toHaveLength(2);
    expect(failed.same).toBe(5);
  });

  it("compares only what is asked for, a renamed record by either name", async () => {
    const left = stack("left");
    const tiles = { tiles: [{ ...(pick(left, "dashboards", 0)["tiles"] as object[])[0] }] };
    const renamed = { ...pick(left, "dashboards", 0), ...tiles, name: "Uno" };
    const same = sideOf({ ...left, dashboards: [renamed, pick(left, "dashboards", 1)] });
    for (const name of ["One", "Uno"]) {
      const found = await diffOf(sideOf(left), same, {
        kinds: ["dashboards"],
        filter: { include: [name], exclude: [] },
      });
      expect(found.changes).toMatchObject([{ change: "changed", name: "Uno", leftId: hexId("a", 16) }]);
      expect(found.changes[0]?.members).toEqual([{ pointer: "/name", change: "changed", from: "One", to: "Uno" }]);
      expect(found.same).toBe(0);
    }
    const none = await diffOf(sideOf(left), same, { filter: { include: ["Two"], exclude: [] } });
    expect(none).toMatchObject({ changes: [], same: 1 });
  });

  it("does not call a pipe removed that a stack was not asked for", async () => {
    const pipe = (id: string) => ({ id, name: `Pipe ${id}` });
    const left = sideOf({ pipes: [pipe("p1"), pipe("p2")] });
    const right = sideOf({ pipes: [pipe("p2")] });
    expect(linesOf(await diffOf(left, right))).toEqual(["- pipes Pipe p1"]);
    expect(linesOf(await diffOf(left, askedFor(right, "p1", "p2")))).toEqual(["- pipes Pipe p1"]);
    expect(linesOf(await diffOf(left, askedFor(right, "p2")))).toEqual([]);
    expect(linesOf(await diffOf(right, left))).toEqual(["+ pipes Pipe p1"]);
    expect(linesOf(await diffOf(askedFor(right, "p2"), left))).toEqual([]);
  });

  it("does not count what the server adds or keeps for itself", async () => {
    const [left, right] = [stack("left"), stack("right")];
    const stamped = { ...pick(right, "dashboards", 0), createdAt: "2026-01-01", updatedAt: "2026-01-02", teamId: "t" };
    const firing = { ...pick(right, "alerts", 0), state: "ALERT", updatedAt: "2026-01-02" };
    const found = await diffOf(
      sideOf(left),
      sideOf({
        ...right,
        dashboards: [stamped, pick(right, "dashboards", 1)],
        alerts: [firing, pick(right, "alerts", 1)],
      }),
    );
    expect(found).toMatchObject({ changes: [], same: 6 });
  });

  it("tells every member that differs, added, removed, changed and moved", async () => {
    const [left, right] = [stack("left"), stack("right")];
    const tile = (name: string, x: number) => ({
      id: `${name}${x}`,
      name,
      x,
      y: 0,
      w: 6,
      h: 3,
      config: { displayType: "markdown", markdown: name },
    });
    const before = {
      ...pick(left, "dashboards", 0),
      tiles: [tile("A", 0), tile("B", 6)],
      savedQuery: "a:b",
      tags: ["x"],
    };
    const after = { ...pick(right, "dashboards", 0), tiles: [tile("B", 6), tile("A", 0)], tags: ["x", "y"] };
    const found = await diffOf(
      sideOf({ ...left, dashboards: [before], alerts: [] }),
      sideOf({ ...right, dashboards: [after], alerts: [] }),
    );
    expect(found.changes).toMatchObject([{ name: "One", rightId: hexId("b", 16) }]);
    expect(found.changes[0]?.members).toEqual([
      { pointer: "/savedQuery", change: "removed", from: "a:b" },
      { pointer: "/tags/1", change: "added", to: "y" },
    ]);
    const reordered = await diffOf(
      sideOf({ ...left, dashboards: [before], alerts: [] }),
      sideOf({ ...right, dashboards: [{ ...after, savedQuery: "a:b", tags: ["x"] }], alerts: [] }),
    );
    expect(reordered.changes[0]?.members).toEqual([{ pointer: "/tiles", change: "moved" }]);
  });
});
