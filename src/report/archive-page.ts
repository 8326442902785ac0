import { numberText } from "./number-text.ts";
import type { Manifest } from "../domain/manifest.ts";
import type { ArchiveSummary } from "../domain/ports.ts";
import type { StackRecord } from "../domain/record.ts";
import { kinds as allKinds } from "../kinds/registry.ts";
import { html } from "./html.ts";
import type { Html } from "./html.ts";
import { readStack } from "./model/stack-model.ts";
import { addressOf, shortAddressOf } from "./page/address.ts";
import { facts } from "./page/parts.ts";
import { facetOf, renderPage } from "./page/render-page.ts";
import { titleOf } from "./page/title-of.ts";
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
      ["Read", `${manifest.createdAt} by ${manifest.createdBy.name} ${manifest.createdBy.version}`],
      ["Stack", `${addressOf(manifest.source)} (${manifest.source.variant})`],
      ["File", `${summary.path} (${sizeOf(summary.bytes)}, format version ${manifest.formatVersion})`],
      ["Content digest", html`<code>${manifest.contentDigest}</code>`],
    ])}${glance(manifest)}${warningsOf(manifest)}`,
    facets: [facetOf("kind", "Kinds", [...records.map(({ kind }) => kind), ...secretsOf(manifest)], titleOf)],
    sections: [...recordSections(model), redactionSection(manifest)],
    madeBy,
  });
}

/** `12.3 kB` */
function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function glance({ kinds, redactions }: Manifest): Html {
  const order = (kind: string): number => allKinds.findIndex(({ name }) => name === kind);
  const sorted = Object.entries(kinds).sort(([a], [b]) => order(a) - order(b));
  const cards = sorted.map(
    ([kind, { status, count }]) =>
      html`<li>
        <b>${numberText(count)}</b><span>${kind}${status !== "complete" && `, ${status.replaceAll("-", " ")}`}</span>
      </li>`,
  );
  const secrets = html`<li>
    <b>${numberText(redactions.length)}</b><span>${redactions.length === 1 ? "secret" : "secrets"} taken out</span>
  </li>`;
  return html`<ul class="glance">
    ${cards}${secrets}
  </ul>`;
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
  return redactions.length > 0 ? ["redactions"] : [];
}
