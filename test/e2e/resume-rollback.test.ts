import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { parseFaults } from "../support/faults/fault-plan.ts";
import { programWithSampleArchive, IMPORT } from "../support/program-with-sample-archive.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { documentOf } from "../support/run-cli.ts";

it("a run that was interrupted finishes its writes, exits 130, names the command to resume, and is resumed by it", async () => {
  await using stage = await programWithSampleArchive({
    faults: parseFaults({ seed: 1, rules: [{ fault: "slow", route: "POST *", rate: 1, ms: 30 }] }),
  });
  const signals = new EventEmitter();
  const onStderr = (text: string): void => {
    if (text.includes("importing")) setTimeout(() => signals.emit("signal", "SIGINT"), 100);
  };
  const first = await stage.run(`${IMPORT} --json`, { signals, onStderr });
  expect(first.exitCode).toBe(130);
  expect(first.stderr).toContain(".journal");
  const created = stage.to.stats().byRoute["POST dashboards"] ?? 0;
  expect(created).toBeGreaterThan(0);
  expect(created).toBeLessThan(9);
  const document = documentOf(first) as { outcomes: { status: string; code?: string }[] };
  expect(document.outcomes.some(({ code }) => code === "not-started")).toBe(true);
  expect(await stage.json(IMPORT)).toMatchObject({ exitCode: 0 });
  expect(await readSandbox(stage.to, "dashboards")).toHaveLength(9);
  expect(await readSandbox(stage.to, "saved-searches")).toHaveLength(2);
  expect(await readSandbox(stage.to, "alerts")).toHaveLength(14);
});
