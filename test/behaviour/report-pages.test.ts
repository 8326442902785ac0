import { readFile, mkdir, writeFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, describe } from "vitest";
import { startSandbox } from "../support/start-sandbox.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { recordOn, recordsOn } from "../support/on-stack.ts";
import { runCli, documentOf, type CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { hoursLater, programWithBackups } from "../support/program-with-backups.ts";
import {
  outcomesOf,
  programWithArchive,
  watchWrites,
  type ProgramWithArchive,
  journalsIn,
} from "../support/program-with-archive.ts";
import { cheapPassphrases } from "../support/cheap-passphrases.ts";
import { generateKeyPairSync } from "node:crypto";

it("a report page lists dashboards and alerts first, and has the members of saved searches", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const env = sandboxEnv(stack);
  const { cwd, exitCode } = await runCli(["export", "--from", stack.stack, "--out", "a.zip"], { env });
  expect(exitCode).toBe(0);
  expect((await runCli(["report", "a.zip", "--out", "page.html"], { cwd })).exitCode).toBe(0);
  const page = await readFile(join(cwd, "page.html"), "utf8");
  const records = [...page.matchAll(/<details class="rec"[^>]*data-kind="([^"]+)"/g)].map(([, kind]) => kind);
  const kinds = [...new Set(records)].slice(0, 6);
  expect(kinds).toEqual(["dashboards", "alerts", "saved-searches", "connections", "sources", "webhooks"]);
  expect(page).toContain("<dt>where</dt>");
});

it("the page of a backup says which kind fell, before anything else", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { cwd, json } = await programWithBackups({ production: stack });
  const pageOf = async (backup: string, hours: number): Promise<string> => {
    expect(await json(`report ${backup} --out ${hours}.html`, hoursLater(hours))).toMatchObject({ exitCode: 0 });
    return readFile(join(cwd, `${hours}.html`), "utf8");
  };
  await json("backup production --to place", hoursLater(0));
  expect(await pageOf("place/production@latest", 0)).not.toContain("This backup is suspect");
  const [one, ...others] = await recordsOn(stack, "alerts");
  await callSandbox(stack, "DELETE", `alerts/${one?.id ?? ""}`);
  await json("backup production --to place", hoursLater(1));
  expect(await pageOf("place/production@latest", 1)).not.toContain("This backup is suspect");
  for (const { id } of others) await callSandbox(stack, "DELETE", `alerts/${id}`);
  expect(await json("backup production --to place", hoursLater(2))).toMatchObject({ exitCode: 3 });
  const page = await pageOf("place/production@2026-11-21T06:15:00Z", 2);
  expect(page).toMatch(/<p class="note badnote">[^<]*alerts 13 → 0/);
  expect(page.indexOf("alerts 13 → 0")).toBeLessThan(page.indexOf("<h2"));
});

describe("a report or a metrics file", () => {
  it("never replaces the archive that the run reads", async () => {
    await using program = await programWithArchive();
    const before = await readFile(join(program.cwd, "a.zip"));
    for (const more of [
      ["--report", "a.zip", "--dry-run"],
      ["--report", "a.zip"],
    ]) {
      const run = await program.import(...more);
      expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("is not a report")]);
    }
    await program.run(["verify", "a.zip", "--metrics-file", "a.zip"]);
    expect(await readFile(join(program.cwd, "a.zip"))).toEqual(before);
  });

  it("never takes the place of the journal, and is refused before anything is written", async () => {
    await using program = await programWithArchive();
    const writes = watchWrites(program);
    expect((await program.import()).exitCode).toBe(0);
    const [journal = ""] = journalsIn(program.cwd);
    writes.length = 0;
    const run = await program.import("--report", journal);
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("is not a report")]);
    expect(writes).toEqual([]);
  });
});

it("a report that cannot be written hides neither what was written nor how to undo it", async () => {
  await using program = await programWithArchive();
  const run = await program.import("--report", "missing/page.html");
  const { journal } = documentOf(run) as { journal: string };
  expect(documentOf(run)).toMatchObject({ exitCode: 1, error: { code: "archive-io" }, run: 1, counts: { create: 5 } });
  expect(await readFile(journal, "utf8")).toContain('"type":"end"');
  const undo = ["rollback", "--run", "1", "--yes", "--to", program.to.stack, "--report", "missing/page.html"];
  const text = await runCli(undo, { cwd: program.cwd, env: program.env });
  expect(text.exitCode).toBe(1);
  expect(text.stdout).toContain("Done: 5 deleted.");
  expect(text.stderr).toContain("page.html: no such file or directory");
});

