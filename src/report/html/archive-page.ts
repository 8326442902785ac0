import { partition } from "../../core/collections.ts";
import { nounForCount, formatSize } from "../../core/text/format.ts";
import type { Manifest, DeadReference } from "../../core/manifest.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { sortForReading } from "../../kinds/registry.ts";
import { pluralOf, nounOf } from "../../kinds/nouns.ts";
import { html, type Html } from "./html.ts";
import { readStackModel, type StackModel } from "../model/stack.ts";
import { summaryCards, createKindFacet, renderPage } from "./page.ts";
import {
  addressInWords,
  metadataDetails,
  shortAddressOf,
  timeText,
  isShortTable,
  linkTo,
  pageNote,
  htmlTable,
  extraSection,
} from "./parts.ts";
import { recordSections, redactionSection } from "./records.ts";

export interface ArchiveReport {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  readonly records: readonly StackRecord[];
  /** Dangling references to records that the archive does not contain. */
  readonly danglingReferences?: readonly DeadReference[];
  /** Notes at the top of the page, for a backup: that it is suspect, or which kinds have fewer records than before. */
  readonly notes?: readonly string[];
  readonly madeBy: string;
}

export async function archivePage(
  { summary, manifest, records, danglingReferences: dead = [], notes = [], madeBy }: ArchiveReport,
  signal?: AbortSignal,
): Promise<string> {
  const model = readStackModel(records);
  const described = await recordSections(model, signal);
  const [unshown, gone] = partition(dead, ({ isUnshown }) => isUnshown);
  return renderPage({
    eyebrow: "Archive",
    title: `Archive of ${shortAddressOf(manifest.source)}`,
    lead: html`<p class="outcome">${sentenceOf(manifest)}</p>
      ${notes.map((text) => pageNote(text, true))}
      ${glanceOf(manifest)}${metadataDetails(`Exported ${timeText(manifest.createdAt)}`, [
        ["Exported", `${timeText(manifest.createdAt)} by ${manifest.createdBy.name} ${manifest.createdBy.version}`],
        ["Stack", `${addressInWords(manifest.source)} (${manifest.source.variant})`],
        ["File", `${summary.path} (${formatSize(summary.bytes)}, format version ${manifest.formatVersion})`],
        ["Content digest", html`<code>${manifest.contentDigest}</code>`],
        ["Not in it", absentKinds(manifest)],
        ["Not shown by the API", notHeldList(manifest)],
      ])}${warningsOf(manifest)}`,
    facets: [createKindFacet([...records.map(({ kind }) => kind), ...manifest.redactions.map(() => "redactions")])],
    sections: [
      danglingSection(gone, DEAD, model),
      danglingSection(unshown, UNSHOWN, model),
      ...described,
      redactionSection(manifest, model),
    ],
    madeBy,
  });
}

function glanceOf({ kinds, redactions }: Manifest): Html {
  const sorted = sortForReading(Object.entries(kinds), ([kind]) => kind);
  const listedKinds = sorted.filter(([, { status, count }]) => count > 0 || status === "failed");
  const cards = listedKinds.map(([kind, { status, count }]) => ({
    count,
    what: `${pluralOf(kind)}${status === "complete" ? "" : `, ${status.replaceAll("-", " ")}`}`,
  }));
  const secrets = { count: redactions.length, what: `${nounForCount(redactions.length, "secret")} taken out` };
  return summaryCards([...cards, secrets]);
}

function sentenceOf({ kinds }: Manifest): string {
  const kindsOf = (wanted: string): string =>
    Object.entries(kinds)
      .flatMap(([kind, { status }]) => (status === wanted ? [kind] : []))
      .join(", ");
  const [failed, partial] = [kindsOf("failed"), kindsOf("partial")];
  if (failed !== "") return `This archive is incomplete: ${failed} could not be read.`;
  if (partial !== "") return `The stack returns ${partial} only in part, so this archive holds less than the stack.`;
  return "Complete: every kind that was asked for could be read.";
}

/** Lists the kinds without records in the archive, each with the reason. */
function absentKinds({ kinds }: Manifest): string {
  const absent = sortForReading(Object.entries(kinds), ([kind]) => kind).filter(([, { count }]) => count === 0);
  return absent
    .map(([kind, { status }]) => {
      const why = status === "complete" ? "the stack has none" : status.replaceAll("-", " ");
      return `${pluralOf(kind)} (${why})`;
    })
    .join(", ");
}

function notHeldList({ notHeld = [] }: Manifest): Html | false {
  const items = notHeld.map(
    ({ kind, message }) => html`<li>${kind === undefined ? message : `${pluralOf(kind)}: ${message}`}</li>`,
  );
  return (
    items.length > 0 &&
    html`<ul>
      ${items}
    </ul>`
  );
}

function warningsOf({ kinds, warnings }: Manifest): Html[] {
  const failed = Object.entries(kinds).flatMap(([kind, { status, error }]) =>
    status === "failed" ? [`${kind} could not be read: ${error ?? "no reason given"}`] : [],
  );
  // Warnings with these codes appear in sections of their own.
  const others = warnings.filter(({ code }) => code !== "dead-reference" && code !== "unshown-tile");
  return [...failed.map((text) => pageNote(text, true)), ...others.map(({ message }) => pageNote(message, false))];
}

const DEAD = {
  id: "dead-references",
  title: "Dead references",
  about: "their targets were gone when the stack was read",
};
const UNSHOWN = {
  id: "unshown-tiles",
  title: "Tiles that are not shown",
  about: "these watch a tile that the API does not show, so the archive does not hold it",
};

/** Renders the records with references to a record that was gone, or to a tile that the archive cannot contain. */
function danglingSection(
  dead: readonly DeadReference[],
  { id, title, about }: typeof DEAD,
  model: StackModel,
): Html | false {
  if (dead.length === 0) return false;
  const rows = dead.map(({ kind, id: from, pointer, places, space, to }) => [
    linkTo(model, kind, from),
    html`<code>${pointer}</code>${places > 1 && ` and ${places - 1} more`}`,
    html`${nounOf(space)} <code>${to}</code>`,
  ]);
  return extraSection({
    kind: id,
    heading: title,
    count: dead.length,
    searchLabel: `the ${title.toLowerCase()}`,
    about,
    searchText: `${title.toLowerCase()} ${dead.map(({ name, to }) => `${name} ${to}`).join(" ")}`,
    isOpen: isShortTable(rows),
    content: htmlTable(title, ["Record", "Member", "Points to"], rows),
  });
}
