import type { JournalEntry, JournalSubject, JournalWrite } from "../../core/plan/journal.ts";
import type { KindName, RecordKey } from "../../core/records/record.ts";

/**
 * One write of an import, from its intent to its result. The result `open` means that the journal has no result, because the
 * process died or the response was lost.
 */
export interface WriteModel {
  readonly write: JournalWrite;
  readonly at: string;
  readonly result: "done" | "refused" | "open" | "cascade-loss";
  /** Time from intent to end; undefined for an open write. */
  readonly tookMs?: number;
  readonly code?: string;
}

/** The writes of an import to one record. */
export interface JournaledModel {
  readonly key: RecordKey;
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly targetId: string;
  readonly writes: readonly WriteModel[];
}

/** A journal, prepared for display. */
export interface JournalModel {
  readonly subject: JournalSubject | undefined;
  readonly begunAt: string;
  readonly lastAt: string;
  /** The end of each run, in order. */
  readonly ends: readonly { readonly at: string; readonly result: string }[];
  readonly records: readonly JournaledModel[];
}

interface Draft {
  name: string;
  targetId: string;
  readonly writes: WriteModel[];
}

/** Reads the entries of a journal. Records are in the order of their first write. */
export function readJournal(entries: readonly JournalEntry[]): JournalModel {
  const drafts = new Map<RecordKey, Draft>();
  for (const entry of entries) follow(drafts, entry);
  const [first] = entries;
  return {
    subject: first?.type === "begin" ? first.subject : undefined,
    begunAt: first?.at ?? "",
    lastAt: entries.at(-1)?.at ?? "",
    ends: entries.flatMap((entry) => (entry.type === "end" ? [{ at: entry.at, result: entry.result }] : [])),
    records: [...drafts].map(([key, draft]) => {
      const slash = key.indexOf("/");
      return { key, kind: key.slice(0, slash), id: key.slice(slash + 1), ...draft };
    }),
  };
}

function follow(drafts: Map<RecordKey, Draft>, entry: JournalEntry): void {
  if (entry.type === "begin" || entry.type === "end" || entry.type === "rollback") return;
  // These entries are not writes: they name a record that may be lost, or one that was found again. A loss has an entry of its own.
  if (entry.type === "at-risk" || entry.type === "found") return;
  const draft: Draft = drafts.get(entry.key) ?? { name: "", targetId: "", writes: [] };
  drafts.set(entry.key, draft);
  if (entry.type === "intent") {
    draft.name = entry.name;
    draft.targetId = entry.targetId ?? draft.targetId;
    draft.writes.push({ write: entry.write, at: entry.at, result: "open" });
    return;
  }
  if (entry.type === "cascade-loss") {
    draft.name = entry.name;
    draft.writes.push({ write: "delete", at: entry.at, result: "cascade-loss" });
    return;
  }
  const index = draft.writes.findLastIndex(({ write, result }) => write === entry.write && result === "open");
  const begun = draft.writes[index];
  const ended: WriteModel = {
    write: entry.write,
    at: begun?.at ?? entry.at,
    result: entry.type,
    ...(begun && { tookMs: Date.parse(entry.at) - Date.parse(begun.at) }),
    ...(entry.type === "refused" && { code: entry.code }),
  };
  if (begun === undefined) draft.writes.push(ended);
  else draft.writes[index] = ended;
  if (entry.type === "done") draft.targetId = entry.targetId;
}
