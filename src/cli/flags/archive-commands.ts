import {
  acceptHiddenLossFlag,
  archiveArgument,
  journalsFlag,
  fitLimitsFlag,
  recipientFlag,
  signFlag,
  signerFlag,
  stackToReadArgument,
  stackToWriteArgument,
  valuesFileFlag,
} from "./arguments.ts";
import { selectionFlags, selectionFlagsWithAlerts } from "./selection.ts";
import { importFlags, tileFlag } from "./import.ts";
import type { CommandOutline, Flag } from "./outline.ts";

/** Shows a flag in the short help, too. */
function shownAlways<Declared extends Flag>({ advanced: _rare, ...flag }: Declared): Omit<Declared, "advanced"> {
  return flag;
}

const PLACE = "env:NAME or file:PATH, never the value itself";

export const archiveCommands = {
  init: {
    describe: "Ask for a stack and where its key is, try them, and write stackferry.yaml",
    positionals: {},
    flags: {
      out: {
        writes: true,
        describe:
          "File to write (default: the file of --config, or stackferry.yaml); an existing configuration gets one more stack",
      },
      name: { describe: "Name of the stack (default: production)" },
      variant: { choices: ["managed", "self-hosted"], describe: "Which variant of the API" },
      url: {
        describe: "http://HOST:8000, or https://HOST/v1/organizations/ORG/services/SVC",
      },
      add: { type: "boolean", describe: "Add the stack to the configuration that is there; write no new one" },
      "organization-id": { describe: "Organisation of a managed stack, if it is not in the address" },
      "service-id": { describe: "Service of a managed stack, if it is not in the address" },
      "api-key-from": { describe: `Key of a self-hosted stack: ${PLACE}` },
      "key-id-from": { describe: `Id of a managed stack's key: ${PLACE}` },
      "key-secret-from": { describe: `Secret of a managed stack's key: ${PLACE}` },
    },
    examples: [
      ["init", "asks, tries the stack, and writes stackferry.yaml, or adds the stack to it"],
      ["init --variant self-hosted --url http://localhost:8000 --api-key-from env:STACKFERRY_API_KEY", "no questions"],
      ["init --add --name cloud", "adds a second stack, and refuses to begin a new file"],
    ],
    exitCodes: [0, 1, 2, 3, 5, 6, 130],
  },
  export: {
    describe: "Export a live stack into an archive",
    positionals: {},
    flags: {
      from: stackToReadArgument,
      out: {
        writes: true,
        describe: "File, folder or s3://bucket/name.zip to write (default: stackferry-NAME-TIME.zip in this folder)",
      },
      format: {
        choices: ["zip", "folder", "code"],
        describe: "One zip file (default), a folder with the same files, or YAML files to edit and `apply`",
      },
      mirror: { type: "boolean", describe: "With --format code: remove the files of records that are gone" },
      ...selectionFlagsWithAlerts,
      values: {
        advanced: true,
        describe:
          "With --format code: values file for ${value:NAME} in the files, in addition to `values` of the stack",
      },
      pipe: {
        advanced: true,
        array: true,
        describe: "Read the pipe of this id, and no others but those in `pipeIds` of the configuration; repeatable",
      },
      recipient: { ...recipientFlag, describe: `${recipientFlag.describe}; writes NAME.zip.age` },
      sign: signFlag,
      redact: {
        advanced: true,
        choices: ["standard", "strict"],
        describe: "Take out secrets (standard), or also certificates, ARNs and random text (strict)",
      },
      "allow-partial": {
        advanced: true,
        type: "boolean",
        describe: "Write an archive even if something could not be read",
      },
    },
    examples: [
      ["export --from production", "everything, into an archive in this folder"],
      ["export --from http://localhost:8000 --out backup.zip", "the key comes from STACKFERRY_API_KEY"],
      ["export --from production --recipient age1…", "encrypted, so that only the owner of that age key can read it"],
      ["export --from production --format folder --out ./archive", "one file per record, as the stack sent it"],
      ["export --from production --format code --out ./stack", "records by name, to edit and keep in git"],
    ],
    exitCodes: [0, 1, 2, 3, 5, 6, 130],
  },
  inspect: {
    describe: "Show what an archive holds",
    positionals: { archive: archiveArgument },
    flags: {},
    examples: [["inspect backup.zip", "where it came from, what it lacks, and every record in it"]],
    exitCodes: [0, 1, 2, 4, 5, 6, 130],
  },
  verify: {
    describe: "Check every record of an archive against its checksum",
    positionals: { archive: archiveArgument },
    flags: {
      signer: { ...signerFlag, describe: "Also verify its signature with this public key (PEM file)" },
    },
    examples: [
      ["verify backup.zip", "exit 0 when every byte is as it was written, else 4"],
      [
        "verify backup.zip --signer backups.pub",
        "also check the signature backup.zip.sig with that key; exit 4 if it does not match",
      ],
    ],
    exitCodes: [0, 1, 2, 4, 5, 6, 130],
  },
  report: {
    describe: "Draw an archive, or tell the history of a stack, as text or as a page",
    positionals: {
      file: {
        demandOption: true,
        describe: "Archive, backup (REPO/STACK@TIME, REPO/STACK@latest), or REPO/STACK for its history",
      },
    },
    flags: {
      out: { writes: true, describe: "HTML file to write (default: print the report as text)" },
    },
    examples: [
      ["report backup.zip", "every dashboard drawn in characters, every alert in words"],
      ["report backup.zip --out backup.html", "the same as an HTML page"],
      ["report /var/backups/stacks/production --out history.html", "what changed from backup to backup"],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 130],
  },
  import: {
    describe: "Import an archive onto a live stack",
    positionals: { archive: archiveArgument },
    flags: {
      to: stackToWriteArgument,
      signer: { ...signerFlag, advanced: true },
      ...importFlags,
      tile: tileFlag,
    },
    examples: [
      ["import backup.zip --to staging --dry-run", "show what would be done"],
      ["import backup.zip --to staging --dry-run --draft-map map.yaml", "draft a map file of the unmatched records"],
      ["import backup.zip --to staging --map map.yaml --yes", "do it, without asking"],
      ["import backup.zip --to staging --mirror", "also delete records that the backup no longer has"],
      [
        "import backup.zip --to staging --on-conflict merge --dry-run",
        "keep what was changed on staging, tile by tile",
      ],
      ["import offsite/production@2026-11-20 --to staging --dry-run", "import a backup, named as for `restore`"],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  },
  apply: {
    describe: "Change a stack to match files that people edit",
    positionals: {
      path: {
        demandOption: true,
        describe: "Code files (a folder, or one file), or an archive",
      },
    },
    flags: {
      to: stackToWriteArgument,
      ...importFlags,
      "on-conflict": {
        ...importFlags["on-conflict"],
        describe: `${importFlags["on-conflict"].describe} (default: overwrite)`,
      },
      "exit-code": shownAlways(importFlags["exit-code"]),
      plan: shownAlways(importFlags.plan),
      markdown: shownAlways(importFlags.markdown),
      signer: { ...signerFlag, advanced: true },
      values: valuesFileFlag,
    },
    examples: [
      ["export --from production --format code --out ./stack", "first get the files"],
      ["apply ./stack --to production --dry-run", "show every changed field"],
      ["apply ./stack --to production", "show it, ask, and do it"],
      ["apply ./stack --to production --mirror", "also delete records whose file is gone"],
      ["apply ./stack --to production --dry-run --exit-code", "for CI: exit 10 when something would change"],
      ["apply ./stack --to production --dry-run --markdown", "a comment for a pull request"],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  },
  migrate: {
    describe: "Export one stack and import it onto another",
    positionals: {},
    flags: {
      from: stackToReadArgument,
      to: stackToWriteArgument,
      "keep-archive": { writes: true, describe: "Keep the temporary archive at this path" },
      ...importFlags,
    },
    examples: [
      ["migrate --from production --to staging --dry-run", "show what would be done"],
      ["migrate --from production --to staging --keep-archive moved.zip", "migrate, and keep the archive"],
      [
        "migrate --from production --to staging --on-conflict overwrite",
        "overwrite what somebody has edited on staging",
      ],
      [
        "migrate --from production --to staging --on-conflict overwrite --mirror",
        "also delete records that production no longer has",
      ],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 7, 10, 130],
  },
  rollback: {
    describe: "Undo one run of an import on a stack",
    positionals: {},
    flags: {
      to: { ...stackToWriteArgument, describe: "STACK that the import wrote to: a configured name or an address" },
      list: { type: "boolean", describe: "Show the runs on the stack: number, when, from what, what each wrote" },
      run: {
        describe:
          "Number of the run to undo (default: the last import; required without a terminal, but for a dry run)",
      },
      "dry-run": { type: "boolean", describe: "Show the plan and write nothing" },
      force: { type: "boolean", describe: "Also undo records that somebody changed since, or that other records use" },
      report: { writes: true, describe: "Write an HTML page: what the run wrote, and what undoing it does" },
      "fit-limits": fitLimitsFlag,
      "accept-hidden-loss": acceptHiddenLossFlag,
      journals: journalsFlag,
      yes: { type: "boolean", describe: "Do not ask before writing; required without a terminal" },
    },
    examples: [
      ["rollback --to staging --list", "show the runs on the stack"],
      ["rollback --to staging --dry-run", "show what undoing the last import would do"],
      ["rollback --to staging --run 3 --yes", "undo run 3, without asking"],
    ],
    exitCodes: [0, 1, 2, 3, 5, 6, 7, 130],
  },
  diff: {
    describe: "Compare archives and stacks; differences in ids are ignored",
    positionals: {
      left: {
        demandOption: true,
        completes: "stacks",
        describe: "Before: an archive, code files, a backup (REPO/STACK[@TIME]), or STACK",
      },
      right: {
        demandOption: true,
        completes: "stacks",
        describe: "After: an archive, code files, a backup or STACK",
      },
    },
    flags: {
      "exit-code": { type: "boolean", describe: "Exit 10 when there is a difference" },
      ...selectionFlags,
      map: { describe: "Map file: which record on the left is which on the right" },
      "name-prefix": {
        advanced: true,
        describe: "Compare only records with this prefix on the right (--name-prefix of the import)",
      },
      values: { ...valuesFileFlag, advanced: true },
      markdown: { type: "boolean", describe: "Print the comparison in Markdown, for a pull request" },
      report: { writes: true, describe: "Write an HTML page: before and after, drawn side by side" },
    },
    examples: [
      ["diff monday.zip tuesday.zip", "what was changed on Monday"],
      ["diff backup.zip production --exit-code", "exit 10 when production differs from its backup"],
      ["diff ./stack production --exit-code", "exit 10 when production differs from its files"],
      ["diff offsite/production@2026-11-20 production", "what was changed since that day's backup"],
      ['diff backup.zip staging --kinds dashboards --name-prefix "[staging] "', "what was changed in a seeded stack"],
      ["diff production staging --kinds dashboards,alerts", "two stacks; differences in ids are ignored"],
    ],
    exitCodes: [0, 1, 2, 3, 4, 5, 6, 10, 130],
  },
} as const satisfies Readonly<Record<string, CommandOutline>>;
