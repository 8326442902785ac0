import { describe, expect, it } from "vitest";
import { runProgram, type EndingSignal } from "../chaos/run-program.ts";
import { programWithSampleArchive, importWords } from "../support/program-with-sample-archive.ts";
import { recordsOn } from "../support/on-stack.ts";
import type { ProgramForTwoStacks } from "../support/program.ts";
import type { ReportedOutcome } from "../support/program-with-archive.ts";

interface Ended {
  readonly exitCode: number | null;
  readonly outcomes: readonly ReportedOutcome[];
}

/** Creates a program whose import gets a signal when the target has received this many requests with the method. */
async function interruptedAt(
  variant: "managed" | "self-hosted",
  method: string,
  number: number,
  signal: NodeJS.Signals,
) {
  let seen = 0;
  const stage = await programWithSampleArchive({
    variant,
    intercept: async (request, next) => {
      if (request.method === method) {
        seen += 1;
        // Waits long enough for the signal to arrive before the response does.
        await new Promise((done) => setTimeout(done, 150));
      }
      return next();
    },
  });
  const run = async (kill?: EndingSignal): Promise<Ended> => {
    const { exitCode, stdout } = await runProgram(importWords(stage.to), stage.env, stage.cwd, kill);
    return { exitCode, outcomes: (JSON.parse(stdout) as Pick<Ended, "outcomes">).outcomes };
  };
  return { stage, run, interrupted: () => run({ when: () => seen >= number, afterMs: 0, signal }) };
}

async function counts({ to }: ProgramForTwoStacks): Promise<readonly number[]> {
  const lists = ["dashboards", "saved-searches", "alerts"].map((kind) => recordsOn(to, kind));
  return (await Promise.all(lists)).map(({ length }) => length);
}

describe.each([
  ["managed", "POST", 2, "SIGINT"],
  ["self-hosted", "POST", 14, "SIGTERM"],
  // Both dashboards that link to each other exist at this point, but not yet the second link between them.
  ["managed", "POST", 11, "SIGHUP"],
  ["self-hosted", "POST", 11, "SIGINT"],
] as const)(
  "an import onto a %s stack that is stopped at its %s number %i by %s",
  (variant, method, number, signal) => {
    it("calls what was not begun not-started and nothing failed, and is gone on with", async () => {
      const { stage, run, interrupted } = await interruptedAt(variant, method, number, signal);
      await using _ = stage;
      const first = await interrupted();
      expect(first.exitCode).toBe(130);
      expect(first.outcomes.filter(({ status }) => status === "failed")).toEqual([]);
      const left = first.outcomes.filter(({ status }) => status !== "done");
      expect(left.length).toBeGreaterThan(0);
      expect(new Set(left.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(["planned not-started"]));
      if (number === 11) expect(first.outcomes.some(({ code }) => code === "link-failed")).toBe(true);
      expect((await run()).exitCode).toBe(0);
      expect(await counts(stage)).toEqual([9, 2, 14]);
    });
  },
);
