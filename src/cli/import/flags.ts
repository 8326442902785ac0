import { namedKinds } from "../../library/steps/selection.ts";
import { mirrorScopes, parseMirror } from "../../import/remove/mirror.ts";
import { checkPlanDigest, type ConflictPolicy } from "../../core/plan/plan.ts";
import type { ImportOptions } from "../../library/options/import-options.ts";
import {
  acceptHiddenLossFlag,
  fitLimitsFlag,
  journalsFlag,
  selectionFlagsWithAlerts,
  splitKinds,
  yesFlag,
  type Arguments,
  type Flag,
  type Flags,
} from "../program/flags.ts";

const policies = ["keep", "merge", "overwrite", "fail"] as const satisfies readonly ConflictPolicy[];

export const importFlags = {
  "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
  "exit-code": {
    advanced: true,
    type: "boolean",
    implies: "dry-run",
    describe: "With --dry-run: exit 10 when something would be written",
  },
  plan: {
    advanced: true,
    describe: "Write only the plan that has these digits, without asking",
  },
  "on-conflict": {
    choices: policies,
    describe: "Changed on the target: keep, merge, overwrite or fail",
  },
  ...selectionFlagsWithAlerts,
  "with-dependencies": {
    advanced: true,
    type: "boolean",
    describe:
      "With --include: also the records that the selected ones refer to (with --create, also sources and webhooks)",
  },
  create: {
    describe: "Also create missing records of these kinds: connections, sources, webhooks, saved-searches, or all",
  },
  map: { describe: "Map file: which record is which on the target, new hosts" },
  "draft-map": { writes: true, describe: "Draft a map file of the records that could not be matched" },
  secrets: { describe: "Secrets file: the secrets that the archive does not have" },
  "draft-secrets": {
    writes: true,
    describe: "Draft a secrets file of the secrets that are missing",
  },
  "name-prefix": { advanced: true, describe: "Put this before every name" },
  "fit-limits": fitLimitsFlag,
  "accept-hidden-loss": acceptHiddenLossFlag,
  report: { writes: true, describe: "Write an HTML page of what is done, and why" },
  markdown: {
    advanced: true,
    type: "boolean",
    describe: "Print it in Markdown, as a comment for a pull request",
  },
  journals: journalsFlag,
  mirror: {
    choices: mirrorScopes,
    bare: "ours",
    describe:
      "Delete what the archive lacks: what imports wrote (ours, the default), or all dashboards and alerts (all)",
  },
  "max-delete": {
    advanced: true,
    describe:
      "With --mirror: the maximum to delete, as a number (required with all) or a share (default: 20%, at least 5)",
  },
  yes: yesFlag,
} as const satisfies Flags;

export const tileFlag = {
  describe: "With --include of one dashboard: only this tile or filter (name or id), with its missing alerts",
} as const satisfies Flag;

export type ImportRequest = Readonly<ReturnType<typeof parseImportFlags>>;

/** @param own the options that only some of the commands have */
export function parseImportFlags(
  args: Arguments<typeof importFlags>,
  own: { readonly tile?: string | undefined } = {},
) {
  checkPlanDigest(args.plan, args.dryRun);
  parseMirror(args);
  return { ...args, options: { ...own, ...libraryOptions(args) } };
}

/** The options are copied one by one, so no other flag reaches the library. */
function libraryOptions(args: Arguments<typeof importFlags>) {
  return {
    dryRun: args.dryRun,
    include: args.include,
    exclude: args.exclude,
    withDependencies: args.withDependencies,
    onConflict: args.onConflict,
    namePrefix: args.namePrefix,
    fitLimits: args.fitLimits,
    acceptHiddenLoss: args.acceptHiddenLoss,
    maxDelete: args.maxDelete,
    kinds: namedKinds(splitKinds(args.kinds)).map(({ name }) => name),
    create: (args.create ?? "none").split(",").map((name) => name.trim()),
    plan: args.plan,
    mirror: args.mirror,
  } satisfies ImportOptions;
}
