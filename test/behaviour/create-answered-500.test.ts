import { expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import { listRecords, smallBench } from "../support/small-bench.ts";

const failed = (): Response => new Response('{"message":"no"}', { status: 500 });

it.each([
  ["and was stored is found, and not sent a second time", true, 3],
  ["and was not stored is sent again, once it has been looked for", false, 4],
])("a create that ended with 500 %s", async (_, isStored, sends) => {
  await using bench = await smallBench();
  let creates = 0;
  bench.watch = async ({ route }, proceed) => {
    if (route !== "POST dashboards") return proceed();
    creates += 1;
    if (creates > 1) return proceed();
    if (isStored) await proceed();
    return failed();
  };
  const run = await bench.import();
  expect(documentOf(run)).toMatchObject({ exitCode: 0, counts: { create: 5 } });
  expect(creates).toBe(sends);
  expect((await listRecords(bench.to, "dashboards")).map(({ name }) => name).toSorted()).toEqual([
    "One",
    "Three",
    "Two",
  ]);
  expect((await bench.entries()).filter(({ type }) => type === "refused")).toEqual([]);
});
