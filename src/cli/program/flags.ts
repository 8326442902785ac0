import { isEmptyPolicy } from "../../backup/retention.ts";
import type { RepositorySettings } from "../../config/repositories.ts";
import { parsePacing } from "../../config/stacks/stack-settings.ts";
import { CALENDAR_SPAN, type RetentionPolicy } from "../../core/retention-policy.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RecordFilter } from "../../core/records/record-filter.ts";

/** The value is a text, unless `type` is `boolean`. */
export interface Flag {
  readonly type?: "boolean";
  readonly alias?: string;
  readonly array?: true;
  readonly choices?: readonly string[];
  /** The value of a flag that is given without a value. */
  readonly bare?: string;
  readonly default?: string;
  readonly demandOption?: boolean;
  readonly describe: string;
  /** The flag that must be given as well, without dashes. */
  readonly implies?: string;
  readonly conflicts?: readonly string[];
  /** Only `--help --all` shows the flag. */
  readonly advanced?: true;
  /** True for the path of a file or folder that the command writes. */
  readonly writes?: true;
}

export type Flags = Readonly<Record<string, Flag>>;

type CamelCase<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

type Single<F> = F extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

type Value<F> = F extends { readonly type: "boolean" }
  ? boolean
  : F extends { readonly array: true }
    ? readonly string[]
    : F extends { readonly demandOption: true } | { readonly default: string }
      ? Single<F>
      : Single<F> | undefined;

/** The names are in camel case. Without the flag, a boolean is false, and a list is empty. */
export type Arguments<Declared> = { readonly [Name in keyof Declared as CamelCase<Name>]: Value<Declared[Name]> };

/** The keys are the names of the flags, not in camel case. */
export type ParsedWords = Readonly<Record<string, unknown>>;

export function typedArguments<Declared extends Flags>(declared: Declared, parsed: ParsedWords): Arguments<Declared> {
  const values = Object.entries(declared).map(([name, { type, array }]) => {
    const absent = type === "boolean" ? false : array === true ? [] : undefined;
    return [name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), parsed[name] ?? absent];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(values) as Arguments<Declared>;
}

/** The first word of a command line that a completion script sends. */
export const COMPLETE_WORD = "--complete";

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
  notify: { describe: "Request URL/start first; at the end URL, or URL/EXIT-CODE on failure" },
  "metrics-file": {
    writes: true,
    describe: "Write the run's metrics to this file, in Prometheus text format",
  },
  otlp: {
    describe: "Send the run to an OpenTelemetry collector, for instance http://host:4318",
  },
} as const satisfies Flags;

export type GlobalInput = ReturnType<typeof parseGlobalFlags>;

export function parseGlobalFlags(parsed: ParsedWords) {
  const args = typedArguments(globalFlags, parsed);
  return {
    ...args,
    /** If undefined, the configuration decides. */
    allowHttp: parsed["allow-http"] === undefined ? undefined : args.allowHttp,
    pacing: parsePacing(args),
  };
}

const STACK = "a name or an address";

export const stackToReadArgument = {
  demandOption: true,
  describe: `STACK to read: ${STACK}`,
} as const satisfies Flag;

export const stackToWriteArgument = {
  ...stackToReadArgument,
  describe: `STACK to write: ${STACK}`,
} as const satisfies Flag;

export const acceptHiddenLossFlag = {
  advanced: true,
  type: "boolean",
  describe: "Also write dashboards with tiles that the API does not show, which deletes these for good",
} as const satisfies Flag;

/** docs/limits.md lists the rules by which the flag changes a record. */
export const fitLimitsFlag = {
  advanced: true,
  type: "boolean",
  describe:
    "Shorten or convert records that the API returns but does not accept: long names, tags and texts, wide tiles, filters of other types, metrics without a column, odd offsets of alerts",
} as const satisfies Flag;

export const journalsFlag = {
  writes: true,
  advanced: true,
  describe:
    "Folder of the journals and locks (default: .stackferry beside the configuration file, else in the working directory)",
} as const satisfies Flag;

export const yesFlag = {
  type: "boolean",
  alias: "y",
  describe: "Do not ask before writing; required without a terminal",
} as const satisfies Flag;

export const stacksArgument = {
  array: true,
  describe: `STACK: ${STACK}`,
} as const satisfies Flag;

export const signerFlag = {
  describe: "Refuse the archive unless this public key (PEM file) verifies its signature",
} as const satisfies Flag;

