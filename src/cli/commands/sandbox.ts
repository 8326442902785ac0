import { resolve } from "node:path";
import type { Rate } from "../../config/pacing.ts";
import { parseRate } from "../../config/pacing.ts";
import { StackferryError } from "../../core/errors.ts";
import { holdArchive } from "../../core/records/held-records.ts";
import type { JsonObject } from "../../core/json.ts";
import { printableJson } from "../../core/text/printable.ts";
import type { Sandbox, SandboxApi, SandboxIds, SandboxOptions, SandboxVariant } from "../../sandbox/start-sandbox.ts";
import type { CommandResult } from "../output/document.ts";
import { sandboxText } from "../output/sandbox.ts";
import { defineCommand } from "../program/parse/define-command.ts";
import type { Session } from "../program/session.ts";
import { openArchiveFile } from "../wiring/archive-file.ts";

export const sandboxCommand = defineCommand("sandbox", {
  positionals: {},
  flags: {
    variant: { choices: ["managed", "self-hosted"] as const, demandOption: true, describe: "Which variant of the API" },
    api: {
      choices: ["extended", "contract"] as const,
      default: "extended" as const,
      describe: "extended: with connections, saved searches and writes of all kinds; contract: an older deployment",
    },
    ids: {
      choices: ["hex", "uuid"] as const,
      describe: "Form of ids of a managed stack: 24 hex digits, or UUIDs (default: uuid)",
    },
    strict: {
      type: "boolean",
      describe: "Managed stack: refuse members that the API does not know, instead of dropping them",
    },
    port: { type: "string", requiresArg: true, describe: "Port to listen on (default: any free one)" },
    data: { type: "string", requiresArg: true, describe: "Keep what is stored in this file" },
    seed: {
      type: "string",
      requiresArg: true,
      default: "none",
      describe:
        "Records to begin with. none: nothing; bare: sources and webhooks; sample: those, 9 dashboards and 12 alerts; full: those, saved searches and alerts on them; or the path of an archive",
    },
    faults: {
      type: "string",
      requiresArg: true,
      describe: "Fail on purpose, as this plan in JSON says (docs/sandbox-and-faults.md)",
    },
    limit: { type: "string", requiresArg: true, describe: "Answer 429 beyond this many requests, for instance 100/1m" },
  },
  examples: [
    ["sandbox --variant self-hosted --seed sample", "a stack with dashboards and alerts"],
    [
      `sandbox --variant managed --seed bare --faults '{"rules":[{"fault":"429","rate":0.1}]}'`,
      "one that refuses a tenth of all requests",
    ],
    ["sandbox --variant self-hosted --seed bare --api contract", "an older one, which lists sources and webhooks only"],
    [
      "sandbox --variant managed --seed bare --json",
      "an empty one; prints its address and key as JSON on the first line",
    ],
  ],
  exitCodes: [0, 1, 2],
  prepare: (args) => {
    const { variant } = args;
    const input = {
      variant,
      api: args.api,
      ids: args.ids,
      strict: args.strict === true,
      port: portOf(args.port),
      dataFile: args.data,
      seed: args.seed,
      limit: limitOf(args.limit),
      faults: faultsOf(args.faults),
    };
    return (session) => runSandbox(input, session);
  },
});

function portOf(text: string | undefined): number {
  const port = Number(text ?? "0");
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new StackferryError("usage", "--port must be a number from 0 to 65535");
}

function limitOf(text: string | undefined): Rate | undefined {
  const limit = text === undefined ? undefined : parseRate(text);
  if (text === undefined || limit !== undefined) return limit;
  throw new StackferryError("usage", "--limit must be requests per duration, for instance 100/1m");
}

function faultsOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new StackferryError("usage", "--faults must be JSON", {
      cause,
      hint: 'For instance {"rules": [{"fault": "500"}]}.',
    });
  }
}

/** `stackferry sandbox`, normalised. */
export interface SandboxRequest {
  readonly variant: SandboxVariant;
  readonly api: SandboxApi;
  readonly ids: SandboxIds | undefined;
  readonly strict: boolean;
  readonly port: number;
  readonly dataFile: string | undefined;
  /** `none`, `bare`, `sample`, `full`, or the path of an archive. */
  readonly seed: string;
  readonly limit: Rate | undefined;
  /** A fault plan as parsed JSON, not yet checked. */
  readonly faults: unknown;
}

/** Runs a sandbox until a signal ends it. Its address and keys are the first thing on stdout. */
export async function runSandbox(request: SandboxRequest, session: Session): Promise<CommandResult> {
  const { variant, api, ids, strict, port, dataFile, limit, faults } = request;
  const { io, signal, globals, out } = session;
  const seed = await sandboxSeed(request.seed, session);
  // The server is loaded here, since `--help` and completion load this file too.
  const { describeSandbox } = await import("../../sandbox/start-sandbox.ts");
  const { parseFaults } = await import("../../sandbox/faults/plan.ts");
  await using sandbox = await start(() => ({
    variant,
    api,
    strict,
    ...(ids !== undefined && { ids }),
    port,
    seed,
    ...(dataFile !== undefined && { dataFile: resolve(io.cwd, dataFile) }),
    ...(limit !== undefined && { limit: { requests: limit.requests, windowMs: limit.perMs } }),
    ...(faults !== undefined && { faults: parseFaults(faults) }),
  }));
  io.stdout.write(globals.json ? `${printableJson(describeSandbox(sandbox))}\n` : sandboxText(sandbox, out));
  await untilAborted(signal);
  return { exitCode: 0, text: () => "", silent: true };
}

/** The sandbox imports no other room, so its errors get their exit codes here. */
async function start(options: () => SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import("../../sandbox/start-sandbox.ts");
  try {
    return await startSandbox(options());
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (!(cause instanceof Error) || (code !== "sandbox-usage" && code !== "sandbox-io")) throw cause;
    throw new StackferryError(code === "sandbox-usage" ? "usage" : "archive-io", cause.message, { cause });
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener("abort", resolve, { once: true });
  });
}

/** What a sandbox begins with: one of its own seeds, or the records of an archive. */
export async function sandboxSeed(seed: string, session: Session): Promise<NonNullable<SandboxOptions["seed"]>> {
  if (seed === "none" || seed === "bare" || seed === "sample" || seed === "full") return seed;
  await using reader = await openArchiveFile(seed, session);
  const bodies = new Map<string, JsonObject[]>();
  const hold = holdArchive();
  for await (const { kind, body } of reader.records()) {
    hold(body);
    bodies.set(kind, [...(bodies.get(kind) ?? []), body]);
  }
  return Object.fromEntries(bodies);
}
