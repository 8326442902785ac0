import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkMove, readStackContent } from "../support/independent-check.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { textOfSandbox } from "../support/read-sandbox.ts";
import { programForTwoStacks, webhookMap } from "../support/program.ts";

/** Returns the conditions of a stack's alerts and saved searches without references, so that two stacks can be compared. */
async function conditionsOf(sandbox: Sandbox): Promise<string[]> {
  const alerts = (await recordsOn(sandbox, "alerts")).map((alert) => {
    const { name, threshold, thresholdMax, thresholdType, interval } = alert;
    return JSON.stringify([name, threshold, thresholdMax, thresholdType, interval]);
  });
  const searches = (await recordsOn(sandbox, "saved-searches")).map(({ name, where, filters }) =>
    JSON.stringify([name, where, filters]),
  );
  return [...alerts, ...searches].toSorted();
}

const directions = [
  ["self-hosted", "managed"],
  ["managed", "self-hosted"],
] as const;

describe.each(directions)("export from %s, import to %s", (fromVariant, toVariant) => {
  it("imports every record with the right references and the fewest requests", async () => {
    await using stacks = await programForTwoStacks(
      { variant: fromVariant, seed: "sample" },
      { variant: toVariant, seed: "bare" },
    );
    const { from, to, cwd, json } = stacks;
    await writeFile(join(cwd, "map.yaml"), webhookMap(from, to));
    const exported = await json("export --from $FROM --out a.zip");
    expect(exported).toMatchObject({ ok: true, exitCode: 0 });
    // The export requests each page of a list, and one single record of each kind that has a route for it. Managed stacks have no
    // list of connections, and no single pipe is read.
    expect(from.stats().total).toBe(from.variant === "managed" ? 6 + 4 : 6 + 5);

    const onto = "import a.zip --to $TO --map map.yaml --create saved-searches";
    const { outcomes, ok } = (await json(onto)) as {
      ok: boolean;
      outcomes: { kind: string; action: string; status: string }[];
    };
    expect(ok).toBe(true);
    const source = await readStackContent(from);
    const kinds = ["dashboards", "saved-searches", "alerts"] as const;
    expect(kinds.map((kind) => source[kind].length)).toEqual([9, 2, 14]);
    const written = outcomes.filter(({ kind }) => kinds.some((each) => each === kind));
    expect(written.every(({ action, status }) => action === "create" && status === "done")).toBe(true);
    expect(written).toHaveLength(9 + 2 + 14);
    const inCycle = 3;
    // The lists before the writes, and those of the written kinds after them.
    const lists = 6 + kinds.length;
    expect(to.stats().total).toBeLessThanOrEqual(written.length + lists + inCycle);

    const moved = checkMove(source, await readStackContent(to));
    expect(moved).toHaveLength(4);
    expect(moved.filter(([, against]) => against.length > 0)).toEqual([]);
    expect(await conditionsOf(to)).toEqual(await conditionsOf(from));
    const target = await textOfSandbox(to);
    const before = to.stats().total;
    // An import never updates saved searches, so the existing ones count as matched.
    expect(await json(onto)).toMatchObject({ ok: true, counts: { unchanged: 9 + 14 } });
    expect(to.stats().total - before).toBeLessThanOrEqual(to.variant === "managed" ? 5 : 6);
    expect(await textOfSandbox(to)).toBe(target);
  });
});
