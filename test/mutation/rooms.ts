/** One room: the globs of its files, and the tests that judge it. */
export interface Room {
  readonly mutate: readonly string[];
  /** Folders and files of test/unit, the files without their endings. */
  readonly unit: readonly string[];
  /** Files of test/behaviour and test/e2e, without their endings, the quickest first. */
  readonly behaviour: readonly string[];
  readonly e2e: readonly string[];
}

/**
 * What mutation testing looks at: the code that decides about loss, doubling and secrets. `npm run mutation -- --room NAME`
 * takes one row, without `--room` every row is run in turn.
 */
export const rooms: Readonly<Record<string, Room>> = {
  journal: {
    mutate: ["src/journal/*.ts", "src/import/read/*.ts", "src/core/journal.ts"],
    unit: ["journal", "import"],
    behaviour: [
      "journal",
      "journal-decisions",
      "journal-state",
      "journal-trust",
      "import-files",
      "create-on-request",
      "fill",
      "later-runs",
      "lost-creates",
      "resume",
      "rollback-decisions",
      "rollback-runs",
    ],
    e2e: [],
  },
  plan: {
    mutate: ["src/import/plan/**/*.ts"],
    unit: ["import", "references"],
    behaviour: [
      "plan-decisions",
      "matching",
      "links",
      "remapping",
      "outcome-codes",
      "fill",
      "later-runs",
      "lost-creates",
      "update-own-stack",
      "create-on-request",
      "equal-ids",
      "unverified-ids",
      "vanished-alerts",
    ],
    e2e: ["update-plan"],
  },
  apply: {
    mutate: ["src/import/apply/*.ts"],
    unit: ["import"],
    behaviour: [
      "apply-decisions",
      "probing",
      "interrupted",
      "lost-creates",
      "links",
      "verify-after-import",
      "outcome-codes",
      "remapping",
      "update-own-stack",
      "create-on-request",
      "equal-ids",
      "unverified-ids",
      "vanished-alerts",
    ],
    e2e: [],
  },
  references: {
    mutate: ["src/references/*.ts", "src/core/importing/id-map.ts", "src/core/records/member-path.ts"],
    unit: ["references", "core"],
    behaviour: ["remapping", "links", "references-in-text", "outcome-codes", "fill", "diff", "matching", "check"],
    e2e: ["update-plan"],
  },
  matching: {
    mutate: ["src/matching/*.ts"],
    unit: ["matching", "import"],
    behaviour: [
      "matching",
      "matching-rules",
      "matching-decisions",
      "import-files",
      "labels",
      "plan-decisions",
      "outcome-codes",
      "fill",
      "placeholder-likeness",
      "remapping",
      "links",
      "lists",
      "later-runs",
      "lost-creates",
      "update-own-stack",
      "create-on-request",
      "equal-ids",
    ],
    e2e: [],
  },
  rollback: {
    mutate: ["src/rollback/*.ts"],
    unit: ["journal", "matching"],
    behaviour: [
      "rollback-decisions",
      "rollback-looks",
      "rollback-stops",
      "rollback-order",
      "bring-back",
      "mirror",
      "vanished-alerts",
      "rollback-guards",
      "rollback-runs",
      "rollback",
      "outcome-codes",
    ],
    e2e: [],
  },
  backup: {
    mutate: ["src/backup/**/*.ts"],
    unit: ["backup", "storage"],
    behaviour: ["backup", "backup-decisions", "check", "suspect-backups", "hostile-repository"],
    e2e: ["backup"],
  },
  gate: {
    mutate: ["src/export/credential-check.ts", "src/redaction/{credential-check,declared,literal-search}.ts"],
    unit: ["redaction/credential-check", "redaction/declared", "redaction/literal-search"],
    behaviour: ["credential-check", "ids-with-credentials"],
    e2e: [],
  },
  redaction: {
    mutate: ["src/redaction/**/*.ts", "src/export/credential-check.ts"],
    unit: ["redaction", "export"],
    behaviour: ["credential-check", "fill", "placeholder-likeness", "secret-or-word"],
    e2e: ["redaction"],
  },
  archive: {
    mutate: ["src/archive/**/*.ts"],
    unit: ["archive", "export"],
    behaviour: ["damaged-archives", "check"],
    e2e: ["encrypted-archives", "hostile-archive"],
  },
  mirror: {
    mutate: ["src/import/remove/*.ts"],
    unit: ["import/max-delete"],
    behaviour: ["mirror-decisions", "mirror-stops", "mirror", "rollback-looks", "rollback-order", "mirror-command"],
    e2e: [],
  },
  memory: {
    mutate: [
      "src/journal/memory/*.ts",
      "src/matching/remembered.ts",
      "src/import/plan/decide/decide-remembered.ts",
      "src/import/apply/remember.ts",
    ],
    unit: ["journal/state-file", "import/remember-journal"],
    behaviour: ["memory-decisions", "memory", "mirror", "state-file"],
    e2e: [],
  },
  transforms: {
    mutate: ["src/import/transform/*.ts", "src/core/importing/transforms.ts"],
    unit: ["import/transform", "import/transform-records", "diff"],
    behaviour: ["mirror"],
    e2e: ["transforms"],
  },
};
