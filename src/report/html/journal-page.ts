import type { JournalEntry, JournalSubject, JournalWrite } from "../../core/plan/journal.ts";
import { html, type Html } from "./html.ts";
import { createFacet, createKindFacet, stateSummary, renderPage } from "./page.ts";
import {
  addressInWords,
  codeText,
  factList,
  metadataDetails,
  minuteText,
  shortAddressOf,
  recordItem,
  htmlTable,
  timeText,
} from "./parts.ts";
import { outcomeSections, outcomeSentences } from "./outcomes.ts";
import { groupByOutcome, stateWord, titleCounts } from "../view/outcomes.ts";
import { getOrMake } from "../../core/collections.ts";
import { splitKey, type KindName, type RecordKey } from "../../core/records/record.ts";

export interface JournalReport {
  readonly path: string;
  readonly entries: readonly JournalEntry[];
  readonly madeBy: string;
}

const ENDS: Readonly<Record<string, string>> = {
  complete: "complete",
  incomplete: "incomplete: some records failed or were blocked",
  stopped: "stopped before its end",
};

/** Renders an import's journal as one HTML page: the writes, their times and their results. */
export function journalPage({ path, entries, madeBy }: JournalReport): string {
  const [first] = entries;
  const subject = first?.type === "begin" ? first.subject : undefined;
  const groups = groupByOutcome(
    writtenRecords(entries).map((record) => ({
      ...record,
      state: stateOf(record),
      code: record.writes.at(-1)?.code ?? "",
    })),
  );
  const items = groups.flatMap((group) => group.items);
  const states = items.map(({ state }) => state);
  return renderPage({
    eyebrow: "Journal of an import",
    title:
      subject === undefined
        ? "An empty journal"
        : `Journal of an import into ${shortAddressOf(subject.target)}: ${titleCounts(groups, "done")}`,
    lead: html`<p class="outcome">${outcomeSentences(groups, "done")}</p>
      ${stateSummary(states)}${metadataOf(path, entries, subject)}
      <p class="soft">
        A journal holds what was written. Records that were skipped, unchanged or blocked left no trace in it: the
        report of the import tells of those.
      </p>`,
    facets: [createKindFacet(items.map(({ kind }) => kind)), createFacet("state", "Outcomes", states, stateWord)],
    sections: outcomeSections(groups, "done", itemOf),
    madeBy,
  });
}

function metadataOf(path: string, entries: readonly JournalEntry[], subject: JournalSubject | undefined): Html {
  const begunAt = entries[0]?.at ?? "";
  const ends = entries.flatMap((entry) => (entry.type === "end" ? [entry.result] : []));
  const last = ends.at(-1);
  return metadataDetails(`Begun ${minuteText(begunAt)}`, [
    ["Journal", path],
    ["Target", subject && addressInWords(subject.target)],
    ["Begun", timeText(begunAt)],
    ["Last entry", timeText(entries.at(-1)?.at ?? "")],
    ["Runs", ends.length > 1 && `${ends.length} ended`],
    ["Ended", last === undefined ? "no run has ended" : (ENDS[last] ?? last)],
    ["Archive", codeText(subject?.contentDigest)],
    ["Name prefix", subject?.namePrefix],
    ["Tags", subject?.tags.join(", ")],
  ]);
}

const STATES: Readonly<Record<WriteModel["write"], string>> = {
  create: "created",
  update: "updated",
  link: "updated",
  remove: "deleted",
  delete: "deleted",
  restore: "put back",
};

/** The last write decides the state, but a created record stays "created" when its deferred links are added later. */
function stateOf({ writes }: WrittenRecord): string {
  const last = writes.at(-1);
  if (last === undefined) return "open";
  if (last.result !== "done") return last.result;
  const created = writes.some(({ write, result }) => write === "create" && result === "done");
  return last.write === "link" && created ? "created" : STATES[last.write];
}

function itemOf({ kind, id, name, targetId, writes, state }: WrittenRecord & { readonly state: string }): Html {
  const rows = writes.map(({ at, write, result, tookMs, code }) => [
    at,
    write,
    code === undefined ? (result === "open" ? "no end recorded" : result) : `${result}: ${code}`,
    tookMs === undefined ? "" : `${tookMs} ms`,
  ]);
  return recordItem({
    kind,
    id,
    name,
    state,
    about: timeText(writes[0]?.at ?? ""),
    searchTexts: [targetId],
    content: html`${factList([
      ["In the archive", codeText(id)],
      ["On the target", codeText(targetId)],
    ])}${htmlTable(`Writes of ${name || id}`, ["When", "Write", "Result", "Took"], rows)}`,
  });
}

/**
 * One write of an import, from its intent to its result. The result `open` means that the journal has no result, because the
 * process died or the response was lost.
 */
interface WriteModel {
  readonly write: JournalWrite;
  readonly at: string;
  readonly result: "done" | "refused" | "open" | "cascade-loss";
  /** Time from intent to end; undefined for an open write. */
  readonly tookMs?: number;
  readonly code?: string;
}

interface WrittenRecord {
  readonly kind: KindName;
  readonly id: string;
  name: string;
  targetId: string;
  readonly writes: WriteModel[];
}

/** Reads the entries of a journal. Records are in the order of their first write. */
function writtenRecords(entries: readonly JournalEntry[]): readonly WrittenRecord[] {
  const records = new Map<RecordKey, WrittenRecord>();
  for (const entry of entries) follow(records, entry);
  return [...records.values()];
}

function follow(records: Map<RecordKey, WrittenRecord>, entry: JournalEntry): void {
  if (entry.type === "begin" || entry.type === "end" || entry.type === "rollback") return;
  // These entries are not writes: they name a record that may be lost, or one that was found again. A proven loss has another type
  // of entry, which the page shows.
  if (entry.type === "at-risk" || entry.type === "found") return;
  const [kind, id] = splitKey(entry.key);
  const draft = getOrMake(records, entry.key, (): WrittenRecord => ({ kind, id, name: "", targetId: "", writes: [] }));
  if (entry.type === "intent") {
    draft.name = entry.name;
    draft.targetId = entry.targetId ?? draft.targetId;
    draft.writes.push({ write: entry.write, at: entry.at, result: "open" });
    return;
  }
  if ("body" in entry) {
    draft.name = entry.name;
    draft.writes.push({ write: "delete", at: entry.at, result: "cascade-loss" });
    return;
  }
  const { write, at, type: result } = entry;
  const begun = draft.writes.findLast((each) => each.write === write && each.result === "open");
  const tookMs = begun && Date.parse(at) - Date.parse(begun.at);
  const code = entry.type === "refused" ? entry.code : undefined;
  if (begun === undefined) draft.writes.push({ write, at, result, code });
  else Object.assign(begun, { result, tookMs, code });
  if (entry.type === "done") draft.targetId = entry.targetId;
}
