import { generateKeyPairSync } from "node:crypto";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { programWithBackups, hoursLater, oneDashboardSeed } from "../support/program-with-backups.ts";
import { startListener } from "../support/listener.ts";
import { alert, dashboard, hexId, archiveIds } from "../support/stack-records.ts";

const boards = (count: number) =>
  Array.from({ length: count }, (_, index) => dashboard(hexId("e", index), `Board ${index}`, archiveIds.source));
const costs = dashboard(hexId("a", 17), "Costs", archiveIds.source);
const alertsOnCosts = [33, 34].map((number) => alert(hexId("a", number), `Cost ${number}`, costs, archiveIds.webhook));
const overview = dashboard(hexId("a", 16), "Overview", archiveIds.source);
const others = [35, 36].map((number) => alert(hexId("a", number), `Other ${number}`, overview, archiveIds.webhook));
const seed = {
  ...oneDashboardSeed,
  dashboards: [...(oneDashboardSeed.dashboards ?? []), costs],
  alerts: [...(oneDashboardSeed.alerts ?? []), ...others, ...alertsOnCosts],
};

const stackWith = (more: object = {}): Promise<Sandbox> =>
  startSandbox({ variant: "self-hosted", seed: { ...seed, ...more } });

async function send({ url, apiKey }: Sandbox, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect([method, path, response.ok]).toEqual([method, path, true]);
  return response;
}

async function raiseThreshold(stack: Sandbox): Promise<void> {
  const answer = (await (await send(stack, "GET", `alerts/${hexId("a", 32)}`)).json()) as { data: object };
  await send(stack, "PUT", `alerts/${hexId("a", 32)}`, { ...answer.data, threshold: 1000 });
}

describe("what a backup says of the changes since the last good one", () => {
  it("does not call an alert gone that was deleted and created again", async () => {
    await using stack = await stackWith();
    const { run, json } = await programWithBackups({ production: stack });
    await run("backup production --to place", hoursLater(0));
    const path = `alerts/${hexId("a", 32)}`;
    const { data } = (await (await send(stack, "GET", path)).json()) as { data: object };
    await send(stack, "DELETE", path);
    await send(stack, "POST", "alerts", data);
    const quiet = await run("backup production --to place --quiet", hoursLater(24));
    expect([quiet.exitCode, quiet.stdout, quiet.stderr]).toEqual([0, "", ""]);
    const found = await json("list place", hoursLater(25));
    const alerts = { added: 1, removed: 1, changed: 0 };
    expect(found).toMatchObject({ archives: [{ changes: { alerts } }, {}] });
  });

  it("is nothing, a changed threshold, or a dashboard that was removed with its alerts", async () => {
    await using stack = await stackWith();
    await using service = await startListener();
    const { cwd, run, json } = await programWithBackups({ production: stack });
    const line = `backup production --to place --metrics-file m.prom --notify ${service.url}/ping`;
    const first = await run(line, hoursLater(0));
    expect(first.stdout).toContain("production: 10 records\n");
    const second = await run(line, hoursLater(24));
    expect(second.stdout).toContain("production: 10 records, nothing changed since 2026-11-21T04:15:00Z\n");
    const zero =
      'stackferry_backup_changes{command="backup",stack="production",kind="dashboards",change="removed"} 0\n';
    expect(await readFile(join(cwd, "m.prom"), "utf8")).toContain(zero);

    await raiseThreshold(stack);
    await send(stack, "DELETE", `dashboards/${hexId("a", 17)}`);
    const third = await run(line, hoursLater(48));
    expect(third.stdout).toContain(
      [
        "production: 7 records, changed since 2026-11-22T04:15:00Z:",
        '  - dashboard "Costs" and its 2 alerts',
        '  ~ alert "Busy": threshold: 10 → 1000',
        "",
      ].join("\n"),
    );
    const metrics = await readFile(join(cwd, "m.prom"), "utf8");
    const count = (kind: string, change: string, value: number): string =>
      `stackferry_backup_changes{command="backup",stack="production",kind="${kind}",change="${change}"} ${value}\n`;
    for (const text of [count("alerts", "removed", 2), count("alerts", "changed", 1), count("webhooks", "added", 0)]) {
      expect(metrics).toContain(text);
    }
    expect(JSON.parse(service.heard.at(-1)?.body ?? "")).toMatchObject({
      stacks: [{ backup: { changes: { alerts: { added: 0, removed: 2, changed: 1 }, dashboards: { removed: 1 } } } }],
    });
    const again = await json("backup production --to place --if-changed", hoursLater(49));
    expect(again).toMatchObject({
      stacks: [
        { result: "unchanged", changes: { isSame: true, records: [], since: "production/20261123T041500Z.zip" } },
      ],
    });
    // What is not read costs no line on stderr.
    expect((await run("backup production --to place --quiet", hoursLater(50))).stderr).toBe("");
  });

  it("is five records at most, and where the others are", async () => {
    await using stack = await stackWith();
    const { run, json } = await programWithBackups({ production: stack });
    await run("backup production --to place", hoursLater(0));
    for (const board of boards(12)) await send(stack, "POST", "dashboards", board);
    const { stdout } = await run("backup production --to place --if-changed", hoursLater(24));
    expect(stdout.match(/^ {2}\+ dashboard "Board \d+"$/gm)).toHaveLength(5);
    expect(stdout).toMatch(/^ {2}… and 7 more: stackferry log \S+\/place\/production$/m);
    const { archives } = (await json("list place", hoursLater(24))) as { archives: object[] };
    expect(archives[0]).toMatchObject({ changes: { dashboards: { added: 12, removed: 0, changed: 0 } } });
  });

  it("includes a command that shows the others, which works for a suspect backup, too", async () => {
    await using stack = await stackWith({ dashboards: [...(seed.dashboards ?? []), ...boards(12)] });
    const { run, json } = await programWithBackups({ production: stack });
    await run("backup production --to place", hoursLater(0));
    for (const { id } of boards(12)) await send(stack, "DELETE", `dashboards/${String(id)}`);
    const { stdout, exitCode } = await run("backup production --to place", hoursLater(24));
    expect(exitCode).toBe(3);
    const command = /^ {2}… and 7 more: stackferry (.+)$/m.exec(stdout)?.[1] ?? "";
    const { diff } = (await json(command, hoursLater(24))) as { diff: { changes: object[] } };
    expect(diff.changes).toHaveLength(12);
  });

  it("is only the records that have disappeared, in one line, with --quiet", async () => {
    await using stack = await stackWith();
    const { run } = await programWithBackups({ production: stack });
    const line = "backup production --to place --quiet";
    expect(await run(line, hoursLater(0))).toMatchObject({ stdout: "", stderr: "" });
    await raiseThreshold(stack);
    expect(await run(line, hoursLater(24))).toMatchObject({ stdout: "", stderr: "" });
    await send(stack, "DELETE", `alerts/${hexId("a", 33)}`);
    const removed = await run(line, hoursLater(48));
    expect(removed).toMatchObject({ exitCode: 0, stdout: "" });
    expect(removed.stderr).toMatch(/^[^\n]*production: gone since 2026-11-22T04:15:00Z: alert "Cost 33"\n$/);
  });

  it("is whether any changed, and the counts, where the backups are encrypted and no key is given", async () => {
    await using stack = await stackWith();
    const { cwd, run, json } = await programWithBackups({ production: stack });
    const identity = await generateIdentity();
    await writeFile(join(cwd, "key.txt"), `${identity}\n`, { mode: 0o600 });
    const line = `backup production --to place --recipient ${await identityToRecipient(identity)}`;
    await run(line, hoursLater(0));
    expect((await run(line, hoursLater(24))).stdout).toContain(
      "10 records, nothing changed since 2026-11-21T04:15:00Z",
    );
    await send(stack, "DELETE", `alerts/${hexId("a", 33)}`);
    const sealed = await run(line, hoursLater(48));
    expect(sealed.stdout).toContain(
      "9 records, changed since 2026-11-22T04:15:00Z: alerts 5 → 4 (what changed is not read: no given key opens these backups, --identity)\n",
    );
    await send(stack, "DELETE", `alerts/${hexId("a", 34)}`);
    expect(await json(line, hoursLater(72))).toMatchObject({
      stacks: [{ changes: { isSame: false, problem: { code: "wrong-key" } } }],
    });
    await send(stack, "DELETE", `alerts/${hexId("a", 35)}`);
    const quiet = await run(`${line} --quiet`, hoursLater(84));
    expect(quiet.stderr).toMatch(/^[^\n]*production: fewer records than 2026-11-24T04:15:00Z: alerts 3 → 2 .*\n$/);
    await raiseThreshold(stack);
    const opened = await run(`${line} --identity key.txt`, hoursLater(96));
    expect(opened.stdout).toContain('  ~ alert "Busy": threshold: 10 → 1000\n');
  });

  it("is a backup although the earlier one is damaged", async () => {
    await using stack = await stackWith();
    const { repository, run } = await programWithBackups({ production: stack });
    await run("backup production --to place", hoursLater(0));
    await raiseThreshold(stack);
    const path = join(repository, "production", "20261121T041500Z.zip");
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0, bytes.length - 200));
    const { exitCode, stdout } = await run("backup production --to place", hoursLater(24));
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/changes since 2026-11-21T04:15:00Z not read/)]);
  });
});

