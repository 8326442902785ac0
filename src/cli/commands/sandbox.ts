import { StackferryError } from "../../domain/errors.ts";
import { parseRate } from "../../config/rate.ts";
import type { Rate } from "../../config/rate.ts";
import { defineCommand } from "../define-command.ts";

export const sandboxCommand = defineCommand("sandbox", {
  positionals: {},
  flags: {
    variant: { choices: ["managed", "self-hosted"] as const, demandOption: true, describe: "Which variant of the API" },
    port: { type: "string", requiresArg: true, describe: "Port to listen on (default: any that is free)" },
    data: { type: "string", requiresArg: true, describe: "Keep what is stored in this file" },
    seed: {
      type: "string",
      requiresArg: true,
      default: "none",
      describe: "What it begins with: none, bare, sample, or an archive",
    },
    faults: { type: "string", requiresArg: true, describe: "Fail on purpose: a fault plan as JSON (docs/faults.md)" },
    limit: { type: "string", requiresArg: true, describe: "Answer 429 beyond this many requests, for instance 100/1m" },
  },
  examples: [
    ["sandbox --variant self-hosted --seed sample", "a stack with dashboards and alerts"],
    [`sandbox --variant managed --seed bare --faults '{"rules":[{"fault":"429","rate":0.1}]}'`, "one that misbehaves"],
    ["sandbox --variant managed --seed bare --json", "an empty one, its address and key as JSON on the first line"],
  ],
  exitCodes: [0, 1, 2],
  prepare: (args) => {
    const { variant } = args;
    const input = {
      variant,
      port: portOf(args.port),
      dataFile: args.data,
      seed: args.seed,
      limit: limitOf(args.limit),
      faults: faultsOf(args.faults),
    };
    return async (session) => {
      const { runSandbox } = await import("../runs/run-sandbox.ts");
      return runSandbox(input, session);
    };
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
