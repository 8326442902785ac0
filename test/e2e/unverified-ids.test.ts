import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programWithSampleArchive, IMPORT } from "../support/program-with-sample-archive.ts";

/** An older managed stack does not list webhooks. */
describe("a map file for a managed target, which lists no webhooks", () => {
  it("with ids marks them in text, JSON and report, and the run does what the dry run says", async () => {
    await using stage = await programWithSampleArchive({ api: "contract" });
    const dry = await stage.run(`${IMPORT} --dry-run --report plan.html`);
    expect(dry.stdout).toContain("Plan: 23 to create; 12 matched; 5 ids are not verified.");
    for (const noun of ["webhook", "saved search"]) {
      expect(dry.stdout).toMatch(
        new RegExp(`${noun} "[^"]+" → [0-9a-f-]{24,36}: not verified; \\d+ records? uses? it`),
      );
    }
    expect(await readFile(join(stage.cwd, "plan.html"), "utf8")).toContain("not verified");
    const { matches } = (await stage.json(`${IMPORT} --dry-run`)) as { matches: { unverified?: boolean }[] };
    expect(matches.filter(({ unverified }) => unverified)).toHaveLength(5);
    expect(await stage.json(IMPORT)).toMatchObject({ exitCode: 0, counts: { create: 23 } });
    // Alerts of the target now use the ids, which verifies them.
    expect((await stage.run(`${IMPORT} --dry-run`)).stdout).not.toContain("not verified");
  });
});
