import { expect, it } from "vitest";
import type { RunWrite } from "../../../src/journal/fold.ts";
import { warnOfOverlappingRuns } from "../../../src/rollback/runs.ts";

// test/behaviour/rollback-runs.test.ts tests the warnings of one earlier or later run.
it("runs before and after the run that is undone are each named, in their order", () => {
  const key = "dashboards/0" as const;
  const write: Omit<RunWrite, "run"> = {
    key,
    name: "",
    targetId: "a",
    action: "update",
    image: undefined,
    content: "",
    before: undefined,
    since: "",
    lacksLinks: false,
    namesakes: [],
    mayLose: [],
    isLost: false,
  };
  const writes = [1, 2, 3, 4].map((run) => ({ ...write, run }));
  const history = {
    standing: new Map([[key, writes] as const]),
    writesOf: (run: number) => writes.slice(run - 1, run),
  };
  const warnings = warnOfOverlappingRuns(history, 2);
  expect(warnings.map(({ code, message }) => `${code} ${/run \d/.exec(message)?.[0]}`)).toEqual([
    "earlier-run run 1",
    "later-run run 3",
    "later-run run 4",
  ]);
});
