/**
 * What mutation testing looks at: the code that decides about loss, doubling and secrets. One row per room, with the
 * globs of its files and the names of the end-to-end tests that judge it beside all unit, contract and behaviour tests.
 * `npm run mutation -- --room NAME` takes one row, without `--room` every row is run in turn.
 */
export const rooms: Readonly<Record<string, { readonly mutate: readonly string[]; readonly e2e: readonly string[] }>> =
  {
    journal: {
      mutate: [
        "src/journal/*.ts",
        "src/jobs/{journal-state,begin-journal,adopt-open-writes,await-earlier-writes}.ts",
        "src/domain/journal.ts",
      ],
      e2e: ["resume-rollback"],
    },
    plan: {
      mutate: [
        "src/jobs/{plan-import,decide,is-asked-for,order-writes,reaches,circles,settle,unresolved,wanted-parts}.ts",
        "src/jobs/{block-redacted,endangered-users,lacks-only-links,target-index}.ts",
      ],
      e2e: ["main-job", "update-keeps-alerts"],
    },
    apply: {
      mutate: [
        "src/jobs/{import-run,apply-plan,apply-input,write-item,write-bodies,safe-writer,keyed-mutex,settler}.ts",
        "src/jobs/{verify-import,compare-stored,guard-credentials}.ts",
      ],
      e2e: ["main-job", "resume-rollback"],
    },
    references: {
      mutate: [
        "src/jobs/{references,resolve-references,known-ids,archive-index,survey-records,archive-links,parts}.ts",
        "src/domain/{id-map,member-path,visit-paths}.ts",
      ],
      e2e: ["main-job", "round-trip"],
    },
    matching: {
      mutate: ["src/jobs/{match-all,match-lookups,match-records,pair-kind,pair-redacted,manual-matches,stand-ins}.ts"],
      e2e: ["main-job", "round-trip"],
    },
    rollback: {
      mutate: ["src/jobs/{plan-rollback,apply-rollback}.ts"],
      e2e: ["resume-rollback"],
    },
    backup: {
      mutate: [
        "src/jobs/{backup-all,backup-stack,backup-status,check-place,choose-stored,examine-stored,newest-good}.ts",
        "src/jobs/{prune-stack,stack-lock,stored-archives,stored-names,verify-archive}.ts",
        "src/domain/retention.ts",
      ],
      e2e: ["backup"],
    },
    redaction: {
      mutate: [
        "src/domain/redaction/{credential-gate,create-redactor,redact-declared,redaction-policy,apply-spans}.ts",
        "src/domain/redaction/{placeholder,fill-placeholders,borrow-secrets}.ts",
      ],
      e2e: ["redaction"],
    },
    archive: {
      mutate: [
        "src/archive/{open-archive,open-file,open-folder,open-zip,read-*,parse-manifest,manifest-*,decode-json}.ts",
        "src/archive/{archive-keys,decrypt-archive,signature,unpack-*,zip-directory,zip-end,entry-path,limits}.ts",
        "src/archive/content-digest.ts",
      ],
      e2e: ["encrypted-archives", "hostile-archive"],
    },
  };
