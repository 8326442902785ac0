import { StackferryError } from "../../core/errors.ts";
import type { RecordFilter } from "../../core/records/record-filter.ts";
import type { Arguments, Flag, Flags } from "./flag.ts";

const STACK = "a name or an address";

export const stackToReadArgument = {
  demandOption: true,
  completes: "stacks",
  describe: `STACK to read: ${STACK}`,
} as const satisfies Flag;

export const stackToWriteArgument = {
  ...stackToReadArgument,
  describe: `STACK to write: ${STACK}`,
} as const satisfies Flag;

/** `--accept-hidden-loss`, for commands that update records of a stack. */
export const acceptHiddenLossFlag = {
  advanced: true,
  type: "boolean",
  describe: "Also write dashboards with tiles that the API does not show: the write deletes those tiles for good",
} as const satisfies Flag;

/** `--fit-limits`, for commands that write records. docs/limits.md lists every rule by which the flag changes a record. */
export const fitLimitsFlag = {
  advanced: true,
  type: "boolean",
  describe:
    "Shorten or convert records that the API returns but does not accept: long names, tags and texts, wide tiles, filters of other types, metrics without a column, old starts and odd offsets of alerts",
} as const satisfies Flag;

/** `--journals`, for commands that write to a stack. */
export const journalsFlag = {
  writes: true,
  advanced: true,
  describe:
    "Folder of the journals, and of the lock that lets one run at a time write to the stack (default: .stackferry beside the configuration file, else in the working directory)",
} as const satisfies Flag;

/** `--yes`, for commands that ask before they write. */
export const yesFlag = {
  type: "boolean",
  alias: "y",
  describe: "Do not ask before writing; required without a terminal",
} as const satisfies Flag;

export const stacksArgument = {
  array: true,
  completes: "stacks",
  describe: `STACK: ${STACK}`,
} as const satisfies Flag;

export const signerFlag = {
  describe: "Refuse the archive unless this public key (PEM file) verifies its signature",
} as const satisfies Flag;

/** A repository of backups, as an argument or the value of a flag. */
export const repositoryArgument = {
  demandOption: true,
  completes: "repositories",
  describe: "REPO: a folder, s3://… or a configured name",
} as const satisfies Flag;

/** `--stack`, which selects stacks of a repository. */
export const stackFilterFlag = {
  array: true,
  completes: "stacks",
  describe: "Only backups of this stack, repeatable",
} as const satisfies Flag;

export const archiveArgument = {
  demandOption: true,
  describe: "Archive: a zip file, a folder, s3://…, or a backup: REPO/STACK[@TIME]",
} as const satisfies Flag;

/** `--values`, for commands that read code files. */
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

export const selectionFlags = {
  kinds: { completes: "kinds", describe: "Only these kinds, separated by commas: dashboards,alerts" },
  include: { array: true, describe: "Only records of this name or id (* and ? allowed); repeatable" },
  exclude: { array: true, describe: "Leave out records of this name or id; repeatable" },
} as const satisfies Flags;

/** Selection flags that also decide whether the alerts on a record are included. */
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