export const repositoryArgument = {
  demandOption: true,
  describe: "REPO: a folder, s3://… or a configured name",
} as const satisfies Flag;

export const stackFilterFlag = {
  array: true,
  describe: "Only backups of this stack, repeatable",
} as const satisfies Flag;

export const archiveArgument = {
  demandOption: true,
  describe: "Archive: a zip file, a folder, s3://…, or a backup: REPO/STACK[@TIME]",
} as const satisfies Flag;

export const valuesFileFlag = {
  describe: "Values file: the value of each ${value:NAME} in the files",
} as const satisfies Flag;

export const recipientFlag = {
  array: true,
  describe: "Encrypt for this age public key (age1…), repeatable",
} as const satisfies Flag;

export const signFlag = {
  describe: "Sign with the Ed25519 private key (PEM) in this file",
} as const satisfies Flag;

export function numberFlag(
  text: string | undefined,
  flag: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new StackferryError("usage", `${flag} must be a number from ${least} to ${most}`);
}

export const selectionFlags = {
  kinds: { describe: "Only these kinds, separated by commas: dashboards,alerts" },
  include: { array: true, describe: "Only records of this name or id (* and ? allowed); repeatable" },
  exclude: { array: true, describe: "Leave out records of this name or id; repeatable" },
} as const satisfies Flags;

export const selectionFlagsWithAlerts = {
  ...selectionFlags,
  include: {
    ...selectionFlags.include,
    describe: "Only records of this name or id (* and ? allowed), and the alerts on them; repeatable",
  },
} as const satisfies Flags;

export interface Selection {
  /** Names of kinds, not yet checked; empty means all. */
  readonly kinds: readonly string[];
  readonly filter: RecordFilter;
}

export function parseSelection({ kinds, include, exclude }: Arguments<typeof selectionFlags>): Selection {
  return { kinds: splitKinds(kinds), filter: { include, exclude } };
}

export function splitKinds(list = ""): string[] {
  return list.split(",").flatMap((name) => name.trim() || []);
}

/** The rules have the same meaning as in restic. */
export const retentionFlags = {
  "keep-last": { describe: "Keep the N newest backups of each stack (or: all)" },
  "keep-hourly": { describe: "Keep the newest backup in each of the last N hours that have one (UTC)" },
  "keep-daily": { describe: "Keep the newest backup in each of the last N days that have one (UTC)" },
  "keep-weekly": {
    describe: "Keep the newest backup in each of the last N weeks that have one (ISO, from Monday, UTC)",
  },
  "keep-monthly": { describe: "Keep the newest backup in each of the last N months that have one (UTC)" },
  "keep-yearly": { describe: "Keep the newest backup in each of the last N years that have one (UTC)" },
  "keep-within": {
    describe: "Keep backups made within this time before the newest one, for instance 7d or 1y5m7d2h (m: months)",
  },
} as const satisfies Flags;

export function retentionPolicyOf(
  args: Arguments<typeof retentionFlags>,
  { keep = {} }: Pick<RepositorySettings, "keep">,
): RetentionPolicy | undefined {
  const { keepWithin: within } = args;
  if (within !== undefined && !CALENDAR_SPAN.test(within)) {
    throw new StackferryError("usage", "--keep-within needs years, months, days or hours, for instance 1y5m7d2h");
  }
  const given: RetentionPolicy = {
    ...countOf("last", args.keepLast),
    ...countOf("hourly", args.keepHourly),
    ...countOf("daily", args.keepDaily),
    ...countOf("weekly", args.keepWeekly),
    ...countOf("monthly", args.keepMonthly),
    ...countOf("yearly", args.keepYearly),
    ...(within !== undefined && { within }),
  };
  if (!isEmptyPolicy(given)) return given;
  if (Object.keys(given).length === 0) return isEmptyPolicy(keep) ? undefined : keep;
  throw new StackferryError("usage", "the --keep-… flags keep nothing: 0 keeps none", {
    hint: "set at least one --keep-… flag to a number above 0, or omit all of these flags to use the rules of the configuration",
  });
}

function countOf(reason: string, text: string | undefined): RetentionPolicy {
  if (text === undefined) return {};
  if (text === "all" || text === "unlimited") return { [reason]: "all" };
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return { [reason]: value };
  throw new StackferryError("usage", `--keep-${reason} needs a number, or all`);
}
