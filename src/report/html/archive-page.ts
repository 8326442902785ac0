import { numbered, sizeText } from "../../core/text/format.ts";
import type { DeadReference } from "../../core/records/dead-reference.ts";
import type { Manifest, NotHeld } from "../../core/manifest.ts";
import type { ArchiveSummary } from "../../core/ports.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { pluralOf, nounOf, inReadingOrder } from "../../kinds/registry.ts";
import type { Html } from "./html.ts";
import { html } from "./html.ts";
import { readStack } from "../model/stack.ts";
import { glance, kindFacet, renderPage } from "./page.ts";
import { addressOf, metadata, shortAddressOf, timeText, isShort, linkTo, section, table, extraItem } from "./parts.ts";
import { recordSections, redactionSection } from "./records.ts";
import type { StackModel } from "../model/stack.ts";

/** The content of an archive page. */
export interface ArchiveReport {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  readonly records: readonly StackRecord[];
  /** Dangling references to records that the archive does not contain. */
  readonly dead?: readonly DeadReference[];
  /** Notes at the top of the page, for a backup: that it is suspect, or which kinds have fewer records than before. */
  readonly notes?: readonly string[];
  readonly madeBy: string;
}

/** Renders an archive as one HTML page. */
export async function archivePage(
  { summary, manifest, records, dead = [], notes = [], madeBy }: ArchiveReport,
  signal?: AbortSignal,
): Promise<string> {
  const model = readStack(records);
  const described = await recordSections(model, signal);
  return renderPage({
    eyebrow: "Archive",
    title: `Archive of ${shortAddressOf(manifest.source)}`,
    lead: html`<p class="outcome">${sentenceOf(manifest)}</p>
      ${notes.map((text) => html`<p class="note badnote">${text}</p>`)}
      ${glanceOf(manifest)}${metadata(`Exported ${timeText(manifest.createdAt)}`, [
        ["Exported", `${timeText(manifest.createdAt)} by ${manifest.createdBy.name} ${manifest.createdBy.version}`],
        ["Stack", `${addressOf(manifest.source)} (${manifest.source.variant})`],
        ["File", `${summary.path} (${sizeText(summary.bytes)}, format version ${manifest.formatVersion})`],
        ["Content digest", html`<code>${manifest.contentDigest}</code>`],
        ["Not in it", absentKinds(manifest)],
        ["Not shown by the API", notHeldList(manifest)],
      ])}${warningsOf(manifest)}`,
    facets: [kindFacet([...records.map(({ kind }) => kind), ...secretsOf(manifest)])],
    sections: [
      deadReferenceSection(dead, model),
      unshownSection(dead, model),
      ...described,
      redactionSection(manifest, model),
    ],
    madeBy,
  });
}

function glanceOf({ kinds, redactions }: Manifest): Html {
  const sorted = inReadingOrder(Object.entries(kinds), ([kind]) => kind);
  const listedKinds = sorted.filter(([, { status, count }]) => count > 0 || status === "failed");
  const cards = listedKinds.map(([kind, { status, count }]) => ({
    count,
    what: `${pluralOf(kind)}${status === "complete" ? "" : `, ${status.replaceAll("-", " ")}`}`,
  }));
  const secrets = { count: redactions.length, what: `${numbered(redactions.length, "secret")} taken out` };
  return glance([...cards, secrets]);
}

function sentenceOf({ kinds }: Manifest): string {
  const failed = Object.entries(kinds).flatMap(([kind, { status }]) => (status === "failed" ? [kind] : []));
  if (failed.length > 0) return `This archive is incomplete: ${failed.join(", ")} could not be read.`;
  const partial = Object.entries(kinds).flatMap(([kind, { status }]) => (status === "partial" ? [kind] : []));
  if (partial.length > 0)
    return `The stack returns ${partial.join(", ")} only in part, so this archive holds less than the stack.`;
  return `Complete: every kind that was asked for could be read.`;
}

/** Lists the kinds without records in the archive, each with the reason. */
function absentKinds({ kinds }: Manifest): string {
  const absent = inReadingOrder(Object.entries(kinds), ([kind]) => kind).filter(([, { count }]) => count === 0);
  return absent
    .map(([kind, { status }]) => {
      const why = status === "complete" ? "the stack has none" : status.replaceAll("-", " ");
      return `${pluralOf(kind)} (${why})`;
    })
    .join(", ");
}

function notHeldList({ notHeld = [] }: Manifest): Html | false {
  const text = ({ kind, message }: NotHeld): string => (kind === undefined ? message : `${pluralOf(kind)}: ${message}`);
  return (
    notHeld.length > 0 &&
    html`<ul>
      ${notHeld.map((entry) => html`<li>${text(entry)}</li>`)}
    </ul>`
  );
}

function warningsOf({ kinds, warnings }: Manifest): Html {
  const failed = Object.entries(kinds).flatMap(([kind, { status, error }]) =>
    status === "failed" ? [`${kind} could not be read: ${error ?? "no reason given"}`] : [],
  );
  // Warnings with these codes have sections of their own on the page.
  const others = warnings.filter(({ code }) => code !== "dead-reference" && code !== "unshown-tile");
  return html`${failed.map((text) => html`<p class="note badnote">${text}</p>`)}${others.map(
    ({ message }) => html`<p class="note warnnote">${message}</p>`,
  )}`;
}

function secretsOf({ redactions }: Manifest): string[] {
  return redactions.map(() => "redactions");
}

/**
 * Renders the records with a reference that was dangling already when the stack was read. Nothing can restore the record that such
 * a reference needs.
 */
function deadReferenceSection(dead: readonly DeadReference[], model: StackModel): Html | false {
  const about = "their targets were gone when the stack was read";
  const deadTargets = dead.filter(({ isUnshown }) => !isUnshown);
  return sectionOf(deadTargets, model, { id: "dead-references", title: "Dead references", about });
}

/** Renders the records that reference a tile which the API does not show. The tile may exist, but the archive cannot contain it. */
function unshownSection(dead: readonly DeadReference[], model: StackModel): Html | false {
  const about = "these watch a tile that the API does not show, so the archive does not hold it";
  const unshown = dead.filter(({ isUnshown }) => isUnshown);
  return sectionOf(unshown, model, { id: "unshown-tiles", title: "Tiles that are not shown", about });
}

interface Heading {
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

function sectionOf(dead: readonly DeadReference[], model: StackModel, { id, title, about }: Heading): Html | false {
  if (dead.length === 0) return false;
  const rows = dead.map(({ kind, id: from, pointer, places, space, to }) => [
    linkTo(model, kind, from),
    html`<code>${pointer}</code>${places > 1 && ` and ${places - 1} more`}`,
    html`${nounOf(space)} <code>${to}</code>`,
  ]);
  const content = extraItem({
    kind: id,
    searchLabel: `the ${title.toLowerCase()}`,
    title,
    about,
    find: `${title.toLowerCase()} ${dead.map(({ name, to }) => `${name} ${to}`).join(" ")}`,
    isOpen: isShort(rows),
    content: table(title, ["Record", "Member", "Points to"], rows),
  });
  return section(id, title, dead.length, content);
}
