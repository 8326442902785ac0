import { expect, test } from "vitest";
import { readSandbox } from "../support/read-sandbox.ts";
import { dashboard, hexId, tileWith } from "../support/stack-records.ts";
import { twoStacks } from "../support/sandbox-pair.ts";
import { emptyStack } from "../support/small-bench.ts";

/** Answers have an empty expression beside every count, and a managed stack refuses it in what is sent. */
test("an update of a dashboard on a managed stack is taken back as its owner describes it", async () => {
  const on = (letter: "a" | "b", more: object) => {
    const board = { ...dashboard(hexId(letter, 16), "Overview", hexId(letter, 1)), ...more };
    return { ...emptyStack(letter), dashboards: [board] };
  };
  const config = { displayType: "line", sourceId: hexId("b", 1), select: [{ aggFn: "count", valueExpression: "" }] };
  const before = { tags: ["old"], tiles: [tileWith(hexId("b", 20), "Requests", config)] };
  const ids = { variant: "managed", ids: "hex" } as const;
  const wanted = { ...ids, seed: on("a", { tags: ["new"] }) };
  await using stacks = await twoStacks(wanted, { ...ids, strict: true, seed: on("b", before) });
  const { run, json, to } = stacks;
  const updated = await json("migrate --from $FROM --to $TO --on-conflict update");
  expect(updated).toMatchObject({ exitCode: 0, counts: { update: 1 } });
  const back = await run(`rollback ${String(updated["journal"])} --to $TO --yes`);
  expect(back.exitCode, back.stdout + back.stderr).toBe(0);
  expect(await readSandbox(to, "dashboards")).toMatchObject([before]);
});