describe("a folder for state below a folder that takes no entries", () => {
  it.runIf(process.platform === "linux")("costs a run its memory, and does not stop it", async () => {
    await using program = await programWithArchive();
    await mkdir(join(program.cwd, "repo"));
    const env = { ...program.env, XDG_STATE_HOME: "/proc/none/state" };
    expect((await program.run(["backup", program.from.stack, "--to", "repo"], { env })).exitCode).toBe(0);
    expect(documentOf(await program.run(program.migration(), { env }))).toMatchObject({ exitCode: 0, warnings: [] });
    const out = ["export", "--from", program.from.stack, "--format", "code", "--out", "/proc/none/files"];
    expect(documentOf(await program.run(out))).toMatchObject({ exitCode: 1, error: { code: "archive-io" } });
  });
});

describe("a diff whose filter fits nothing", () => {
  it("is a mistake, and not that nothing differs", async () => {
    await using program = await programWithArchive();
    const run = await program.run(["diff", "a.zip", "a.zip", "--include", "no such name", "--exit-code"]);
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([2, expect.stringContaining("--include no such name")]);
  });
});

const AGE = "age-encryption.org/v1\n-> X25519 somebody's\n";

describe("an export in the place of a file that we did not write", () => {
  it("is refused before the stack is asked, and the file stays", async () => {
    await using program = await programWithArchive();
    for (const content of ["somebody's notes", "PK\u0003\u0004another program's zip", AGE]) {
      await writeFile(join(program.cwd, "b.zip"), content);
      const run = documentOf(await program.run(["export", "--from", program.from.stack, "--out", "b.zip"]));
      expect(run, content).toMatchObject({ exitCode: 2, error: { code: "usage" }, requests: { total: 0 } });
      expect(await readFile(join(program.cwd, "b.zip"), "utf8")).toBe(content);
    }
  });

  it("replaces an archive, encrypted or not, and no signature that is none", async () => {
    await using program = await programWithArchive();
    using _cheap = cheapPassphrases();
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    await writeFile(join(program.cwd, "sign.key"), pem, { mode: 0o600 });
    const args = ["export", "--from", program.from.stack, "--out", "b.zip", "--sign", "sign.key"];
    for (const _ of [1, 2]) expect((await program.run(args)).exitCode).toBe(0);
    await writeFile(join(program.cwd, "b.zip.sig"), "somebody's");
    expect((await program.run(args)).exitCode).toBe(2);
    const encrypted = ["export", "--from", program.from.stack, "--out", "c.zip.age"];
    const env = { ...program.env, STACKFERRY_PASSPHRASE: "cheap" };
    await writeFile(join(program.cwd, "c.zip.age"), "somebody's");
    expect((await program.run(encrypted, { env })).exitCode).toBe(2);
    await writeFile(join(program.cwd, "c.zip.age"), AGE);
    expect((await program.run(encrypted, { env })).exitCode).toBe(0);
  });
});

const warningsOf = (run: CliRun): [string, string][] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[]).map(({ code, message }) => [code, message]);
const exported = (run: CliRun): string[] =>
  outcomesOf(run).flatMap(({ kind, name }) => (kind === "dashboards" || kind === "alerts" ? [name] : []));
/** Exports into this folder. */
const exportTo = (program: ProgramWithArchive, folder: string, ...args: string[]): Promise<CliRun> =>
  program.run(["export", "--from", program.from.stack, "--out", folder, ...args]);

