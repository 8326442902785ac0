import type { MemberChange } from "../../core/diff.ts";
import type { StackLog } from "../../core/log.ts";
import { changeFacets, changedValue, noteTexts } from "./diff-page.ts";
import type { Html } from "./html.ts";
import { html } from "./html.ts";
import { nounOf } from "../../kinds/registry.ts";
import { glance, renderPage } from "./page.ts";
import { badge, countText, isShort, metadata, minuteText, recordItem, section, table, timeText } from "./parts.ts";
import type { DiffRow } from "../view/diff.ts";
import type { LogViewEntry } from "../view/log.ts";
import { logView, renamedText } from "../view/log.ts";

/** The log of a stack, to be drawn as a page. */
export interface HistoryReport {
  readonly log: StackLog;
  /** The address of the repository, as the page shows it. */
  readonly repository: string;
  /** Time when the page was written, ISO 8601, UTC. */
  readonly at: string;
  readonly madeBy: string;
}

/**
 * Renders the history of a stack as one HTML page: a section for each backup that differs from the one before it, the newest first.
 */
export function historyPage({ log, repository, at, madeBy }: HistoryReport): string {
  const { entries, summary, start } = logView(log);
  const changes = log.entries.flatMap((entry) => entry.changes);
  return renderPage({
    eyebrow: "History",
    title: `History of ${log.stack}`,
    lead: html`<p class="outcome">${summary} ${start}</p>
      ${glance(
        (["added", "removed", "changed"] as const).map((word) => ({
          count: changes.filter(({ change }) => change === word).length,
          what: badge(word),
        })),
      )}${metadata(`Written ${minuteText(at)}`, [
        ["Backups", repository],
        ["Time", timeText(at)],
        ["Who", "The API does not say who changed a record."],
      ])}`,
    facets: changeFacets(changes),
    sections: entries.map((entry) => backupSection(entry, isShort(changes))),
    nothing: "No backup differs from the one before it.",
    madeBy,
  });
}

function backupSection({ entry, sections, notes }: LogViewEntry, isOpen: boolean): Html {
  const { archive, time, changes } = entry;
  const items = sections.flatMap(({ rows }) => rows.map((row) => itemOf(row, archive, isOpen)));
  const id = archive.replaceAll(/[^\w-]/g, "-");
  return section(id, minuteText(time), changes.length, [noteTexts(notes), items]);
}

function itemOf(row: DiffRow, archive: string, isOpen: boolean): Html {
  const { change, name } = row;
  const { kind, leftId = "", rightId = leftId, members } = change;
  const renamed = renamedText(change);
  const places = members.map((member) => [
    placeOf(member),
    badge(member.change),
    changedValue(member.from),
    changedValue(member.to),
  ]);
  return recordItem({
    kind,
    id: rightId,
    // A record has an item for each backup in which it changed, so the anchor contains the archive's name.
    anchor: `${archive} ${kind} ${rightId}`,
    name,
    state: change.change,
    badge: badge(change.change),
    about: [nounOf(kind), renamed, members.length === 0 ? "" : countText(members.length, "change")]
      .filter((part) => part !== "")
      .join(" "),
    find: [renamed, ...members.flatMap(({ child }) => child?.name ?? [])],
    content:
      places.length === 0
        ? html`<p>Id <code>${rightId}</code></p>`
        : table(`Members of ${name} that changed`, ["Member", "Change", "Before", "After"], places),
    isOpen,
  });
}

function placeOf({ pointer, child }: MemberChange): Html {
  if (child === undefined) return html`<code>${pointer}</code>`;
  const inside = pointer.split("/").slice(3).join(".");
  return html`<span class="member"
    >${child.noun} ${child.name}${inside !== "" && html`: <code>${inside}</code>`}</span
  >`;
}
