import { resolve } from "node:path";
import type { Rate } from "../../config/rate.ts";
import { StackferryError } from "../../domain/errors.ts";
import { parseFaults } from "../../sandbox/faults/plan.ts";
import { describeSandbox, startSandbox } from "../../sandbox/start-sandbox.ts";
import type { SandboxOptions, SandboxVariant } from "../../sandbox/start-sandbox.ts";
import { printableJson } from "../render/printable.ts";
import { sandboxText } from "../render/sandbox-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { sandboxSeed } from "./sandbox-seed.ts";

/** `stackferry sandbox`, normalised. */
export interface SandboxRequest {
  readonly variant: SandboxVariant;
  readonly port: number;
  readonly dataFile: string | undefined;
  /** `none`, `bare`, `sample`, or the path of an archive. */
  readonly seed: string;
  readonly limit: Rate | undefined;
  /** A fault plan as parsed JSON, not yet checked. */
  readonly faults: unknown;
}

/** Runs a sandbox until a signal ends it. Its address and keys are the first thing on stdout. */
export async function runSandbox(request: SandboxRequest, session: Session): Promise<CommandResult> {
  const { variant, port, dataFile, limit, faults } = request;
  const { io, signal, globals, out } = session;
  const seed = await sandboxSeed(request.seed, session);
  await using sandbox = await start(() => ({
    variant,
    port,
    seed,
    ...(dataFile !== undefined && { dataFile: resolve(io.cwd, dataFile) }),
    ...(limit !== undefined && { limit: { requests: limit.requests, windowMs: limit.perMs } }),
    ...(faults !== undefined && { faults: parseFaults(faults) }),
  }));
  io.stdout.write(globals.json ? `${printableJson(describeSandbox(sandbox))}\n` : sandboxText(sandbox, out));
  await aborted(signal);
  return { exitCode: 0, text: () => "", silent: true };
}

/** The sandbox imports nothing of ours, so its errors get their exit codes here. */
async function start(options: () => SandboxOptions): ReturnType<typeof startSandbox> {
  try {
    return await startSandbox(options());
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (!(cause instanceof Error) || (code !== "sandbox-usage" && code !== "sandbox-io")) throw cause;
    throw new StackferryError(code === "sandbox-usage" ? "usage" : "archive-io", cause.message, { cause });
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
}
