/**
 * What mutation testing looks at: the code that decides about loss, doubling and secrets. One row per room, with the
 * globs of its files; `npm run mutation -- --room NAME` takes one row, without `--room` every row is run in turn.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const rooms = {
  journal: [
    "src/journal/*.ts",
    "src/jobs/{journal-state,begin-journal,adopt-open-writes,await-earlier-writes}.ts",
    "src/domain/journal.ts",
  ],
  plan: [
    "src/jobs/{plan-import,decide,is-asked-for,order-writes,reaches,circles,settle,unresolved,wanted-parts}.ts",
    "src/jobs/{block-redacted,endangered-users,lacks-only-links,target-index}.ts",
  ],
  apply: [
    "src/jobs/{import-run,apply-plan,apply-input,write-item,write-bodies,safe-writer,keyed-mutex,settler}.ts",
    "src/jobs/{verify-import,compare-stored,guard-credentials}.ts",
  ],
  references: [
    "src/jobs/{references,resolve-references,known-ids,archive-index,survey-records,archive-links,parts}.ts",
    "src/domain/{id-map,member-path,visit-paths}.ts",
  ],
  matching: ["src/jobs/{match-all,match-lookups,match-records,pair-kind,pair-redacted,manual-matches,stand-ins}.ts"],
  rollback: ["src/jobs/{plan-rollback,apply-rollback}.ts"],
  backup: [
    "src/jobs/{backup-all,backup-stack,backup-status,check-place,choose-stored,examine-stored,newest-good}.ts",
    "src/jobs/{prune-stack,stack-lock,stored-archives,stored-names,verify-archive}.ts",
    "src/domain/retention.ts",
  ],
  redaction: [
    "src/domain/redaction/{credential-gate,create-redactor,redact-declared,redaction-policy,apply-spans}.ts",
    "src/domain/redaction/{placeholder,fill-placeholders,borrow-secrets}.ts",
  ],
  archive: [
    "src/archive/{open-archive,open-file,open-folder,open-zip,read-*,parse-manifest,manifest-*,decode-json}.ts",
    "src/archive/{archive-keys,decrypt-archive,signature,unpack-*,zip-directory,zip-end,entry-path,limits}.ts",
    "src/archive/content-digest.ts",
  ],
};
