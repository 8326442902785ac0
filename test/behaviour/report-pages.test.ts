import { readFile, mkdir, writeFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, describe } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { runCli, documentOf, type CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { hoursLater, backupFixture } from "../support/backup-fixture.ts";
import {
  callSandbox,
  listRecords,
  outcomesOf,
  smallBench,
  listedRecord,
  watchWrites,
  type SmallBench,
  journalsIn,
} from "../support/small-bench.ts";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";
import { generateKeyPairSync } from "node:crypto";

it("a report page lists dashboards and alerts first, and describes saved searches in words", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const env = sandboxEnv(stack);
  const { cwd, exitCode } = await runCli(["export", "--from", stack.stack, "--out", "a.zip"], { env });
  expect(exitCode).toBe(0);
  expect((await runCli(["report", "a.zip", "--out", "page.html"], { cwd })).exitCode).toBe(0);
  const page = await readFile(join(cwd, "page.html"), "utf8");
  const records = [...page.matchAll(/<details class="rec"[^>]*data-kind="([^"]+)"/g)].map(([, kind]) => kind);
  const kinds = [...new Set(records)].slice(0, 6);
  expect(kinds).toEqual(["dashboards", "alerts", "saved-searches", "connections", "sources", "webhooks"]);
  expect(page).not.toContain("&quot;sourceId&quot;");
});

it("the page of a backup says which kind fell, before anything else", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { cwd, json } = await backupFixture({ production: stack });
  const pageOf = async (backup: string, hours: number): Promise<string> => {
    expect(await json(`report ${backup} --out ${hours}.html`, hoursLater(hours))).toMatchObject({ exitCode: 0 });
    return readFile(join(cwd, `${hours}.html`), "utf8");
  };
  await json("backup production --to place", hoursLater(0));
  expect(await pageOf("place/production@latest", 0)).not.toContain("It holds less than the good backup");
  const [one, ...others] = await listRecords(stack, "alerts");
  await callSandbox(stack, "DELETE", `alerts/${one?.id ?? ""}`);
  await json("backup production --to place", hoursLater(1));
  expect(await pageOf("place/production@latest", 1)).toContain("alerts 14 → 13");
  for (const { id } of others) await callSandbox(stack, "DELETE", `alerts/${id}`);
  expect(await json("backup production --to place", hoursLater(2))).toMatchObject({ exitCode: 3 });
  const page = await pageOf("place/production@2026-11-21T06:15:00Z", 2);
  expect(page).toMatch(/<p class="note badnote">[^<]*alerts 13 → 0/);
  expect(page.indexOf("alerts 13 → 0")).toBeLessThan(page.indexOf("<h2"));
});

describe("a report or a metrics file", () => {
  it("never replaces the archive that the run reads", async () => {
    await using bench = await smallBench();
    const before = await readFile(join(bench.cwd, "a.zip"));
    for (const more of [
      ["--report", "a.zip", "--dry-run"],
      ["--report", "a.zip"],
    ]) {
      const run = await bench.import(...more);
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("is not a report")]);
    }
    await bench.run(["verify", "a.zip", "--metrics-file", "a.zip"]);
    expect(await readFile(join(bench.cwd, "a.zip"))).toEqual(before);
  });

  it("never takes the place of the journal, and is refused before anything is written", async () => {
    await using bench = await smallBench();
    const writes = watchWrites(bench);
    expect((await bench.import()).exitCode).toBe(0);
    const [journal = ""] = journalsIn(bench.cwd);
    writes.length = 0;
    const run = await bench.import("--report", journal);
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([
      2,
      expect.stringContaining("and the journal are the same file"),
    ]);
    expect(writes).toEqual([]);
  });
});

