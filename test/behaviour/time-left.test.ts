import { expect, test } from "vitest";
import { programForTwoStacks } from "../support/program.ts";
import { programWithArchive } from "../support/program-with-archive.ts";

const COUNT = 110;
const tile = { name: "Notes", x: 0, y: 0, w: 6, h: 3, config: { displayType: "markdown", markdown: "Runbook" } };
const dashboards = Array.from({ length: COUNT }, (_, index) => ({
  id: index.toString(16).padStart(24, "0"),
  name: `Board ${index}`,
  tiles: [{ id: (1000 + index).toString(16).padStart(24, "0"), ...tile }],
  tags: [],
  filters: [],
}));

/** Migrates the dashboards to a target with a rate limit, and returns what the run says of the time that it will take. */
async function timeLeftOn(limit?: { requests: number; windowMs: number }, count = COUNT): Promise<string | undefined> {
  const target = { variant: "self-hosted", seed: "bare", ...(limit && { limit }) } as const;
  await using stacks = await programForTwoStacks(
    { variant: "self-hosted", seed: { dashboards: dashboards.slice(0, count) } },
    target,
  );
  const { exitCode, stderr } = await stacks.run("migrate --from $FROM --to $TO --yes");
  expect(exitCode, stderr).toBe(0);
  return new RegExp(String.raw`importing \(${count}\)(.*)`).exec(stderr)?.[1];
}

test("the time left comes from the limit that the stack's answers announce, and from none if they announce none", async () => {
  await expect(timeLeftOn({ requests: 5000, windowMs: 60_000 })).resolves.toBe("");
  await expect(timeLeftOn({ requests: 100, windowMs: 2000 })).resolves.toBe(", about 5 s left at 100 requests per 2 s");
  await expect(timeLeftOn(undefined, 3)).resolves.toBe("");
});

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
