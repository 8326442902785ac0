import { expect, it } from "vitest";
import type { RunWrite } from "../../../src/journal/replay.ts";
import { warnOfOverlappingRuns } from "../../../src/rollback/runs.ts";

// test/behaviour/rollback-runs.test.ts tests the warnings of earlier and of later runs.
it("a run between two runs that are rolled back counts as later", () => {
  const writes = [1, 2, 3].map((run) => ({ run }) as RunWrite);
  const warnings = warnOfOverlappingRuns({ writes: new Map([["dashboards/0", writes]]) }, [1, 3]);
  expect(warnings).toMatchObject([{ code: "later-run", message: expect.stringContaining("run 2") }]);
});