describe("a folder for state below a folder that takes no entries", () => {
  it.runIf(process.platform === "linux")("costs a run its memory, and does not stop it", async () => {
    await using bench = await smallBench();
    await mkdir(join(bench.cwd, "repo"));
    const env = { ...bench.env, XDG_STATE_HOME: "/proc/none/state" };
    expect((await bench.run(["backup", bench.from.stack, "--to", "repo"], { env })).exitCode).toBe(0);
    expect(documentOf(await bench.run(bench.migration(), { env }))).toMatchObject({ exitCode: 0, warnings: [] });
    const out = ["export", "--from", bench.from.stack, "--format", "code", "--out", "/proc/none/files"];
    expect(documentOf(await bench.run(out))).toMatchObject({ exitCode: 1, error: { code: "archive-io" } });
  });
});

describe("a diff whose filter fits nothing", () => {
  it("is a mistake, and not that nothing differs", async () => {
    await using bench = await smallBench();
    const run = await bench.run(["diff", "a.zip", "a.zip", "--include", "no such name", "--exit-code"]);
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("--include no such name")]);
  });
});

const AGE = "age-encryption.org/v1\n-> X25519 somebody's\n";

describe("an export in the place of a file that we did not write", () => {
  it("is refused before the stack is asked, and the file stays", async () => {
    await using bench = await smallBench();
    for (const content of ["somebody's notes", "PK\u0003\u0004another program's zip", AGE]) {
      await writeFile(join(bench.cwd, "b.zip"), content);
      const run = documentOf(await bench.run(["export", "--from", bench.from.stack, "--out", "b.zip"]));
      expect(run, content).toMatchObject({ exitCode: 2, error: { code: "usage" }, requests: { total: 0 } });
      expect(await readFile(join(bench.cwd, "b.zip"), "utf8")).toBe(content);
    }
  });

  it("replaces an archive, encrypted or not, and no signature that is none", async () => {
    await using bench = await smallBench();
    using _cheap = cheapPassphrases();
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    await writeFile(join(bench.cwd, "sign.key"), pem, { mode: 0o600 });
    const args = ["export", "--from", bench.from.stack, "--out", "b.zip", "--sign", "sign.key"];
    for (const _ of [1, 2]) expect((await bench.run(args)).exitCode).toBe(0);
    await writeFile(join(bench.cwd, "b.zip.sig"), "somebody's");
    expect((await bench.run(args)).exitCode).toBe(2);
    const encrypted = ["export", "--from", bench.from.stack, "--out", "c.zip.age"];
    const env = { ...bench.env, STACKFERRY_PASSPHRASE: "cheap" };
    await writeFile(join(bench.cwd, "c.zip.age"), "somebody's");
    expect((await bench.run(encrypted, { env })).exitCode).toBe(2);
    await writeFile(join(bench.cwd, "c.zip.age"), AGE);
    expect((await bench.run(encrypted, { env })).exitCode).toBe(0);
  });
});

const warningsOf = (run: CliRun): [string, string][] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[]).map(({ code, message }) => [code, message]);
const exported = (run: CliRun): string[] =>
  outcomesOf(run).flatMap(({ kind, name }) => (kind === "dashboards" || kind === "alerts" ? [name] : []));
/** Exports into this folder. */
const exportTo = (bench: SmallBench, folder: string, ...args: string[]): Promise<CliRun> =>
  bench.run(["export", "--from", bench.from.stack, "--out", folder, ...args]);

it.each(["folder", "code"])(
  "an export in the form %s takes the chosen records and names what it leaves",
  async (form) => {
    await using bench = await smallBench();
    const choose = (folder: string, ...args: string[]): Promise<CliRun> =>
      exportTo(bench, folder, "--format", form, ...args);
    const withAlert = await choose("a", "--include", "Three");
    expect([exported(withAlert), warningsOf(withAlert)]).toEqual([["Three", "Quiet"], []]);
    expect(await readdir(join(bench.cwd, "a/alerts"))).toHaveLength(1);
    const excluded = await choose("b", "--include", "Three", "--exclude", "Quiet");
    expect(exported(excluded)).toEqual(["Three"]);
    expect(warningsOf(excluded)).toEqual([["left-out", expect.stringMatching(/"Three".*"Quiet"/)]]);
    const bare = await choose("c", "--include", "Three", "--kinds", "dashboards");
    expect(exported(bare)).toEqual(["Three"]);
  },
);

