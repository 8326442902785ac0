import type { JournalEntry, JournalSubject, JournalWrite } from "../../core/plan/journal.ts";
import type { KindName, RecordKey } from "../../core/records/record.ts";

/** One write of an import, from its intent to its end. `open`: no end is written down, the process died or the answer was lost. */
export interface WriteModel {
  readonly write: JournalWrite;
  readonly at: string;
  readonly result: "done" | "refused" | "open" | "vanished";
  /** Between intent and end; undefined for an open one. */
  readonly tookMs?: number;
  readonly code?: string;
}

/** What an import did to one record. */
export interface JournaledModel {
  readonly key: RecordKey;
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  readonly targetId: string;
  readonly writes: readonly WriteModel[];
}

/** A journal, read for people. */
export interface JournalModel {
  readonly subject: JournalSubject | undefined;
  readonly begunAt: string;
  readonly lastAt: string;
  /** How each run ended, in order. */
  readonly ends: readonly { readonly at: string; readonly result: string }[];
  readonly records: readonly JournaledModel[];
}

interface Draft {
  name: string;
  targetId: string;
  readonly writes: WriteModel[];
}

/** Reads the entries of a journal: who was written, in the order of the first write. */
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
  // Nothing was written of these: a later line says so of what has vanished.
  if (entry.type === "endangered" || entry.type === "found") return;
  const draft: Draft = drafts.get(entry.key) ?? { name: "", targetId: "", writes: [] };
  drafts.set(entry.key, draft);
  if (entry.type === "intent") {
    draft.name = entry.name;
    draft.targetId = entry.targetId ?? draft.targetId;
    draft.writes.push({ write: entry.write, at: entry.at, result: "open" });
    return;
  }
  if (entry.type === "vanished") {
    draft.name = entry.name;
    draft.writes.push({ write: "delete", at: entry.at, result: "vanished" });
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
