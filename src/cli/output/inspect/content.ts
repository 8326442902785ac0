import { stackAddressOf } from "../../../config/stacks/stack-address.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { StackferryError } from "../../../core/errors.ts";
import type { StackRecord } from "../../../core/records/record.ts";
import { closestName } from "../../../core/text/similarity.ts";
import { sortByKind } from "../../../kinds/registry.ts";
import { pluralOf } from "../../../kinds/nouns.ts";
import { readStackModel, type StackModel } from "../../../report/model/stack.ts";
import { countText } from "../../../report/html/parts.ts";
import { conditionText } from "../../../report/html/records.ts";
import { inlineCode, escapeMarkdown } from "../markdown.ts";
import type { OutputOptions } from "../terminal.ts";
import { dashboardText } from "./dashboard.ts";
import { treeText } from "./tree.ts";

/** A name or id that the user gave, and the dashboards that have it. The names in the records may be redacted. */
interface NamedDashboards {
  readonly name: string;
  readonly ids: ReadonlySet<string>;
}

/** Renders a dashboard, a tree of all records, or Markdown. @throws StackferryError `usage` if there is no such dashboard */
export function contentRenderer(
  { dashboard, tree }: { readonly dashboard?: NamedDashboards; readonly tree: boolean },
  manifest: Manifest,
  records: readonly StackRecord[],
): (display: OutputOptions) => string {
  const model = readStackModel(records);
  if (tree) return (display) => treeText(model, display);
  if (dashboard === undefined) return () => markdownText(manifest, model);
  const matches = model.dashboards.filter(({ id }) => dashboard.ids.has(id));
  if (matches.length === 0) throw unknownDashboard(dashboard.name, model);
  return (display) => matches.map((match) => dashboardText(match, model, display)).join("\n");
}

function unknownDashboard(requestedName: string, { dashboards }: StackModel): StackferryError {
  const suggestion = closestName(
    requestedName,
    dashboards.map(({ name }) => name),
  );
  const hint = suggestion === undefined ? "stackferry inspect ARCHIVE lists them" : `did you mean "${suggestion}"?`;
  return new StackferryError("usage", `the archive holds no dashboard "${requestedName}"`, { hint });
}

/** Maximum number of entries in a list, so that the rest of a pull request stays visible. */
const MAX_LISTED = 50;

function markdownText(manifest: Manifest, model: StackModel): string {
  const { createdAt, createdBy, source, contentDigest, redactions, warnings, notHeld = [] } = manifest;
  const origin = `${inlineCode(stackAddressOf(source))}, read ${escapeMarkdown(createdAt)} by ${escapeMarkdown(createdBy.name)} ${escapeMarkdown(createdBy.version)}`;
  const secrets = countText(redactions.length, "secret");
  return [
    `## Stack archive of ${origin}\n`,
    countTable(manifest),
    `Content digest ${inlineCode(contentDigest)}; ${secrets} taken out.\n`,
    ...warnings.map(({ message }) => `> **Warning**: ${escapeMarkdown(message)}\n`),
    ...listOf("Not in the archive, because the API does not return it", notHeld, ({ kind, message }) =>
      escapeMarkdown(kind === undefined ? message : `${pluralOf(kind)}: ${message}`),
    ),
    ...listOf("Dashboards", model.dashboards, ({ name, id, tiles, tags }) => {
      const alerts = model.alertsOn(id).length;
      const about = [
        countText(tiles.length, "tile"),
        ...(alerts > 0 ? [countText(alerts, "alert")] : []),
        ...tags.map(inlineCode),
      ];
      return `**${escapeMarkdown(name || id)}**: ${about.join(", ")}`;
    }),
    ...listOf("Alerts", model.alerts, (alert) => {
      const tile = model.tile(alert.dashboardId, alert.tileId);
      const on = tile === undefined ? "" : ` on ${escapeMarkdown(tile.label)}`;
      return `**${escapeMarkdown(alert.name || alert.id)}**: fires when ${escapeMarkdown(conditionText(alert, model))}${on}`;
    }),
    ...listOf("Sources", model.sources, ({ name, id, kind, tables }) => {
      return `**${escapeMarkdown(name || id)}** (${escapeMarkdown(kind)})${tables.length > 0 ? `: ${tables.map(inlineCode).join(", ")}` : ""}`;
    }),
  ].join("\n");
}

function countTable({ kinds }: Manifest): string {
  const rows = sortByKind(Object.entries(kinds), ([kind]) => kind).map(([kind, { count, status, error }]) => {
    return `| ${escapeMarkdown(kind)} | ${count} | ${escapeMarkdown(status)}${error === undefined ? "" : `: ${escapeMarkdown(error)}`} |\n`;
  });
  return `| kind | records | status |\n| --- | ---: | --- |\n${rows.join("")}`;
}

function listOf<Item>(title: string, items: readonly Item[], line: (item: Item) => string): string[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, MAX_LISTED).map((item) => `- ${line(item)}\n`);
  const more = items.length > MAX_LISTED ? `- and ${items.length - MAX_LISTED} more\n` : "";
  return [`### ${title}\n`, `${lines.join("")}${more}`];
}
