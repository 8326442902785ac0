import { expect, test } from "vitest";
import { programWithArchive } from "../support/program-with-archive.ts";

test("a rollback tells each record as it is undone, and not all of a kind at once", async () => {
  await using program = await programWithArchive();
  expect((await program.import("--yes")).exitCode).toBe(0);
  const { stderr } = await program.rollback("--log-format", "json", "--verbose", "--concurrency", "1");
  const events = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { event: string; kind?: string; method?: string; path?: string });
  const deletes = events.flatMap(({ method, path }, at) =>
    method === "DELETE" && path?.includes("dashboards") ? [at] : [],
  );
  const told = events.flatMap(({ event, kind }, at) => (event === "outcome" && kind === "dashboards" ? [at] : []));
  expect([deletes.length, told.length]).toEqual([3, 3]);
  // The next delete may be on its way while the journal writes down the last one.
  expect(told[0]).toBeLessThan(deletes[2] ?? 0);
});
