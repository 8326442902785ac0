import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Diff } from "../../src/core/diff.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

import { callSandbox } from "../support/read-sandbox.ts";
import { changeOn, recordsOn } from "../support/on-stack.ts";
import { programForOneStack } from "../support/program.ts";

const diffOf = (document: Readonly<Record<string, unknown>>): Diff => document["diff"] as Diff;

/** Renames a tile of the first dashboard that has several tiles. */
async function renameTile(stack: Sandbox, index: number): Promise<{ id: string; former: unknown }> {
  const found = (await recordsOn(stack, "dashboards")).find((each) => tilesOf(each).length > 1);
  if (found === undefined) throw new Error("no such dashboard");
  const tiles = tilesOf(found).map((tile, at) => (at === index ? { ...tile, name: "Renamed" } : tile));
  await changeOn(stack, "dashboards", { tiles }, found.name);
  return { id: found.id, former: tilesOf(found)[index]?.["name"] };
}

const tilesOf = (body: JsonObject): readonly JsonObject[] => body["tiles"] as readonly JsonObject[];

describe("two moments of one stack", () => {
  it("show no difference if nothing was changed, pipes included", async () => {
    await using program = await programForOneStack({ variant: "managed", seed: "sample" });
    const { run, json } = program;
    for (const out of ["one.zip", "two.zip"]) await run(`export --from $STACK --out ${out} --quiet`);
    const archives = await run("diff one.zip two.zip --exit-code");
    expect(archives).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(": no difference; ") });
    const live = diffOf(await json("diff one.zip $STACK --exit-code"));
    expect(live.changes).toEqual([]);
    expect(live.same).toBe(diffOf(await json("diff one.zip two.zip")).same);
    expect(live.notCompared).not.toContainEqual(expect.objectContaining({ kind: "pipes" }));
  });

  it("show each record that was added, removed or changed, and the member that differs", async () => {
    await using program = await programForOneStack({ variant: "self-hosted", seed: "sample" });
    const { stack, run, json } = program;
    await run("export --from $STACK --out before.zip --quiet");
    const { id, former } = await renameTile(stack, 1);
    await callSandbox(stack, "POST", "dashboards", { name: "Brand new", tiles: [] });
    const [gone] = await recordsOn(stack, "alerts");
    await callSandbox(stack, "DELETE", `alerts/${gone?.id}`);

    const document = await json("diff before.zip $STACK --exit-code");
    expect(document).toMatchObject({ exitCode: 10, ok: true, different: true });
    const { changes } = diffOf(document);
    expect(changes).toHaveLength(3);
    expect(changes).toContainEqual(
      expect.objectContaining({
        change: "changed",
        leftId: id,
        rightId: id,
        members: [
          {
            pointer: "/tiles/1/name",
            change: "changed",
            from: former,
            to: "Renamed",
            child: { noun: "tile", name: "Renamed" },
          },
        ],
      }),
    );
    expect(changes.map(({ change, name }) => [change, name])).toEqual(
      expect.arrayContaining([
        ["added", "Brand new"],
        ["removed", gone?.name],
      ]),
    );
    const text = await run("diff before.zip $STACK");
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain(`    ~ tile "Renamed": name "${String(former)}" → "Renamed"\n`);
    expect(text.stdout).toMatch(/^\+ added dashboard "Brand new"/m);
    expect(text.stdout).toContain("1 removed, 1 changed, 1 added");
    expect((await run("diff before.zip $STACK --kinds sources --exit-code")).exitCode).toBe(0);
  });
});

describe("export --format folder, kept in git", () => {
  it("changes one line of one record when one tile is renamed", async () => {
    await using program = await programForOneStack({ variant: "self-hosted", seed: "sample" });
    const { stack, cwd, run } = program;
    const git = async (...args: string[]): Promise<string> => {
      const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
      return (await promisify(execFile)("git", [...identity, ...args], { cwd })).stdout;
    };
    const save = async (): Promise<void> =>
      expect((await run("export --from $STACK --format folder --out stack --quiet")).exitCode).toBe(0);
    await save();
    await git("init", "--quiet");
    await git("add", "-A");
    await git("commit", "--quiet", "-m", "before");
    const { id } = await renameTile(stack, 0);
    await save();
    const stat = (await git("diff", "--numstat", "--", ".", ":!stack/manifest.json")).trim().split("\n");
    expect(stat).toEqual([`1\t1\tstack/dashboards/${id}.json`]);
  });
});
