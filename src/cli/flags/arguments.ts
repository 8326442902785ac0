import { parseDuration } from "../../config/time.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Flag, Arguments, Flags } from "./outline.ts";
import type { Count, RetentionPolicy } from "../../backup/retention.ts";
import { isEmptyPolicy, parseCalendarSpan } from "../../backup/retention.ts";

const STACK = "a configured name or an address";

export const stackToRead = {
  demandOption: true,
  completes: "stacks",
  describe: `STACK to read: ${STACK}`,
} as const satisfies Flag;

export const stackToWrite = { ...stackToRead, describe: `STACK to write: ${STACK}` } as const satisfies Flag;

/** `--accept-hidden-loss`, for commands that update records of a stack. */
export const acceptHiddenLoss = {
  advanced: true,
  type: "boolean",
  describe: "Also write dashboards with tiles that the API does not show: the write deletes those tiles for good",
} as const satisfies Flag;

/** `--fit-limits`, for commands that write records. docs/migrate.md lists every rule by which it changes a record. */
export const fitLimits = {
  advanced: true,
  type: "boolean",
  describe:
    "Shorten or convert records that the API returns but does not accept: long names, tags and texts, wide tiles, filters of other types, metrics without a column, old starts and odd offsets of alerts",
} as const satisfies Flag;

/** `--consistency-wait`, for commands that verify their own writes. */
export const consistencyWait = {
  advanced: true,
  default: "10s",
  describe: "How long a new record may be missing from the target's lists",
} as const satisfies Flag;

/** Parses the value of `--consistency-wait` and returns milliseconds. @throws StackferryError `usage` */
export function parseConsistencyWait(text: string): number {
  const consistencyWaitMs = parseDuration(text);
  if (consistencyWaitMs === undefined)
    throw new StackferryError("usage", "--consistency-wait needs a duration, for instance 10s");
  return consistencyWaitMs;
}

export const stackArguments = {
  array: true,
  completes: "stacks",
  describe: `STACK: ${STACK}`,
} as const satisfies Flag;

/** The key that the signature of an archive is verified with. */
export const signer = {
  describe: "Refuse the archive unless this public key (PEM file) verifies its signature",
} as const satisfies Flag;

/** A repository of backups, as an argument or the value of a flag. */
export const repositoryArgument = {
  demandOption: true,
  completes: "repositories",
  describe: "REPO: a folder, s3://… or a configured name",
} as const satisfies Flag;

/** `--stack`, which selects stacks of a repository. */
export const ofStack = {
  array: true,
  completes: "stacks",
  describe: "Only backups of this stack, repeatable",
} as const satisfies Flag;

export const archiveArgument = {
  demandOption: true,
  describe: "Archive: a zip file, a folder, s3://…, or a backup: REPO/STACK[@TIME]",
} as const satisfies Flag;

export const recipientFlag = {
  array: true,
  describe: "Encrypt for this age public key (age1…), repeatable",
} as const satisfies Flag;

export const signFlag = {
  describe: "Sign with the Ed25519 private key (PEM) in this file",
} as const satisfies Flag;

export const selectionFlags = {
  kinds: { completes: "kinds", describe: "Only these kinds, separated by commas: dashboards,alerts" },
  include: { array: true, describe: "Only records of this name or id (* and ? allowed); repeatable" },
  exclude: { array: true, describe: "Leave out records of this name or id (* and ? allowed); repeatable" },
} as const satisfies Flags;

/** Selection flags that also decide whether the alerts on a record are included. */
export const selectionFlagsWithAlerts = {
  ...selectionFlags,
  include: {
    ...selectionFlags.include,
    describe: "Only records of this name or id (* and ? allowed), and the alerts on them; repeatable",
  },
  only: {
    array: true,
    describe: "Only records of this name or id (* and ? allowed), not the alerts on them; repeatable",
  },
} as const satisfies Flags;

export interface Selection {
  /** Names of kinds, not yet checked; empty means all. */
  readonly kinds: readonly string[];
  readonly filter: {
    readonly include: readonly string[];
    readonly only?: readonly string[];
    readonly exclude: readonly string[];
  };
}

export function selection({
  kinds,
  include,
  only = [],
  exclude,
}: Arguments<typeof selectionFlags> & { readonly only?: readonly string[] }): Selection {
  return { kinds: kindsOf(kinds), filter: { include, ...(only.length > 0 && { only }), exclude } };
}

/** Splits the value of `--kinds`. */
export function kindsOf(list = ""): string[] {
  return list.split(",").flatMap((name) => name.trim() || []);
}

const count = (describe: string) => ({ describe }) as const;

/** Flags that set which backups to keep, with the meaning that they have in restic. */
export const retentionFlags = {
  "keep-last": count("Keep the N newest backups of each stack (or: all)"),
  "keep-hourly": count("Keep the newest backup in each of the last N hours that have one (UTC)"),
  "keep-daily": count("Keep the newest backup in each of the last N days that have one (UTC)"),
  "keep-weekly": count("Keep the newest backup in each of the last N weeks that have one (ISO, from Monday, UTC)"),
  "keep-monthly": count("Keep the newest backup in each of the last N months that have one (UTC)"),
  "keep-yearly": count("Keep the newest backup in each of the last N years that have one (UTC)"),
  "keep-within": count(
    "Keep backups made within this time before the newest one, for instance 7d or 1y5m7d2h (m: months)",
  ),
} as const satisfies Flags;

/** Returns the retention policy that the flags give. @throws StackferryError `usage` */
export function retentionPolicy(args: Arguments<typeof retentionFlags>): RetentionPolicy {
  const counts = (["Last", "Hourly", "Daily", "Weekly", "Monthly", "Yearly"] as const).flatMap((name) => {
    const text = args[`keep${name}`];
    const reason = name.toLowerCase();
    return text === undefined ? [] : [[reason, countOf(text, `--keep-${reason}`)] as const];
  });
  const text = args.keepWithin;
  const within = text === undefined ? undefined : parseCalendarSpan(text);
  if (text !== undefined && within === undefined) {
    throw new StackferryError("usage", "--keep-within needs years, months, days or hours, for instance 1y5m7d2h");
  }
  const policy = { ...Object.fromEntries(counts), ...(within !== undefined && { within }) };
  if (Object.keys(policy).length > 0 && isEmptyPolicy(policy)) {
    throw new StackferryError("usage", "the --keep-… flags keep nothing: 0 keeps none", {
      hint: "give one of them a number above 0, or omit them all to use the rules of the configuration",
    });
  }
  return policy;
}

function countOf(text: string, flag: string): Count {
  if (text === "all" || text === "unlimited") return "all";
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new StackferryError("usage", `${flag} needs a number, or all`);
}

/** Parses the whole number of a flag; undefined if the flag is not given. @throws StackferryError `usage` */
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
