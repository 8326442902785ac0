import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { at, backupFixture } from "../support/backup-fixture.ts";
import { callSandbox, listRecords } from "../support/small-bench.ts";

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

it("the page of a backup says which kind fell, before anything else", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { cwd, json } = await backupFixture({ production: stack });
  const pageOf = async (backup: string, hours: number): Promise<string> => {
    expect(await json(`report ${backup} --out ${hours}.html`, at(hours))).toMatchObject({ exitCode: 0 });
    return readFile(join(cwd, `${hours}.html`), "utf8");
  };
  await json("backup production --to place", at(0));
  expect(await pageOf("place/production@latest", 0)).not.toContain("It holds less than the good backup");
  const [one, ...others] = await listRecords(stack, "alerts");
  await callSandbox(stack, "DELETE", `alerts/${one?.id ?? ""}`);
  await json("backup production --to place", at(1));
  expect(await pageOf("place/production@latest", 1)).toContain("alerts 14 → 13");
  for (const { id } of others) await callSandbox(stack, "DELETE", `alerts/${id}`);
  expect(await json("backup production --to place", at(2))).toMatchObject({ exitCode: 3 });
  const page = await pageOf("place/production@2026-11-21T06:15:00Z", 2);
  expect(page).toMatch(/<p class="note badnote">[^<]*alerts 13 → 0/);
  expect(page.indexOf("alerts 13 → 0")).toBeLessThan(page.indexOf("<h2"));
});
