import type { InferredOptionTypes, Options } from "yargs";
import { parsePacing } from "../../../config/pacing.ts";
import type { LogFormat } from "../../output/log.ts";

/** Flags that every command takes. */
export const globalFlags = {
  config: {
    type: "string",
    requiresArg: true,
    describe: "Configuration file (default: stackferry.yaml in this folder)",
  },
  concurrency: {
    type: "string",
    requiresArg: true,
    describe: "How many requests to send to a stack at a time (default: 4)",
  },
  rate: {
    type: "string",
    requiresArg: true,
    describe: "Send at most this many requests in a period, for instance 10/10s",
  },
  timeout: { type: "string", requiresArg: true, describe: "Wait this long for an answer (default: 30s)" },
  ca: { type: "string", requiresArg: true, describe: "Trust the certificates in this PEM file" },
  "allow-http": { type: "boolean", describe: "Send the credential over plain http beyond this machine" },
  identity: {
    type: "string",
    array: true,
    requiresArg: true,
    describe: "age key file that decrypts archives, repeatable",
  },
  "passphrase-file": { type: "string", requiresArg: true, describe: "File with the passphrase of encrypted archives" },
  json: { type: "boolean", describe: "Print one JSON document on stdout" },
  quiet: { type: "boolean", describe: "Print only warnings, errors and requested output" },
  verbose: { type: "boolean", describe: "Show every request, the whole plan, and the causes of an error" },
  "no-color": { type: "boolean", describe: "No colours" },
  "log-format": {
    choices: ["text", "json"] as const,
    requiresArg: true,
    describe: "Write text to stderr, or one JSON object per line",
  },
  notify: {
    type: "string",
    requiresArg: true,
    describe: "Request URL/start first; at the end URL, or URL/EXIT-CODE on failure",
  },
  "metrics-file": { type: "string", requiresArg: true, describe: "Write the run's figures as Prometheus text" },
  otlp: {
    type: "string",
    requiresArg: true,
    describe: "Send the run to an OpenTelemetry collector, for instance http://host:4318",
  },
} as const satisfies Readonly<Record<string, Options>>;

/** The global flags as yargs parses them. */
export type GlobalArgs = InferredOptionTypes<typeof globalFlags>;

/** The global flags, checked and normalised. */
export type GlobalInput = Readonly<ReturnType<typeof globalInput>>;

/** Checks and normalises the global flags. @throws StackferryError `usage` */
export function globalInput(args: GlobalArgs) {
  return {
    configFile: args.config,
    pacing: parsePacing(args, (setting) => `--${setting}`),
    caFile: args.ca,
    allowHttp: args["allow-http"],
    identityFiles: args.identity ?? [],
    passphraseFile: args["passphrase-file"],
    json: args.json ?? false,
    quiet: args.quiet ?? false,
    verbose: args.verbose ?? false,
    noColor: args["no-color"] ?? false,
    logFormat: args["log-format"] ?? ("text" satisfies LogFormat),
    notify: args.notify,
    metricsFile: args["metrics-file"],
    otlp: args.otlp,
  };
}

/** Short forms, by letter. They are spelled out before the line is parsed. */
export const shortFlags: Readonly<Record<string, string>> = { h: "help", q: "quiet", v: "verbose", y: "yes" };

/** Spells out the short forms of a line: `-q` is `--quiet`. Words after `--` are not flags. */
export function withLongFlags(argv: readonly string[]): readonly string[] {
  // Most programs print their version for a lone `-v`.
  if (argv.length === 1 && /^-v$/i.test(argv[0] ?? "")) return ["--version"];
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const name = /^-[a-z]$/.test(word) ? shortFlags[word.slice(1)] : undefined;
    return name === undefined || (end >= 0 && index > end) ? word : `--${name}`;
  });
}

/** Parser settings of yargs: a flag has one spelling, and each use of it takes one value. */
export const parserConfiguration = {
  "boolean-negation": false,
  "camel-case-expansion": false,
  "dot-notation": false,
  "greedy-arrays": false,
  "parse-numbers": false,
  "strip-aliased": true,
} as const;
