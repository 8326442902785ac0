import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Bench } from "../support/import-bench.ts";
import { bench, importArgs } from "../support/import-bench.ts";
import { readSandbox } from "../support/read-sandbox.ts";

const program = resolve(import.meta.dirname, "../../bin/stackferry.js");

interface Ended {
  readonly exitCode: number | null;
  readonly outcomes: readonly { readonly status: string; readonly code?: string; readonly targetId?: string }[];
}

/** A bench whose target sends a signal to the program when it gets the request of this number. */
async function interruptedAt(
  variant: "managed" | "self-hosted",
  method: string,
  number: number,
  signal: "SIGINT" | "SIGTERM",
) {
  let running: ReturnType<typeof spawn> | undefined;
  let seen = 0;
  const stage = await bench({
    variant,
    intercept: async (request, next) => {
      if (request.method === method && running !== undefined) {
        seen += 1;
        if (seen === number) running.kill(signal);
        // Long enough for the signal to arrive before the answer does.
        await new Promise((done) => setTimeout(done, 150));
      }
      return next();
    },
  });
  const run = (): Promise<Ended> => {
    const child = spawn(process.execPath, [program, ...importArgs(stage.to)], {
      cwd: stage.cwd,
      env: { ...stage.env, PATH: "", TMPDIR: tmpdir() },
    });
    running = child;
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    return new Promise((done, failed) => {
      child.on("error", failed);
      child.on("close", (exitCode) =>
        done({ exitCode, outcomes: (JSON.parse(text) as Pick<Ended, "outcomes">).outcomes }),
      );
    });
  };
  return { stage, run };
}

async function counts({ to }: Bench): Promise<readonly number[]> {
  const lists = ["dashboards", "saved-searches", "alerts"].map((kind) => readSandbox(to, kind));
  return (await Promise.all(lists)).map(({ length }) => length);
}

describe.each([
  ["managed", "POST", 2, "SIGINT"],
  ["self-hosted", "POST", 14, "SIGTERM"],
  // The dashboards that lead to each other are there by then, and the link that closes their cycle is not.
  ["managed", "POST", 11, "SIGTERM"],
  ["self-hosted", "POST", 11, "SIGINT"],
] as const)(
  "an import onto a %s stack that is stopped at its %s number %i by %s",
  (variant, method, number, signal) => {
    it("calls what was not begun not-started and nothing failed, and is gone on with", async () => {
      const { stage, run } = await interruptedAt(variant, method, number, signal);
      await using _ = stage;
      const first = await run();
      expect(first.exitCode).toBe(130);
      expect(first.outcomes.filter(({ status }) => status === "failed")).toEqual([]);
      const left = first.outcomes.filter(({ status }) => status !== "done");
      expect(left.length).toBeGreaterThan(0);
      expect(new Set(left.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(["planned not-started"]));
      if (number === 11) expect(left.some(({ targetId }) => targetId !== undefined)).toBe(true);
      expect((await run()).exitCode).toBe(0);
      expect(await counts(stage)).toEqual([9, 2, 14]);
    });
  },
);
