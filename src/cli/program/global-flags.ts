import { parsePacing } from "../../config/pacing.ts";
import { typedArguments, type Flags, type ParsedWords } from "./flag.ts";

export const globalFlags = {
  config: { describe: "Configuration file (default: stackferry.yaml in this folder)" },
  concurrency: { describe: "How many requests to send to a stack at a time (default: 4)" },
  rate: { describe: "Send at most this many requests in a period, for instance 10/10s" },
  timeout: { describe: "Wait this long for an answer (default: 30s)" },
  ca: { describe: "Trust the certificates in this PEM file" },
  "allow-http": { type: "boolean", describe: "Send the credential over plain http beyond this machine" },
  identity: { array: true, describe: "age key file that decrypts archives, repeatable" },
  "passphrase-file": { describe: "File with the passphrase of encrypted archives" },
  json: { type: "boolean", describe: "Print one JSON document on stdout" },
  quiet: { type: "boolean", alias: "q", describe: "Print only warnings, errors and requested output" },
  verbose: { type: "boolean", alias: "v", describe: "Show every request, the whole plan, and the causes of an error" },
  "no-color": { type: "boolean", describe: "No colours" },
  "log-format": {
    choices: ["text", "json"],
    describe: "Write text to stderr, or one JSON object per line",
  },
  notify: { describe: "Request URL/start first; at the end URL, or URL/EXIT-CODE on failure" },
  "metrics-file": {
    writes: true,
    describe: "Write the run's metrics to this file, in Prometheus text format",
  },
  otlp: {
    describe: "Send the run to an OpenTelemetry collector, for instance http://host:4318",
  },
} as const satisfies Flags;

/** The global flags, checked and normalised. */
export type GlobalInput = ReturnType<typeof parseGlobalFlags>;

/** @throws StackferryError `usage` */
export function parseGlobalFlags(parsed: ParsedWords) {
  const args = typedArguments(globalFlags, parsed);
  return {
    ...args,
    /** Undefined if not given, because then the configuration decides. */
    allowHttp: parsed["allow-http"] === undefined ? undefined : args.allowHttp,
    logFormat: args.logFormat ?? "text",
    pacing: parsePacing({ ...args, consistencyWait: undefined }, (setting) => `--${setting}`),
  };
}
