import type { JournalEntry } from "../../core/plan/journal.ts";
import type { Html } from "./html.ts";
import { html } from "./html.ts";
import type { JournalModel, JournaledModel, WriteModel } from "../model/journal.ts";
import { readJournal } from "../model/journal.ts";
import { facetOf, kindFacet, stateGlance, renderPage } from "./page.ts";
import { addressOf, badge, facts, metadata, minuteText, shortAddressOf, table, timeText, recordItem } from "./parts.ts";
import { outcomeSections, outcomeSentences } from "./outcomes.ts";
import { byOutcome, stateWord, titleCounts } from "../view/outcomes.ts";

/** The content of a journal page. */
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
  const journal = readJournal(entries);
  const { subject, records } = journal;
  const items = byOutcome(
    records.map((record) => ({
      kind: record.kind,
      state: stateOf(record),
      code: record.writes.at(-1)?.code ?? "",
      record,
    })),
  );
  return renderPage({
    eyebrow: "Journal of an import",
    title:
      subject === undefined
        ? "An empty journal"
        : `Journal of an import into ${shortAddressOf(subject.target)}: ${titleCounts(items, "done")}`,
    lead: html`<p class="outcome">${outcomeSentences(items, "done")}</p>
      ${stateGlance(items.map(({ state }) => state))}${metadataOf(path, journal)}
      <p class="soft">
        A journal holds what was written. Records that were skipped, unchanged or blocked left no trace in it: the
        report of the import tells of those.
      </p>`,
    facets: [
      kindFacet(records.map(({ kind }) => kind)),
      facetOf(
        "state",
        "Outcomes",
        items.map(({ state }) => state),
        stateWord,
      ),
    ],
    sections: outcomeSections(items, "done", { itemOf: ({ record }) => itemOf(record) }),
    madeBy,
  });
}

function metadataOf(path: string, { subject, begunAt, lastAt, ends }: JournalModel): Html {
  const last = ends.at(-1);
  return metadata(`Begun ${minuteText(begunAt)}`, [
    ["Journal", path],
    ["Target", subject && addressOf(subject.target)],
    ["Begun", timeText(begunAt)],
    ["Last entry", timeText(lastAt)],
    ["Runs", ends.length > 1 && `${ends.length} ended`],
    ["Ended", last === undefined ? "no run has ended" : (ENDS[last.result] ?? last.result)],
    ["Archive", subject && html`<code>${subject.contentDigest}</code>`],
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

/**
 * Returns the state of a record, which is that of its last write. A created record keeps the state "created" when its deferred
 * links are added later.
 */
function stateOf({ writes }: JournaledModel): string {
  const last = writes.at(-1);
  if (last === undefined) return "open";
  if (last.result !== "done") return last.result;
  const created = writes.some(({ write, result }) => write === "create" && result === "done");
  return last.write === "link" && created ? "created" : STATES[last.write];
}

function itemOf(record: JournaledModel): Html {
  const { kind, id, name, targetId, writes } = record;
  const rows = writes.map(({ at, write, result, tookMs, code }) => [
    at,
    write,
    code === undefined ? (result === "open" ? "no end written down" : result) : `${result}: ${code}`,
    tookMs === undefined ? "" : `${tookMs} ms`,
  ]);
  return recordItem({
    kind,
    id,
    name,
    state: stateOf(record),
    badge: badge(stateOf(record)),
    about: timeText(writes[0]?.at ?? ""),
    find: [targetId],
    content: html`${facts([
      ["In the archive", html`<code>${id}</code>`],
      ["On the target", targetId !== "" && html`<code>${targetId}</code>`],
    ])}${table(`Writes of ${name || id}`, ["When", "Write", "Result", "Took"], rows)}`,
  });
}
