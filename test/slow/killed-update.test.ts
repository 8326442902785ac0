import { expect, it } from "vitest";
import { programWithSampleArchive, IMPORT, importWords } from "../support/program-with-sample-archive.ts";
import { recordsOn } from "../support/on-stack.ts";
import { changeDashboard } from "../support/read-sandbox.ts";
import { runProgram } from "../chaos/run-program.ts";
import { runCli } from "../support/run-cli.ts";

/** Numbers of requests after which each run is killed: before, during and after its writes. */
const KILLS = [6, 12, 20];
const TIMEOUT_MS = 300_000;

it(
  "an update and its rollback, both killed again and again, end where they should and keep the target's alerts",
  async () => {
    await using stage = await programWithSampleArchive();
    const { to, env, cwd } = stage;
    await stage.run(IMPORT);
    const alerts = await recordsOn(to, "alerts");
    for (const shown of await recordsOn(to, "dashboards")) await changeDashboard(to, shown, { tags: ["theirs"] });
    const before = await recordsOn(to, "dashboards");
    const untilDone = async (args: readonly string[]): Promise<number> => {
      for (const requests of KILLS) {
        const since = to.stats().total;
        const when = (): boolean => to.stats().total - since >= requests;
        const { exitCode, stderr } = await runProgram(args, env, cwd, { when, afterMs: 1 });
        expect([null, 0], stderr).toContain(exitCode);
      }
      return (await runCli(args, { env, cwd })).exitCode;
    };

    expect(await untilDone(importWords(to, "--on-conflict overwrite"))).toBe(0);
    const updated = await recordsOn(to, "dashboards");
    expect(updated.filter(({ tags }) => JSON.stringify(tags) === '["theirs"]')).toEqual([]);
    expect((await recordsOn(to, "alerts")).map(({ id }) => id)).toEqual(alerts.map(({ id }) => id));

    expect(await untilDone(["rollback", "--to", to.stack, "--run", "2", "--json"])).toBe(0);
    expect(await recordsOn(to, "dashboards")).toEqual(before);
    expect((await recordsOn(to, "alerts")).map(({ id }) => id)).toEqual(alerts.map(({ id }) => id));
  },
  TIMEOUT_MS,
);
