import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { programWithSampleArchive, IMPORT } from "../support/program-with-sample-archive.ts";
import { recordsOn } from "../support/on-stack.ts";
import { documentOf } from "../support/run-cli.ts";

it("a run that was interrupted finishes its writes, exits 130, names the command to resume, and is resumed by it", async () => {
  const signals = new EventEmitter();
  await using stage = await programWithSampleArchive({
    intercept({ route, routeCount }, proceed) {
      if (route === "POST dashboards" && routeCount === 2) signals.emit("signal", "SIGINT");
      return proceed();
    },
  });
  const first = await stage.run(`${IMPORT} --json`, { signals });
  expect(first.exitCode).toBe(130);
  expect(first.stderr).toContain(".journal");
  const created = stage.to.stats().byRoute["POST dashboards"] ?? 0;
  expect(created).toBeGreaterThan(0);
  expect(created).toBeLessThan(9);
  const document = documentOf(first) as { outcomes: { status: string; code?: string }[] };
  expect(document.outcomes.some(({ code }) => code === "not-started")).toBe(true);
  expect(await stage.json(IMPORT)).toMatchObject({ exitCode: 0 });
  expect(await recordsOn(stage.to, "dashboards")).toHaveLength(9);
  expect(await recordsOn(stage.to, "saved-searches")).toHaveLength(2);
  expect(await recordsOn(stage.to, "alerts")).toHaveLength(14);
});