it.each(["folder", "code"])(
  "an export in the form %s takes the chosen records, and no record that is excluded",
  async (form) => {
    await using program = await programWithArchive();
    const choose = (folder: string, ...args: string[]): Promise<CliRun> =>
      exportTo(program, folder, "--format", form, ...args);
    const withAlert = await choose("a", "--include", "Three");
    expect([exported(withAlert), warningsOf(withAlert)]).toEqual([["Three", "Quiet"], []]);
    expect(await readdir(join(program.cwd, "a/alerts"))).toHaveLength(1);
    const excluded = await choose("b", "--include", "Three", "--exclude", "Quiet");
    expect(exported(excluded)).toEqual(["Three"]);
    const bare = await choose("c", "--include", "Three", "--kinds", "dashboards");
    expect(exported(bare)).toEqual(["Three"]);
  },
);

it("an export of dashboards has what another stack recognises them by", async () => {
  await using program = await programWithArchive();
  await exportTo(program, "some", "--format", "folder", "--include", "Three", "--kinds", "dashboards");
  const run = await program.run(["import", "some", "--to", program.to.stack, "--yes"]);
  expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { create: 1 } });
});

it("an export of chosen records has the selection in its manifest", async () => {
  await using program = await programWithArchive();
  for (const [folder, selected, filter] of [
    ["a", ["--include", "Three"], { include: ["Three"], exclude: [] }],
    ["b", ["--include", "Three", "--exclude", "Quiet"], { include: ["Three"], exclude: ["Quiet"] }],
  ] as const) {
    await exportTo(program, folder, "--format", "folder", ...selected);
    const manifest: unknown = JSON.parse(await readFile(join(program.cwd, folder, "manifest.json"), "utf8"));
    expect(manifest).toHaveProperty("filter", filter);
  }
});

it("a mirror of what was chosen is refused", async () => {
  await using program = await programWithArchive();
  await exportTo(program, "some", "--format", "folder", "--include", "Three");
  const run = await program.run(["import", "some", "--to", program.to.stack, "--mirror"]);
  expect([run.exitCode, run.stdout]).toEqual([2, expect.stringContaining("was exported with a selection")]);
  expect((await exportTo(program, "some", "--format", "code", "--include", "Three", "--mirror")).exitCode).toBe(2);
});

it("a restore of dashboards alone names the alerts that it leaves out, which --include brings", async () => {
  await using stack = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const { json } = await programWithBackups({ production: stack });
  expect((await json("backup production --to place"))["exitCode"]).toBe(0);
  const { id } = await recordOn(stack, "dashboards", "Kubernetes nodes");
  await callSandbox(stack, "DELETE", `dashboards/${id}`);
  const restore = "restore place/production --to production";
  const only = await json(`${restore} --include Kubernetes* --kinds dashboards --dry-run`);
  expect(only).toMatchObject({ counts: { create: 1 } });
  expect(only["warnings"]).toContainEqual(expect.objectContaining({ code: "left-out" }));
  const before = await recordsOn(stack, "alerts");
  const along = await json(`${restore} --include Kubernetes*`);
  expect(along).toMatchObject({ exitCode: 0, counts: { create: 3 } });
  expect(along["warnings"]).not.toContainEqual(expect.objectContaining({ code: "left-out" }));
  expect(await recordsOn(stack, "alerts")).toHaveLength(before.length + 2);
});

it("the page and the text of a run that was undone say when it was imported and when it was undone", async () => {
  await using program = await programWithArchive();
  expect((await program.import("--yes")).exitCode).toBe(0);
  expect((await program.rollback("--run", "1", "--yes")).exitCode).toBe(0);
  const times = program.entries().flatMap(({ type, at }) => (type === "begin" ? [String(at)] : []));
  expect(times).toHaveLength(2);
  const [begun, undone] = times.map((at) => at.slice(0, 19).replace("T", " "));
  const words = ["rollback", "--to", program.to.stack, "--run", "1", "--dry-run", "--report", "u.html"];
  const { stdout } = await runCli(words, { cwd: program.cwd, env: program.env });
  const said = `imported at ${begun} UTC, undone at ${undone} UTC`;
  expect(stdout).toContain(said);
  expect(await readFile(join(program.cwd, "u.html"), "utf8")).toContain(said);
  const again = ["rollback", "--to", program.to.stack, "--run", "2", "--dry-run"];
  const undo = await runCli(again, { cwd: program.cwd, env: program.env });
  expect(undo.stdout).toContain(`Run 2, the rollback of run 1, at ${undone} UTC`);
});