describe("list", () => {
  it("shows records, changes, size and protection, and the time that `@` takes", async () => {
    await using stack = await stackWith();
    const { cwd, run, json } = await programWithBackups({ production: stack });
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    await writeFile(join(cwd, "signing.pem"), pem, { mode: 0o600 });
    const recipient = await identityToRecipient(await generateIdentity());
    await run("backup production --to place", hoursLater(0));
    await raiseThreshold(stack);
    await send(stack, "DELETE", `alerts/${hexId("a", 33)}`);
    await run("backup production --to place", hoursLater(24));
    await run(`backup production --to place --recipient ${recipient} --sign signing.pem`, hoursLater(48));
    const lines = (await run("list place", hoursLater(48))).stdout.split("\n").map((line) => line.trimEnd());
    expect(lines.map((line) => line.replaceAll(/\s+\d+\.\d kB/g, " SIZE").replaceAll(/ {2,}/g, " "))).toEqual([
      "STACK TIME RECORDS SIZE CHANGES",
      "production 2026-11-23T04:15:00Z 9 SIZE no change; encrypted; signed",
      "production 2026-11-22T04:15:00Z 9 SIZE -1 ~1",
      "production 2026-11-21T04:15:00Z 10 SIZE",
      "",
    ]);
    expect(await json("list place", hoursLater(48))).toMatchObject({
      archives: [{ signed: true, encrypted: true, records: { alerts: 4 } }, { signed: false }, {}],
    });
    const restore = "restore place/production@2026-11-22T04:15:00Z --to production --dry-run";
    expect(await json(restore, hoursLater(48))).toMatchObject({ exitCode: 0 });
    const log = await run("log place/production@2026-11-22T04:15:00Z", hoursLater(48));
    expect(log.stdout).toMatch(/^2026-11-22T04:15:00Z {2}production\/20261122T041500Z\.zip\n/m);
    expect(log.stdout).toContain('"Busy"\n    ~ threshold: 10 → 1000\n');
  });
});
