import type { Manifest } from "../domain/manifest.ts";
import type { ArchiveSummary } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { readStack } from "./model/stack-model.ts";
import { addressOf, shortAddressOf } from "./page/address.ts";
import { glance } from "./page/glance.ts";
import { facts } from "./page/parts.ts";
import { kindFacet } from "./page/facet.ts";
import { renderPage } from "./page/render-page.ts";
import { timeText } from "./page/time-text.ts";
import { recordSections } from "./sections/record-sections.ts";
import { redactionSection } from "./sections/redaction-section.ts";

/** An archive, read whole. */
export interface ArchiveReport {
  readonly summary: ArchiveSummary;
  readonly manifest: Manifest;
  readonly records: readonly StackRecord[];
  readonly madeBy: string;
}

/** An archive as one HTML page. */
export function archivePage({ summary, manifest, records, madeBy }: ArchiveReport): string {
  const model = readStack(records);
  return renderPage({
    eyebrow: "Archive",
    title: shortAddressOf(manifest.source),
    lead: html`${facts([
      ["Read", `${timeText(manifest.createdAt)} by ${manifest.createdBy.name} ${manifest.createdBy.version}`],
      ["Stack", `${addressOf(manifest.source)} (${manifest.source.variant})`],
      ["File", `${summary.path} (${sizeOf(summary.bytes)}, format version ${manifest.formatVersion})`],
      ["Content digest", html`<code>${manifest.contentDigest}</code>`],
    ])}${glanceOf(manifest)}${warningsOf(manifest)}`,
    facets: [kindFacet([...records.map(({ kind }) => kind), ...secretsOf(manifest)])],
    sections: [...recordSections(model), redactionSection(manifest, model)],
    madeBy,
  });
}

/** `12.3 kB` */
function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function glanceOf({ kinds, redactions }: Manifest): Html {
  const order = (kind: string): number => allKinds.findIndex(({ name }) => name === kind);
  const sorted = Object.entries(kinds).sort(([a], [b]) => order(a) - order(b));
  const cards = sorted.map(([kind, { status, count }]) => ({
    count,
    what: `${kind}${status === "complete" ? "" : `, ${status.replaceAll("-", " ")}`}`,
  }));
  const secrets = { count: redactions.length, what: `${redactions.length === 1 ? "secret" : "secrets"} taken out` };
  return glance([...cards, secrets]);
}

function warningsOf({ kinds, warnings }: Manifest): Html {
  const failed = Object.entries(kinds).flatMap(([kind, { status, error }]) =>
    status === "failed" ? [`${kind} could not be read: ${error ?? "no reason given"}`] : [],
  );
  return html`${failed.map((text) => html`<p class="note badnote">${text}</p>`)}${warnings.map(
    ({ message }) => html`<p class="note warnnote">${message}</p>`,
  )}`;
}

function secretsOf({ redactions }: Manifest): string[] {
  return redactions.map(() => "redactions");
}
