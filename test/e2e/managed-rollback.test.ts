import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { readSandbox } from "../support/read-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { dashboard, hexId, source } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Answers have an empty expression beside every count, and a managed stack refuses it in what is sent. */
test("an update of a dashboard on a managed stack is taken back as its owner describes it", async () => {
  const on = (letter: "a" | "b", more: object) => {
    const id = hexId(letter, 1);
    const board = { ...dashboard(hexId(letter, 16), "Overview", id), ...more };
    return { sources: [source(id, "Logs", hexId(letter, 9))], dashboards: [board] };
  };
  await using from = await startSandbox({ variant: "managed", ids: "hex", seed: on("a", { tags: ["new"] }) });
  const before = {
    tags: ["old"],
    tiles: [
      {
        id: hexId("b", 20),
        name: "Requests",
        x: 0,
        y: 0,
        w: 6,
        h: 3,
        config: { displayType: "line", sourceId: hexId("b", 1), select: [{ aggFn: "count", valueExpression: "" }] },
      },
    ],
  };
  await using to = await startSandbox({ variant: "managed", ids: "hex", strict: true, seed: on("b", before) });
  const cwd = temporaryFolder();
  const env = sandboxEnv(from, to);
  const words = [
    "--from",
    from.stack,
    "--to",
    to.stack,
    "--on-conflict",
    "update",
    "--consistency-wait",
    "50ms",
    "--json",
  ];
  const run = documentOf(await runCli(["migrate", ...words], { env, cwd }));
  expect(run).toMatchObject({ exitCode: 0, counts: { update: 1 } });
  const back = await runCli(["rollback", String(run["journal"]), "--to", to.stack, "--yes"], { env, cwd });
  expect(back.exitCode, back.stdout + back.stderr).toBe(0);
  expect(await readSandbox(to, "dashboards")).toMatchObject([before]);
});
