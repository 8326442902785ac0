import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { writeArchive } from "../support/archive-samples.ts";
import { hostileRecords } from "../support/hostile-records.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { bareWithSearches, sandboxEnv } from "../support/sandbox-pair.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let source: Sandbox;
const cwd = temporaryFolder();
const read = (name: string): string => readFileSync(join(cwd, name), "utf8");

beforeAll(async () => {
  source = await startSandbox({ variant: "self-hosted", seed: "sample" });
  const args = ["export", "--from", source.stack, "--out", "a.zip", "--quiet"];
  expect((await runCli(args, { env: sandboxEnv(source), cwd })).exitCode).toBe(0);
});

afterAll(() => source.close());

describe("report", () => {
  it("draws an archive: every dashboard, alert, source and webhook, for its owner's eyes", async () => {
    const run = await runCli(["report", "a.zip", "--out", "a.html", "--json"], { cwd });
    expect(run.exitCode).toBe(0);
    const page = read("a.html");
    expect(documentOf(run)).toMatchObject({ report: { path: join(cwd, "a.html"), bytes: Buffer.byteLength(page) } });
    expect(statSync(join(cwd, "a.html")).mode & 0o777).toBe(0o600);
    for (const kind of ["dashboards", "saved-searches", "alerts", "sources", "webhooks"]) {
      const there = await readSandbox(source, kind);
      expect(page.match(new RegExp(`data-kind="${kind}"`, "g"))).toHaveLength(there.length);
    }
    expect(page).toContain("count where SeverityText = &#39;error&#39; is above 100 over 5m");
    expect(page).not.toMatch(/not-a-real|NOT-A-REAL/);
  });

  it("tells an import from its journal, and its plan and result with --report", async () => {
    await using target = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const options = { env: sandboxEnv(source, target), cwd };
    const args = ["import", "a.zip", "--to", target.stack, "--create", "saved-searches", "--journal", "i.journal"];
    const planned = await runCli([...args, "--dry-run", "--report", "plan.html", "--json"], options);
    const unnamed = { kind: "alerts", name: "", displayName: "on Sessions (Browser sessions)" };
    expect(documentOf(planned)).toMatchObject({
      exitCode: 0,
      outcomes: expect.arrayContaining([expect.objectContaining(unnamed)]),
    });
    expect(read("plan.html")).toContain("<title>Import of a.zip into ");
    expect(read("plan.html").match(/data-state="create"/g)).toHaveLength(25);
    expect((await runCli([...args, "--yes", "--report", "done.html"], options)).exitCode).toBe(0);
    expect(read("done.html")).toContain(": 25 created</title>");
    expect(read("done.html").match(/data-state="created"/g)).toHaveLength(25);
    expect((await runCli(["report", "i.journal", "--out", "journal.html"], options)).exitCode).toBe(0);
    expect(read("journal.html").match(/data-state="created"/g)).toHaveLength(25);
    expect((await runCli(["diff", "a.zip", target.stack, "--report", "diff.html"], options)).exitCode).toBe(0);
    expect(read("diff.html")).toContain("<b>0</b><span>changed</span>");
    const undo = await runCli(["rollback", "i.journal", "--to", target.stack, "--dry-run"], options);
    expect(undo.stdout).toMatch(/^delete +alerts +on Sessions \(Browser sessions\)/m);
  });

  it.each([
    [["report", "gone.zip", "--out", "x.html"], 2],
    [["report", "a.zip", "--out", "a.zip"], 2],
    [["report", "a.zip"], 2],
    [["report", "a.zip", "--out", "no/such/folder/x.html"], 1],
  ])("%j ends with %i", async (args, exitCode) => expect((await runCli(args, { cwd })).exitCode).toBe(exitCode));
});