it("an export of dashboards has what another stack recognises them by", async () => {
  await using bench = await smallBench();
  await exportTo(bench, "some", "--format", "folder", "--include", "Three", "--kinds", "dashboards");
  const run = await bench.run(["import", "some", "--to", bench.to.stack, "--yes"]);
  expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { create: 1 } });
});

it("an export of chosen records has the selection in its manifest", async () => {
  await using bench = await smallBench();
  for (const [folder, selected, filter] of [
    ["a", ["--include", "Three"], { include: ["Three"], exclude: [] }],
    ["b", ["--include", "Three", "--exclude", "Quiet"], { include: ["Three"], exclude: ["Quiet"] }],
  ] as const) {
    await exportTo(bench, folder, "--format", "folder", ...selected);
    const manifest: unknown = JSON.parse(await readFile(join(bench.cwd, folder, "manifest.json"), "utf8"));
    expect(manifest).toHaveProperty("filter", filter);
  }
});

it("an export names no secret of what it leaves behind", async () => {
  await using bench = await smallBench();
  const { id, ...quiet } = await listedRecord(bench.from, "alerts", "Quiet");
  const name = "token=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
  await callSandbox(bench.from, "PUT", `alerts/${id}`, { ...quiet, name });
  const run = await exportTo(bench, "some", "--format", "folder", "--include", "Three", "--exclude", "*ghp_*");
  expect(warningsOf(run)).toEqual([["left-out", expect.stringContaining("«redacted:")]]);
  expect(run.stdout + run.stderr).not.toContain("ghp_");
});

it("a mirror of what was chosen is refused", async () => {
  await using bench = await smallBench();
  await exportTo(bench, "some", "--format", "folder", "--include", "Three");
  const run = await bench.run(["import", "some", "--to", bench.to.stack, "--mirror"]);
  expect([run.exitCode, run.stdout]).toEqual([2, expect.stringContaining("--include Three")]);
  expect((await exportTo(bench, "some", "--format", "code", "--include", "Three", "--mirror")).exitCode).toBe(2);
});

it("a restore of dashboards alone names the alerts that it leaves out, which --include brings", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { json } = await backupFixture({ production: stack });
  expect((await json("backup production --to place"))["exitCode"]).toBe(0);
  const { id } = await listedRecord(stack, "dashboards", "Kubernetes nodes");
  await callSandbox(stack, "DELETE", `dashboards/${id}`);
  const restore = "restore place/production --to production";
  const only = await json(`${restore} --include Kubernetes* --kinds dashboards --dry-run`);
  expect(only).toMatchObject({ counts: { create: 1 } });
  expect(only["warnings"]).toContainEqual(expect.objectContaining({ code: "left-out" }));
  const before = await listRecords(stack, "alerts");
  const along = await json(`${restore} --include Kubernetes*`);
  expect(along).toMatchObject({ exitCode: 0, counts: { create: 3 } });
  expect(along["warnings"]).not.toContainEqual(expect.objectContaining({ code: "left-out" }));
  expect(await listRecords(stack, "alerts")).toHaveLength(before.length + 2);
});

it("the page and the text of a run that was undone say when it was imported and when it was undone", async () => {
  await using bench = await smallBench();
  expect((await bench.import("--yes")).exitCode).toBe(0);
  expect((await bench.rollback("--run", "1", "--yes")).exitCode).toBe(0);
  const times = bench.entries().flatMap(({ type, at }) => (type === "begin" ? [String(at)] : []));
  expect(times).toHaveLength(2);
  const [begun, undone] = times.map((at) => at.slice(0, 19).replace("T", " "));
  const words = ["rollback", "--to", bench.to.stack, "--run", "1", "--dry-run", "--report", "u.html"];
  const { stdout } = await runCli(words, { cwd: bench.cwd, env: bench.env });
  const said = `imported at ${begun} UTC, undone at ${undone} UTC`;
  expect(stdout).toContain(said);
  expect(await readFile(join(bench.cwd, "u.html"), "utf8")).toContain(said);
});
