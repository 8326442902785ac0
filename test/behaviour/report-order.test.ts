import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";

it("a page begins with what people look for, and has words for saved searches", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const env = sandboxEnv(stack);
  const { cwd, exitCode } = await runCli(["export", "--from", stack.stack, "--out", "a.zip"], { env });
  expect(exitCode).toBe(0);
  expect((await runCli(["report", "a.zip", "--out", "page.html"], { cwd })).exitCode).toBe(0);
  const page = await readFile(join(cwd, "page.html"), "utf8");
  const records = [...page.matchAll(/<details class="rec"[^>]*data-kind="([^"]+)"/g)].map(([, kind]) => kind);
  const kinds = [...new Set(records)].filter((kind) => kind !== "redactions");
  expect(kinds).toEqual(["dashboards", "alerts", "saved-searches", "connections", "sources", "webhooks"]);
  expect(page).not.toContain("&quot;sourceId&quot;");
});
