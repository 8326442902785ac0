import { describe, expect, it } from "vitest";
import { parseFaults } from "../../src/sandbox/faults/plan.ts";
import { bench, createsOf, importArgs, journalOf } from "../support/import-bench.ts";
import { textOfSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";

/** How long lists may lag here. */
const LAG = ["--consistency-wait", "300ms"];
const RETRIED = ["--json", "--timeout", "250ms", ...LAG];

describe("a stack whose ids change case", () => {
  it("is written once, updated without harm, and rolled back", async () => {
    await using stage = await bench({ faults: parseFaults({ seed: 3, rules: [{ fault: "case-ids", rate: 0.6 }] }) });
    const before = (await textOfSandbox(stage.to)).toLowerCase();
    const imported = documentOf(await stage.run(importArgs(stage.to)));
    expect(imported).toMatchObject({ exitCode: 0, counts: { create: 25 }, warnings: [] });
    const journal = await journalOf(stage.cwd);
    for (const more of [[], ["--journal", "second"], ["--on-conflict", "update", "--journal", "third"]]) {
      expect(documentOf(await stage.run(importArgs(stage.to, ...more)))).toMatchObject({
        counts: { unchanged: 23, matched: 10 + 2 },
      });
    }
    expect(createsOf(stage.to.stats())).toBe(25);
    const undone = await stage.run(["rollback", journal, "--to", stage.to.stack, "--json", ...LAG]);
    expect(documentOf(undone)).toMatchObject({ exitCode: 0, counts: { delete: 25 } });
    expect((await textOfSandbox(stage.to)).toLowerCase()).toBe(before);
  });
});

describe("a rollback", () => {
  it("that fails half-way is gone on with, and undoes what a killed import has made", async () => {
    const rules = [
      { fault: "reset-after", route: "POST dashboards", nth: [2, 5] },
      { fault: "500", route: "DELETE *", nth: Array.from({ length: 20 }, (_, index) => index + 3) },
      { fault: "500-after", route: "DELETE *", nth: [1, 30] },
    ];
    await using stage = await bench({ faults: parseFaults({ seed: 1, rules }) });
    const before = await textOfSandbox(stage.to);
    expect((await stage.run(importArgs(stage.to))).exitCode).toBe(0);
    const undo = ["rollback", await journalOf(stage.cwd), "--to", stage.to.stack, ...RETRIED];
    let last = documentOf(await stage.run(undo));
    expect(last).toMatchObject({ exitCode: 6 });
    for (let tries = 0; tries < 12 && last["exitCode"] !== 0; tries += 1) last = documentOf(await stage.run(undo));
    expect(last).toMatchObject({ exitCode: 0 });
    expect(await textOfSandbox(stage.to)).toBe(before);
  });
});

describe("--check-data", () => {
  it("says of each mapped source what it answers, and costs nothing where it is not asked for", async () => {
    await using stage = await bench({ variant: "self-hosted" });
    const plain = documentOf(await stage.run(importArgs(stage.to)));
    expect(plain).not.toHaveProperty("probes");
    expect(stage.to.stats().byRoute["POST charts/series"]).toBeUndefined();
    const asked = documentOf(await stage.run(importArgs(stage.to, "--check-data", "--journal", "j")));
    const { probes } = asked as { probes: { name: string; status: string }[] };
    expect(probes.map(({ name }) => name).sort()).toEqual(["Audit log", "Logs", "Metrics", "Sessions", "Traces"]);
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set(["data"]));
    const text = await stage.run(importArgs(stage.to, "--check-data").filter((word) => word !== "--json"));
    expect(text.stdout).toContain("Logs answers with data");
  });

  it("tells a source that fails from the others", async () => {
    const faults = parseFaults({ rules: [{ fault: "500", route: "POST charts/series" }] });
    await using stage = await bench({ variant: "self-hosted", faults });
    const args = importArgs(stage.to, "--check-data", "--timeout", "500ms");
    const { probes, exitCode } = documentOf(await stage.run(args)) as { probes: object[]; exitCode: number };
    expect(exitCode).toBe(0);
    expect(probes).toHaveLength(5);
    for (const probe of probes) expect(probe).toMatchObject({ status: "failed", code: "unavailable" });
  });

  it("is a warning on a managed stack", async () => {
    await using stage = await bench();
    const run = documentOf(await stage.run(importArgs(stage.to, "--check-data")));
    expect(run).toMatchObject({ exitCode: 0, probes: [], warnings: [{ code: "data-check-not-offered" }] });
  });
});
