/** One room: the globs of its files, and the tests that must kill its mutants. */
export interface Room {
  readonly mutate: readonly string[];
  /** Folders and files of test/unit; files without their endings. */
  readonly unit: readonly string[];
  /**
   * Subjects of test/behaviour, the quickest first: `journal` stands for `journal.test.ts`, for every `journal-*.test.ts`, and for
   * the tests in the folder `journal`.
   */
  readonly behaviour: readonly string[];
  /** Files of test/e2e, without their endings. */
  readonly e2e: readonly string[];
}

/** Subjects about single records of an import: the decision about each, and what is written. */
const RECORDS = ["decision", "matching", "writes", "languages", "later-runs", "secrets/answers"];

/**
 * The code that mutation testing covers, because it decides about loss, duplicates and secrets. `npm run mutation -- --room
 * NAME` runs one room; without `--room`, all rooms run in turn.
 */
export const rooms: Readonly<Record<string, Room>> = {
  journal: {
    mutate: ["src/journal/*.ts", "src/import/read/*.ts"],
    unit: ["journal", "import"],
    behaviour: ["journal", ...RECORDS, "rollback", "secrets", "mirror"],
    e2e: [],
  },
  plan: {
    mutate: ["src/import/plan/**/*.ts"],
    unit: ["import", "references"],
    behaviour: ["bad-files", ...RECORDS, "secrets", "mirror"],
    e2e: ["update-plan"],
  },
  apply: {
    mutate: ["src/import/apply/*.ts"],
    unit: ["import"],
    behaviour: ["writes/validation", "writes/check", ...RECORDS, "secrets/credential-check", "mirror"],
    e2e: [],
  },
  references: {
    mutate: ["src/references/*.ts", "src/core/plan/id-map.ts", "src/core/records/member-path.ts"],
    unit: ["references", "core", "diff", "export"],
    behaviour: [...RECORDS, "diff", "backups/check"],
    e2e: ["update-plan", "dead-references"],
  },
  matching: {
    mutate: ["src/matching/*.ts"],
    unit: ["matching", "import"],
    behaviour: [...RECORDS, "labels", "secrets/names", "access/short-lists", "access/omitted-members"],
    e2e: [],
  },
  rollback: {
    mutate: ["src/rollback/*.ts"],
    unit: ["journal", "matching"],
    behaviour: [
      "rollback",
      "writes/hidden-content",
      "writes/lost-alerts",
      "writes/stopped-updates",
      "writes/alerts-on-tiles",
      "mirror",
      "journal",
      "languages",
    ],
    e2e: [],
  },
  backup: {
    mutate: ["src/backup/**/*.ts"],
    unit: ["backup", "storage"],
    behaviour: ["backups", "access/omitted-members"],
    e2e: ["backup"],
  },
  gate: {
    mutate: ["src/redaction/credentials.ts"],
    unit: ["redaction/credentials"],
    behaviour: ["secrets/credential-check"],
    e2e: [],
  },
  redaction: {
    mutate: ["src/redaction/**/*.ts"],
    unit: ["redaction", "export"],
    behaviour: ["secrets"],
    e2e: ["redaction"],
  },
  archive: {
    mutate: ["src/archive/**/*.ts"],
    unit: ["archive", "export"],
    behaviour: [
      "backups/zip",
      "backups/damaged-archives",
      "backups/check",
      "backups/encrypted",
      "bad-files",
      "code-values",
    ],
    e2e: ["encrypted-archives", "hostile-archive", "exported-dashboard", "code-form"],
  },
  mirror: {
    mutate: ["src/import/remove/*.ts"],
    unit: ["import/remove"],
    behaviour: ["mirror", "rollback"],
    e2e: [],
  },
  base: {
    mutate: ["src/journal/base-changes.ts", "src/references/compare.ts", "src/import/plan/decide/*.ts"],
    unit: ["journal", "references"],
    behaviour: ["decision", "matching/journal", "matching/map-file", "mirror", "writes/restore"],
    e2e: [],
  },
  history: {
    mutate: ["src/history/*.ts"],
    unit: ["diff"],
    behaviour: ["backups/log", "backups/find", "diff"],
    e2e: [],
  },
  transforms: {
    mutate: ["src/import/transforms.ts"],
    unit: ["import/transforms", "import/transform-texts", "diff"],
    behaviour: ["diff", "mirror"],
    e2e: ["transforms"],
  },
};
