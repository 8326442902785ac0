import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import type { FaultPlan } from "../support/faults/fault-plan.ts";
import { PROGRAM } from "../chaos/run-program.ts";
import {
  programWithSampleArchive,
  createsOf,
  IMPORT,
  importWords,
  journalOf,
} from "../support/program-with-sample-archive.ts";
import { recordsOn } from "../support/on-stack.ts";
import { textOfSandbox } from "../support/read-sandbox.ts";

const execute = promisify(execFile);

async function expectOneOfEach(sandbox: Sandbox): Promise<void> {
  expect(await recordsOn(sandbox, "dashboards")).toHaveLength(9);
  expect(await recordsOn(sandbox, "saved-searches")).toHaveLength(2);
  expect(await recordsOn(sandbox, "alerts")).toHaveLength(14);
}

describe("a journal that cannot be written", () => {
  it("keeps unrecorded writes from being sent if the disk is full, and stays readable (exit 2)", async () => {
    await using stage = await programWithSampleArchive();
    const words = importWords(stage.to).map((word) => `'${word}'`);
    // A limit on the size of files fails writes as a full disk does.
    const script = `ulimit -f 4; exec '${process.execPath}' '${PROGRAM}' ${words.join(" ")}`;
    const options = { cwd: stage.cwd, env: { PATH: process.env["PATH"], TMPDIR: tmpdir(), ...stage.env } };
    const ended = await execute("bash", ["-c", script], options).catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 2 });
    const text = await readFile(join(stage.cwd, await journalOf(stage.cwd)), "utf8");
    expect(text.endsWith("\n")).toBe(true);
    expect(text.length).toBeGreaterThan(1000);
    const intents = text.split("\n").filter((line) => line.includes('"write":"create"') && line.includes('"intent"'));
    expect(createsOf(stage.to.stats())).toBeLessThanOrEqual(intents.length);
    expect(createsOf(stage.to.stats())).toBeGreaterThan(0);
    expect(await stage.json(IMPORT)).toMatchObject({ exitCode: 0 });
    await expectOneOfEach(stage.to);
    expect(createsOf(stage.to.stats())).toBe(25);
  });

  it("ends the run before any request to write if its folder cannot be used (exit 2)", async () => {
    await using stage = await programWithSampleArchive();
    await writeFile(join(stage.cwd, "file"), "");
    for (const folder of ["file", "file/below"]) {
      expect(await stage.json(`${IMPORT} --journals ${folder}`)).toMatchObject({
        exitCode: 2,
        error: { code: "journal" },
      });
    }
    expect(createsOf(stage.to.stats())).toBe(0);
  });
});

describe("two imports at once", () => {
  it("create each record once; the overtaken one ends with 7, or with 0 if it has nothing left to do", async () => {
    // The second run reads its lists so slowly that the first run has ended before the second has a plan.
    const faults: FaultPlan = { seed: 1, rules: [{ fault: "slow", route: "GET dashboards", nth: 2, ms: 2500 }] };
    await using stage = await programWithSampleArchive({ faults });
    const first = stage.run(IMPORT);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const runs = await Promise.all([first, stage.run(IMPORT)]);
    const [done, overtaken] = runs.map(({ exitCode }) => exitCode).toSorted((a, b) => a - b);
    expect(done).toBe(0);
    expect([0, 7]).toContain(overtaken);
    await expectOneOfEach(stage.to);
    expect((await stage.run(IMPORT)).exitCode).toBe(0);
    await expectOneOfEach(stage.to);
  });
});

describe("lists that lag", () => {
  it("do not make a second run create the unverified records of the first again", async () => {
    await using stage = await programWithSampleArchive({
      faults: { rules: [{ fault: "stale-list", ms: 1500 }] },
    });
    const wait = { env: { STACKFERRY_CONSISTENCY_WAIT: "3s" } };
    expect((await stage.run(IMPORT, wait)).exitCode).toBe(0);
    expect(await stage.json(IMPORT, wait)).toMatchObject({ exitCode: 0, counts: { unchanged: 23 } });
    expect(createsOf(stage.to.stats())).toBe(25);
  });
});

describe("a stack whose ids change case", () => {
  it("is written once, updated without harm, and rolled back", async () => {
    await using stage = await programWithSampleArchive({
      faults: { seed: 3, rules: [{ fault: "case-ids", rate: 0.6 }] },
    });
    const before = (await textOfSandbox(stage.to)).toLowerCase();
    const imported = await stage.json(IMPORT);
    expect(imported).toMatchObject({ exitCode: 0, counts: { create: 25 }, warnings: [] });
    for (const more of ["", "--journals second", "--on-conflict overwrite --journals third"]) {
      expect(await stage.json(`${IMPORT} ${more}`)).toMatchObject({
        counts: { unchanged: 23, matched: 10 + 2 },
      });
    }
    expect(createsOf(stage.to.stats())).toBe(25);
    expect(await stage.json(`rollback --to $TO --run 1`)).toMatchObject({
      exitCode: 0,
      counts: { delete: 25 },
    });
    expect((await textOfSandbox(stage.to)).toLowerCase()).toBe(before);
  });
});

describe("a rollback", () => {
  it("can be resumed if it fails half-way, and undoes the writes of a killed import", async () => {
    const rules: FaultPlan["rules"] = [
      { fault: "reset-after", route: "POST dashboards", nth: [2, 5] },
      { fault: "500", route: "DELETE *", nth: Array.from({ length: 20 }, (_, index) => index + 3) },
      { fault: "500-after", route: "DELETE *", nth: [1, 30] },
    ];
    await using stage = await programWithSampleArchive({ faults: { seed: 1, rules } });
    const before = await textOfSandbox(stage.to);
    expect((await stage.run(IMPORT)).exitCode).toBe(0);
    const undo = `rollback --to $TO --run 1 --timeout 250ms`;
    let last = await stage.json(undo);
    expect([3, 6]).toContain(last["exitCode"]);
    for (let tries = 0; tries < 12 && last["exitCode"] !== 0; tries += 1) last = await stage.json(undo);
    expect(last).toMatchObject({ exitCode: 0 });
    expect(await textOfSandbox(stage.to)).toBe(before);
  });
});
