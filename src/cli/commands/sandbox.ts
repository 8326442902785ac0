import type { Rate } from "../../config/pacing.ts";
import { parseRate } from "../../config/pacing.ts";
import { StackferryError } from "../../core/errors.ts";
import { defineCommand } from "../program/parse/define-command.ts";

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
    data: { type: "string", requiresArg: true, describe: "Keep the stack's records in this file" },
    seed: {
      type: "string",
      requiresArg: true,
      default: "none",
      describe:
        "Records to begin with. none: nothing; bare: connections, sources and webhooks; sample: those, 9 dashboards, 2 saved searches and 14 alerts; web: a fresh installation with records as only the web interface makes them; or the path of an archive",
    },
    faults: {
      type: "string",
      requiresArg: true,
      describe: "Fail on purpose, by this fault plan in JSON (docs/sandbox-and-faults.md)",
    },
    limit: { type: "string", requiresArg: true, describe: "Answer 429 beyond this many requests, for instance 100/1m" },
  },
  examples: [
    ["sandbox --variant self-hosted --seed sample", "a stack with dashboards, saved searches and alerts"],
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
    return async (session) => (await import("../runs/sandbox.ts")).runSandbox(input, session);
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
