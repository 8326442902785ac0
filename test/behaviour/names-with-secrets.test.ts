import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeArchive } from "../support/archive-samples.ts";
import { runCli } from "../support/run-cli.ts";
import { alert, dashboard, hexId, records, source, tileWith, webhook } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// An archive of an earlier release, or a forged one, holds a secret in names that an export of today would redact.

const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const redacted = "«redacted:github-token»";
const [logs, hook, boardId] = [hexId("a", 1), hexId("a", 2), hexId("a", 16)];
const config = { displayType: "line", sourceId: logs, fillNulls: true, select: [{ aggFn: "count" }] };
const tiles = [tileWith(hexId("c", 1), `Tile ${secret}`, config)];
const board = dashboard(boardId, `Board ${secret}`, logs, { tiles });
const archived = records({
  sources: [source(logs, "Logs", hexId("a", 8))],
  webhooks: [webhook(hook, "pager")],
  dashboards: [board],
  alerts: [alert(hexId("a", 32), `Alert ${secret}`, board, hook)],
});
const cwd = temporaryFolder();

beforeAll(() => writeArchive({ path: join(cwd, "a.zip"), format: "zip" }, archived));

describe("a secret in the names of an archive", () => {
  it("is shown by no form of inspect, which finds a dashboard by its true name", async () => {
    for (const more of [[], ["--json"], ["--tree"], ["--markdown"], ["--dashboard", `Board ${secret}`]]) {
      const { exitCode, stdout, stderr } = await runCli(["inspect", "a.zip", ...more], { cwd });
      expect([exitCode, more, (stdout + stderr).includes(secret)]).toEqual([0, more, false]);
      expect(stdout).toContain(`Board ${redacted}`);
    }
  });

  it("is on no page", async () => {
    expect((await runCli(["report", "a.zip", "--out", "a.html"], { cwd })).exitCode).toBe(0);
    const page = await readFile(join(cwd, "a.html"), "utf8");
    expect(page).not.toContain(secret);
    for (const name of ["Board", "Tile", "Alert"]) expect(page).toContain(`${name} ${redacted}`);
  });
});
