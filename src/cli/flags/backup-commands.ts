import {
  stackFilterFlag,
  recipientFlag,
  repositoryArgument,
  signFlag,
  signerFlag,
  stacksArgument,
  stackToWriteArgument,
} from "./arguments.ts";
import { selectionFlags } from "./selection.ts";
import { retentionFlags } from "./retention.ts";
import { importFlags, tileFlag } from "./import.ts";
import type { CommandOutline } from "./outline.ts";

/** Default number of stacks to back up at a time. Each stack has its own client and its own limits. */
export const DEFAULT_PARALLEL = 4;

export const backupCommands = {
  backup: {
    describe: "Back up stacks into a repository, and remove old backups",
    positionals: { stack: stacksArgument },
    flags: {
      all: { type: "boolean", describe: "Back up every stack of the configuration" },
      to: { ...repositoryArgument },
      "accept-suspect": {
        advanced: true,
        type: "boolean",
        describe: "Accept this backup as good, although it holds much less, is of another stack, or is for other keys",
      },
      "if-changed": {
        type: "boolean",
        describe: "Store nothing if the newest backup is undamaged and has the same content",
      },
      shard: {
        advanced: true,
        describe: "With --all: back up one of N groups of stacks: 0/10, 1/10, … 9/10",
      },
      parallel: {
        advanced: true,
        describe: `How many stacks to back up at a time (default: ${DEFAULT_PARALLEL})`,
      },
      ...retentionFlags,
      recipient: recipientFlag,
      sign: signFlag,
      "plain-text": {
        type: "boolean",
        describe: "Store plain text, even if the repository's other backups are encrypted",
      },
    },
    examples: [
      ["backup production --to /var/backups/stacks", "one more backup, under /var/backups/stacks/production"],
      [
        "backup --all --to s3://backups/stacks --if-changed --keep-daily 7 --keep-weekly 8",
        "for a scheduler: store a backup only if the stack changed, and prune",
      ],
      [
        "backup production --to offsite --accept-suspect",
        "accept a small backup, because most records were deleted on purpose",
      ],
      ["backup --all --shard 3/10 --to offsite", "back up one of ten groups of stacks"],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  },
  list: {
    describe: "Show the backups in a repository, by their entries; `check` reads the backups themselves",
    positionals: { repository: repositoryArgument },
    flags: {
      stack: stackFilterFlag,
      include: {
        array: true,
        describe: "Show which backups have a record of this name or id (* and ? allowed); repeatable",
      },
    },
    examples: [
      ["list /var/backups/stacks", "every backup by stack, the newest first, and which are suspect"],
      ['list /var/backups/stacks --include "Checkout"', "the first and the last backup that has a dashboard"],
    ],
    exitCodes: [0, 1, 2, 3, 5, 6, 130],
  },
  log: {
    describe: "Show what changed on a stack between its backups",
    positionals: {
      backups: {
        demandOption: true,
        completes: "backups",
        describe: "REPO/STACK, or REPO/STACK@TIME for its history up to that time (UTC)",
      },
    },
    flags: {
      ...selectionFlags,
      since: {
        describe: "Only backups since this time (UTC): 2026-11-20, yesterday, or 7d for seven days ago",
      },
      patch: {
        type: "boolean",
        describe: "Show whole values, not only their first 40 characters",
      },
      git: {
        writes: true,
        describe: "Write each backup as a commit of code files into this git repository; a later run adds the new ones",
      },
    },
    examples: [
      ["log /var/backups/stacks/production", "what changed between the backups, the newest first"],
      [
        'log offsite/production --include "Checkout" --patch',
        "the changes of one dashboard, under all names that it has had",
      ],
      ["log offsite/production --kinds alerts --since 7d", "alerts that were added, removed or changed in seven days"],
      ["log offsite/production --git ./history", "the history as commits, for git log, git blame and every viewer"],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  },
  restore: {
    describe: "Import a backup from a repository onto a live stack",
    positionals: {
      backup: {
        demandOption: true,
        completes: "backups",
        describe: "REPO/STACK, REPO/STACK@latest or REPO/STACK@TIME (UTC)",
      },
    },
    flags: {
      to: stackToWriteArgument,
      signer: {
        ...signerFlag,
        advanced: true,
        describe: "Refuse the backup unless this public key (PEM file) verifies its signature",
      },
      ...importFlags,
      tile: tileFlag,
    },
    examples: [
      [
        "restore /var/backups/stacks/production --to production --dry-run",
        "show what the newest good backup would bring back",
      ],
      ["restore s3://backups/stacks/production@2026-11-20 --to staging", "as it was at the end of that day"],
      [
        "restore /var/backups/stacks/production --to staging --mirror",
        "also delete records of earlier restores that this backup lacks",
      ],
      [
        'restore /var/backups/stacks/production@2026-11-20 --to production --include "Checkout" --tile "Errors" --dry-run',
        "one tile as it was on that day",
      ],
      [
        "restore offsite/production@20261120T041500Z --to production --yes",
        "the backup of that time, or the last one before it",
      ],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  },
  prune: {
    describe: "Remove backups that no retention rule keeps",
    positionals: { repository: repositoryArgument },
    flags: {
      ...retentionFlags,
      stack: stackFilterFlag,
      "dry-run": { type: "boolean", describe: "Show what would be removed, and why the others stay" },
      yes: { type: "boolean", describe: "Do not ask before removing; required without a terminal" },
    },
    examples: [
      ["prune /var/backups/stacks --keep-daily 7 --keep-monthly 12 --dry-run", "what would go, and why the rest stays"],
      ["prune s3://backups/stacks --keep-within 30d --yes", "remove what is more than 30 days older than the newest"],
    ],
    exitCodes: [0, 1, 2, 3, 5, 6, 130],
  },
  check: {
    describe: "Check that the backups in a repository are undamaged and recent",
    positionals: { repository: repositoryArgument },
    flags: {
      subset: { describe: "Read the newest backups and this share of the others, for instance 5%" },
      all: { type: "boolean", describe: "Require a backup of every configured stack" },
      newest: { type: "boolean", describe: "Read only the newest backup of each stack" },
      "max-age": {
        describe: "Exit 3 if the newest good backup of a stack is older than this, for instance 26h",
      },
      stack: { ...stackFilterFlag, describe: "Only this stack, which must have a backup" },
      "accept-suspect": {
        type: "boolean",
        describe: "With --stack: mark its newest backup as good, although it is suspect",
      },
      signer: { ...signerFlag, describe: "Count only backups whose signature this public key (PEM file) verifies" },
      "restore-test": {
        type: "boolean",
        describe: "Restore the newest good backup of each stack onto a sandbox on this machine",
      },
    },
    examples: [
      ["check /var/backups/stacks --all --newest --max-age 26h", "for a monitor: damaged, suspect or too old?"],
      ["check s3://backups/stacks --subset 5%", "read 5% of the older backups in each run, and so all of them in time"],
      ["check offsite --restore-test", "prove that the newest ones can be restored"],
      [
        "check offsite --stack production --newest --accept-suspect",
        "accept a small backup, because most records were deleted on purpose",
      ],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  },
} as const satisfies Readonly<Record<string, CommandOutline>>;
