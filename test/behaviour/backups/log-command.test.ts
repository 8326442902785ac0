import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import { hoursLater, programWithBackups, type ProgramWithBackups } from "../../support/program-with-backups.ts";
import { changeDashboard } from "../../support/read-sandbox.ts";
import type { CliRun } from "../../support/run-cli.ts";
import { startSandbox, type Sandbox } from "../../support/start-sandbox.ts";

let sandbox: Sandbox;
let fixture: ProgramWithBackups;

const twoDaysLater = hoursLater(48);
const later = (args: string): Promise<CliRun> => fixture.run(args, twoDaysLater);

describe("the history of a dashboard that was broken on one day", () => {
  beforeAll(async () => {
    sandbox = await startSandbox({ variant: "self-hosted", seed: "sample" });
    fixture = await programWithBackups({ production: sandbox });
    const backup = async (hours: number): Promise<void> => {
      const run = await fixture.run("backup production --to place", hoursLater(hours));
      expect(run.exitCode).toBe(0);
    };
    await backup(0);
    const [body] = await recordsOn(sandbox, "dashboards");
    if (body === undefined) throw new Error("no dashboard");
    await changeDashboard(sandbox, body, { name: "Overview", tiles: (body["tiles"] as object[]).slice(1) });
    await backup(24);
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  it("is shown by log: the record, its tile, and its values, with --patch as a whole", async () => {
    const run = await later("log place/production");
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toMatch(/2026-11-22T04:15:00Z {2}production\/20261122T041500Z\.zip\n/);
    expect(run.stdout).toMatch(
      /~ changed dashboard "Overview" \(was ".*"\)\n {4}~ name: ".*" → "Overview"\n {4}- tile "Requests"\n/,
    );
    // A shell completes the name of the folder with a slash.
    expect((await later("log place/production/")).stdout).toBe(run.stdout);
    const patch = await later("log place/production --patch --since 2026-11-21");
    expect(patch.stdout).toMatch(/~ name: ".*" → "Overview"/);
    const before = await fixture.json("log place/production@2026-11-21", twoDaysLater);
    expect(before).toMatchObject({ log: { entries: [], compared: 1 } });
  });

  it("is shown by list --include: the first and the last backup with the record", async () => {
    const { found } = await fixture.json("list place --include Overview", twoDaysLater);
    const archives = ["production/20261121T041500Z.zip", "production/20261122T041500Z.zip"];
    expect(found).toMatchObject([{ stack: "production", searched: 2, records: [{ name: "Overview", archives }] }]);
    const run = await later("list place --include Overviw");
    expect(run).toMatchObject({ exitCode: 2 });
    expect(run.stderr).toContain('did you mean "Overview"?');
  });

  it("is drawn by report: a section for each backup that differs", async () => {
    const run = await later("report place/production --out history.html");
    expect(run).toMatchObject({ exitCode: 0 });
    const page = await readFile(join(fixture.cwd, "history.html"), "utf8");
    // Once in the tab, once on the page.
    expect(page.match(/History of production/g)).toHaveLength(2);
    expect(page).toContain("2026-11-22T04:15:00Z");
    expect(page).not.toContain("2026-11-21T04:15:00Z");
  });

  it("may lack changes where a file does not fit its name: log and list --include name it and exit 3", async () => {
    const [name, copied] = ["20261121T041500Z", "20261122T120000Z"].map((stamp) =>
      join(fixture.repository, "production", stamp),
    );
    for (const ending of ["zip", "json"]) await copyFile(`${name}.${ending}`, `${copied}.${ending}`);
    const run = await later("log place/production");
    expect(run).toMatchObject({ exitCode: 3 });
    expect(run.stdout).toMatch(/20261122T120000Z\.zip\n.* its name has another time/);
    const listed = await later("list place --include Overview");
    expect(listed).toMatchObject({ exitCode: 3 });
    expect(listed.stdout).toContain("production/20261122T120000Z.zip");
    for (const ending of ["zip", "json"]) await rm(`${copied}.${ending}`);
  });

  it.each([
    ["log place/staging", "no backup of staging"],
    ["log place/production --since soon", "--since soon is not a time"],
    ["log place/production@soon", "the time of a backup is written"],
    ["log place/production --kinds dashboard", "did you mean dashboards?"],
    ["log place", "a backup is named REPO/STACK"],
    ["log place/", "a backup is named REPO/STACK"],
    ["log place/production/20261121T041500Z.zip", "a backup is named REPO/STACK"],
  ])("%s is refused", async (args, message) => {
    const run = await later(args);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(message);
  });
});
