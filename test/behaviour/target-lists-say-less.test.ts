import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";
import { alert, dashboard, hexId } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { needs } from "../support/usual-stacks.ts";

const board = dashboard(hexId("a", 16), "Board", hexId("a", 1), {
  savedQuery: "level:error",
  savedQueryLanguage: "lucene",
});
const noted = alert(hexId("a", 32), "Busy", board, hexId("a", 2), { note: "call me" });
const bare = {
  connections: [{ id: hexId("c", 1), name: "Main", host: "http://db:8123", username: "reader" }],
  ...needs.ours,
};
/** Of a later release than any that is known: these lists are not the ones that are known to leave something out. */
const listOmits = { dashboards: ["savedQuery"], alerts: ["note"] };

/** A stack, and one whose lists say less. */
async function stacks(theirs: Parameters<typeof startSandbox>[0]["seed"] = bare) {
  const folder = temporaryFolder();
  const from = await startSandbox({ variant: "self-hosted", seed: { ...bare, dashboards: [board], alerts: [noted] } });
  const to = await startSandbox({ variant: "self-hosted", seed: theirs, listOmits });
  let runs = 0;
  const run = async (command: string, ...words: readonly string[]) => {
    const document = documentOf(
      await runCli([command, ...words, "--consistency-wait", "1ms", "--json"], { env: sandboxEnv(from, to) }),
    );
    const outcomes = document["outcomes"] as readonly Record<"kind" | "action" | "code" | "name", string>[];
    return {
      document,
      exitCode: document["exitCode"],
      codes: (document["warnings"] as readonly { code: string }[]).map(({ code }) => code),
      actions: outcomes.filter(({ code }) => code !== "matched").map(({ name, action, code }) => [name, action, code]),
    };
  };
  const state = join(folder, "state.json");
  return {
    from,
    to,
    state,
    journal: () => join(folder, `${runs}.journal`),
    /** Nothing is known of an earlier run, unless there is a state. */
    migrate: (...flags: readonly string[]) => {
      runs += 1;
      const journal = ["--journal", join(folder, `${runs}.journal`), "--on-conflict", "update"];
      return run("migrate", "--from", from.stack, "--to", to.stack, ...journal, ...flags);
    },
    rollback: () => run("rollback", join(folder, `${runs}.journal`), "--to", to.stack, "--yes"),
    async [Symbol.asyncDispose]() {
      await from.close();
      await to.close();
    },
  };
}

describe("a target whose lists leave members out that its records have", () => {
  it("is not said to have lost them, and the next run writes nothing", async () => {
    await using pair = await stacks();
    const first = await pair.migrate("--yes");
    expect(first).toMatchObject({ exitCode: 0, codes: [] });
    for (const flags of [["--dry-run"], ["--yes"]]) {
      const again = await pair.migrate(...flags);
      expect(again).toMatchObject({ exitCode: 0, codes: [] });
      expect(again.actions).toEqual([
        ["Board", "unchanged", undefined],
        ["Busy", "unchanged", undefined],
      ]);
    }
  });

  it("is not said to have been changed by somebody, where it is remembered what was written", async () => {
    await using pair = await stacks();
    await pair.migrate("--yes", "--state", pair.state);
    const again = await pair.migrate("--yes", "--state", pair.state);
    expect(again.actions.map(([, action, code]) => [action, code])).toEqual([
      ["unchanged", undefined],
      ["unchanged", undefined],
    ]);
  });

  it("shows in the plan what an update removes, and gets it back by a rollback", async () => {
    const theirs = { ...bare, dashboards: [board], alerts: [{ ...noted, note: "call nobody", threshold: 4 }] };
    await using pair = await stacks(theirs);
    const { document } = await pair.migrate("--dry-run");
    const [update] = document["updates"] as readonly { members: readonly { pointer: string }[] }[];
    expect(update?.members.map(({ pointer }) => pointer)).toEqual(["/note", "/threshold"]);
    expect((await pair.migrate("--yes")).exitCode).toBe(0);
    expect(pair.to.stored().alerts).toMatchObject([{ note: "call me", threshold: 10 }]);
    const undone = await pair.rollback();
    expect(undone).toMatchObject({ exitCode: 0, actions: [["Busy", "update", undefined]] });
    expect(pair.to.stored().alerts).toMatchObject([{ note: "call nobody", threshold: 4 }]);
  });

  it("lets a rollback delete what an import has created", async () => {
    await using pair = await stacks();
    await pair.migrate("--yes");
    const undone = await pair.rollback();
    expect(undone.actions.map(([, action]) => action)).toEqual(["delete", "delete"]);
    expect(pair.to.stored()).toMatchObject({ dashboards: [], alerts: [] });
  });
});
