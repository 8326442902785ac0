import { describe, expect, it } from "vitest";
import { linesOf } from "../support/diff-bodies.ts";
import type { CliRun } from "../support/run-cli.ts";
import { documentOf } from "../support/run-cli.ts";
import type { SmallBench } from "../support/small-bench.ts";
import {
  callSandbox,
  changeListedRecord,
  emptyStack,
  importedBench,
  passThrough,
  outcomesOf,
  refuseRoute,
  smallBench,
  listedRecord,
} from "../support/small-bench.ts";

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
async function exportWithoutAlerts(bench: SmallBench, out: string): Promise<void> {
  refuseRoute(bench, "GET alerts", 403);
  await bench.run(["export", "--from", bench.to.stack, "--out", out, "--allow-partial"], { env: envOf(bench) });
  bench.watch = passThrough;
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
    await using bench = await importedBench();
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
    await using bench = await importedBench();
    await exportWithoutAlerts(bench, "partial.zip");
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["changed"] });
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
    await using bench = await importedBench();
    const env = envOf(bench);
    await bench.run(["export", "--from", bench.to.stack, "--out", "before.zip"], { env });
    const words = ["diff", "before.zip", bench.to.stack];
    expect(documentOf(await bench.run([...words, "--exit-code"], { env }))).toMatchObject({
      exitCode: 0,
      different: false,
      diff: { changes: [] },
    });
    await callSandbox(bench.to, "DELETE", `alerts/${(await listedRecord(bench.to, "alerts", "Busy")).id}`);
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
    await changeListedRecord(bench.to, "dashboards", "Three", { tags: ["theirs"] });
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
