/** One room: the globs of its files, and the tests that judge it beside those of behaviour. */
export interface Room {
  readonly mutate: readonly string[];
  /** Folders of test/unit. */
  readonly unit: readonly string[];
  /** Files of test/e2e, without their endings. */
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
    e2e: ["resume-rollback"],
  },
  plan: { mutate: ["src/import/plan/*.ts"], unit: ["import", "references"], e2e: [] },
  apply: { mutate: ["src/import/apply/*.ts"], unit: ["import", "journal"], e2e: ["resume-rollback"] },
  references: {
    mutate: ["src/references/*.ts", "src/core/{id-map,member-path}.ts"],
    unit: ["references", "import", "core", "diff"],
    e2e: [],
  },
  matching: { mutate: ["src/matching/*.ts"], unit: ["matching", "import"], e2e: [] },
  rollback: { mutate: ["src/rollback/*.ts"], unit: ["journal", "matching"], e2e: ["resume-rollback"] },
  backup: { mutate: ["src/backup/*.ts"], unit: ["backup", "storage"], e2e: ["backup"] },
  redaction: {
    mutate: ["src/redaction/*.ts", "src/export/credential-check.ts"],
    unit: ["redaction", "export"],
    e2e: ["redaction"],
  },
  archive: {
    mutate: ["src/archive/**/*.ts"],
    unit: ["archive", "export"],
    e2e: ["encrypted-archives", "hostile-archive"],
  },
};
