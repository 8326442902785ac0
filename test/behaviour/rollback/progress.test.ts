import { expect, test } from "vitest";
import { programWithArchive } from "../../support/program-with-archive.ts";

test("a rollback counts each record as it is undone, and not all of a kind at once", async () => {
  await using program = await programWithArchive();
  expect((await program.import("--yes")).exitCode).toBe(0);
  let shown = "";
  const counts: number[] = [];
  program.watch = ({ route }, proceed) => {
    if (route.startsWith("DELETE dashboards")) counts.push(Number([...shown.matchAll(/(\d+)\/\d+/g)].at(-1)?.[1] ?? 0));
    return proceed();
  };
  const line = ["rollback", "--to", program.to.stack, "--run", "1", "--yes", "--concurrency", "1"];
  const options = { terminal: { columns: 80, answers: [] }, onStderr: (text: string) => (shown += text) };
  expect((await program.run(line, options)).exitCode).toBe(0);
  expect(counts).toHaveLength(3);
  // The next delete may be on its way while the journal writes down the last one.
  expect(counts[2]).toBeGreaterThan(counts[0] ?? 0);
});