describe("inspect", () => {
  it("lists an alert that has no name by what it watches", async () => {
    const { stdout } = await runCli(["inspect", "a.zip"], { cwd });
    expect(stdout).toMatch(/^alerts +on Sessions \(Browser sessions\) /m);
  });

  it("draws a dashboard by name or id, and suggests a name that is nearly right", async () => {
    const run = await runCli(["inspect", "a.zip", "--dashboard", "Service overview"], { cwd });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toContain("│ !2 Errors");
    const wrong = await runCli(["inspect", "a.zip", "--dashboard", "Service overveiw", "--json"], { cwd });
    expect(documentOf(wrong)).toMatchObject({
      exitCode: 2,
      error: { code: "usage", hint: expect.stringContaining("Service overview") },
    });
  });

  it("shows what depends on what, and sums up in Markdown", async () => {
    expect((await runCli(["inspect", "a.zip", "--tree"], { cwd })).stdout).toContain("← alert Many errors");
    const { stdout } = await runCli(["inspect", "a.zip", "--markdown"], { cwd });
    expect(stdout).toContain("| dashboards | 9 | complete |");
    expect(stdout).toContain("**Many errors**: fires when");
    expect((await runCli(["inspect", "a.zip", "--markdown", "--tree"], { cwd })).exitCode).toBe(2);
  });

  it("shows a hostile archive as text, on a terminal and in Markdown", async () => {
    await writeArchive({ path: join(cwd, "hostile.zip"), format: "zip" }, hostileRecords);
    const id = hostileRecords.find(({ kind }) => kind === "dashboards")?.id ?? "";
    for (const flags of [[], ["--tree"], ["--markdown"], ["--dashboard", id]]) {
      const run = await runCli(["inspect", "hostile.zip", ...flags], { cwd });
      expect(run.exitCode).toBe(0);
      // oxlint-disable-next-line no-control-regex -- these are what must not be there
      expect(run.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      if (flags.includes("--markdown"))
        expect(run.stdout.replaceAll(/`+[^`]*`+/g, "")).not.toMatch(/<(?:script|img|svg)/);
    }
  });
});

describe("import --map-interactively", () => {
  it("asks about what could not be matched, keeps the answers in a map file, and goes on with them", async () => {
    const seed = await bareWithSearches("managed");
    await using other = await startSandbox({ variant: "managed", seed, api: "contract" });
    const [errors, slow] = ["Checkout errors", "Slow requests"].map(
      (name) => other.stored()["saved-searches"].find((search) => search["name"] === name)?.id,
    );
    const [pager, slack, incident] = ["pager", "oncall-slack", "incidents"].map(
      (name) => other.webhooks.find((webhook) => webhook.name === name)?.id ?? "",
    );
    expect([pager, slack, incident]).not.toContain("");
    const answers = ["oh no", slack, pager, "", errors, slow, "y"].map(String);
    const options = { env: sandboxEnv(source, other), cwd, terminal: { columns: 100, answers } };
    const args = [
      "import",
      "a.zip",
      "--to",
      other.stack,
      "--map-interactively",
      "--draft-map",
      "mine.yaml",
      "--no-color",
    ];
    const run = await runCli(args, options);
    expect(run.stderr).toContain("5 things could not be matched");
    expect(read("mine.yaml")).toContain(String(slack));
    expect(read("mine.yaml")).toContain(String(pager));
    for (const id of [errors, slow]) expect(read("mine.yaml")).toContain(String(id));
    expect(run.stderr).toContain(` on ${other.url}/v1/organizations/`);
    // Ids tell nobody what was answered.
    const names = source.webhooks.map(({ name }) => name);
    for (const name of names) expect(read("mine.yaml")).toContain(`# "${name}"`);
    expect(run.stderr).toContain('"oh no" is no webhook of the target');
    // The one alert that goes to the third webhook stays blocked, and the rest is written.
    expect(run.exitCode).toBe(3);
    const alerts = await readSandbox(other, "alerts");
    expect(alerts.length).toBe(13);
  });

  it("needs a terminal", async () => {
    const run = await runCli(["import", "a.zip", "--to", source.stack, "--map-interactively", "--json"], {
      cwd,
      env: sandboxEnv(source),
    });
    expect(documentOf(run)).toMatchObject({ exitCode: 2, error: { code: "usage" } });
  });
});

describe.skipIf(!existsSync("/usr/bin/script"))("on a pseudo-terminal", () => {
  it("is the same text as the golden one at 60 columns", () => {
    const columns = 60;
    const root = resolve(import.meta.dirname, "../..");
    const program = join(root, "bin/stackferry.js");
    const starter = join(root, "samples/starter");
    const line = `stty cols ${columns}; '${process.execPath}' '${program}' inspect '${starter}' --dashboard Hosts --no-color`;
    const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], TMPDIR: tmpdir() },
    });
    const piped = execFileSync(process.execPath, [program, "inspect", starter, "--dashboard", "Hosts"], {
      encoding: "utf8",
    });
    const golden = readFileSync(join(root, `test/fixtures/golden/dashboard-${columns}-plain.txt`), "utf8");
    const expected = golden.slice(golden.indexOf("Hosts\n"), golden.indexOf("\n\n", golden.indexOf("Hosts\n")) + 1);
    expect(stdout.replaceAll("\r\n", "\n")).toBe(expected);
    expect(piped).toContain("┌");
  });
});
