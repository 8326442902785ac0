import { parsePacing } from "../../../config/pacing.ts";
import { typedArguments, type Arguments, type Flags, type ParsedWords } from "../../flags/outline.ts";

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
  quiet: { type: "boolean", describe: "Print only warnings, errors and requested output" },
  verbose: { type: "boolean", describe: "Show every request, the whole plan, and the causes of an error" },
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const args = typedArguments(globalFlags, parsed) as Arguments<typeof globalFlags>;
  return {
    ...args,
    /** Undefined if not given, because then the configuration decides. */
    allowHttp: parsed["allow-http"] === undefined ? undefined : args.allowHttp,
    logFormat: args.logFormat ?? "text",
    pacing: parsePacing({ ...args, consistencyWait: undefined }, (setting) => `--${setting}`),
  };
}

/** Short forms, by letter. They are spelled out before the line is parsed. */
export const shortFlags: Readonly<Record<string, string>> = { h: "help", q: "quiet", v: "verbose", y: "yes" };

/** Spells out the short forms of a line: `-q` is `--quiet`. Words after `--` are not flags. */
export function expandShortFlags(argv: readonly string[]): readonly string[] {
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
