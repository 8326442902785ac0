/**
 * What mutation testing looks at: the code that decides about loss, doubling and secrets. One row per room, with the
 * globs of its files and the names of the end-to-end tests that judge it beside all unit, contract and behaviour tests.
 * `npm run mutation -- --room NAME` takes one row, without `--room` every row is run in turn.
 */
export const rooms: Readonly<Record<string, { readonly mutate: readonly string[]; readonly e2e: readonly string[] }>> =
  {
    journal: { mutate: ["src/journal/*.ts", "src/import/read/*.ts", "src/core/journal.ts"], e2e: ["resume-rollback"] },
    plan: { mutate: ["src/import/plan/*.ts"], e2e: ["main-job", "update-keeps-alerts"] },
    apply: { mutate: ["src/import/apply/*.ts"], e2e: ["main-job", "resume-rollback"] },
    references: {
      mutate: ["src/references/*.ts", "src/core/{id-map,member-path}.ts"],
      e2e: ["main-job", "round-trip"],
    },
    matching: { mutate: ["src/matching/*.ts"], e2e: ["main-job", "round-trip"] },
    rollback: { mutate: ["src/rollback/*.ts"], e2e: ["resume-rollback"] },
    backup: { mutate: ["src/backup/*.ts"], e2e: ["backup"] },
    redaction: {
      mutate: ["src/redaction/*.ts", "src/export/credential-check.ts"],
      e2e: ["redaction"],
    },
    archive: { mutate: ["src/archive/**/*.ts"], e2e: ["encrypted-archives", "hostile-archive"] },
  };
