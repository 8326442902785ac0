import { describe, expect, it } from "vitest";
import { documentOf } from "../support/run-cli.ts";
import type { CliRun } from "../support/run-cli.ts";
import { callSandbox, listRecords, smallBench, theOne } from "../support/small-bench.ts";
import type { SmallBench } from "../support/small-bench.ts";

/** Somebody else's dashboard on the target, whose text leads to the record of that name. */
async function mention(bench: SmallBench, name: string): Promise<void> {
  const { id } = await theOne(bench.to, "dashboards", name);
  const config = { displayType: "markdown", markdown: `see /dashboards/${id}` };
  const tiles = [{ name: "Notes", x: 0, y: 0, w: 6, h: 3, config }];
  await callSandbox(bench.to, "POST", "dashboards", { name: "Mine", tiles, tags: [], filters: [] });
}

const deadLinks = (run: CliRun): string[] =>
  (documentOf(run)["warnings"] as { code: string; message: string }[]).flatMap(({ code, message }) =>
    code === "dead-link" ? [message] : [],
  );

describe("a link in somebody else's text to a record that a run deletes", () => {
  it("is named by the mirror, and by the rollback that creates the record again", async () => {
    await using bench = await smallBench();
    const migrate = (...more: string[]): Promise<CliRun> => bench.run(bench.migration("--state", "s.json", ...more));
    await migrate();
    await mention(bench, "Three");
    const { id } = await theOne(bench.from, "dashboards", "Three");
    await callSandbox(bench.from, "DELETE", `dashboards/${id}`);
    const mirror = ["--mirror", "--max-delete", "9"];
    const planned = await migrate(...mirror, "--dry-run");
    const done = await migrate(...mirror);
    for (const run of [planned, done]) {
      expect(deadLinks(run)).toEqual([
        'the dashboard "Mine" on the target links to the dashboard "Three", which is deleted',
      ]);
    }
    const journal = String(documentOf(done)["journal"]);
    const back = await bench.run(["rollback", journal, "--to", bench.to.stack, "--consistency-wait", "1ms"]);
    expect(back.exitCode).toBe(0);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*"Three", which comes back under another id/)]);
  });

  it("is named by the rollback that deletes it", async () => {
    await using bench = await smallBench();
    await bench.import();
    await mention(bench, "Three");
    const back = await bench.rollback();
    expect((await listRecords(bench.to, "dashboards")).map(({ name }) => name)).toEqual(["Mine"]);
    expect(deadLinks(back)).toEqual([expect.stringMatching(/"Mine".*"Three", which is deleted/)]);
  });
});
