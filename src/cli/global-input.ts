import { parsePacing } from "../config/pacing.ts";
import type { Pacing } from "../config/pacing.ts";
import type { GlobalArgs } from "./global-flags.ts";
import type { LogFormat } from "./render/run-log.ts";

/** The global flags, checked. */
export interface GlobalInput {
  readonly configFile: string | undefined;
  readonly pacing: Pacing;
  readonly caFile: string | undefined;
  readonly allowHttp: boolean | undefined;
  readonly identityFiles: readonly string[];
  readonly passphraseFile: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly noColor: boolean;
  readonly logFormat: LogFormat;
  readonly notify: string | undefined;
  readonly metricsFile: string | undefined;
  readonly otlp: string | undefined;
}

/** @throws StackferryError `usage` */
export function globalInput(args: GlobalArgs): GlobalInput {
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
    logFormat: args["log-format"] ?? "text",
    notify: args.notify,
    metricsFile: args["metrics-file"],
    otlp: args.otlp,
  };
}
