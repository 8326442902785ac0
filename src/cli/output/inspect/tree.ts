import { recordKey, type StackRecord } from "../../../core/records/record.ts";
import { fitText } from "../../../core/text/fit-width.ts";
import { printableText } from "../../../core/text/printable.ts";
import { nounOf, pluralOf } from "../../../kinds/nouns.ts";
import { findKind, kinds } from "../../../kinds/registry.ts";
import type { StackModel } from "../../../report/model/stack.ts";
import type { OutputOptions } from "../terminal.ts";

interface Branch {
  readonly text: string;
  readonly isMissing: boolean;
}

/** Renders the dependencies of each record, one step each way: the records that it needs (→), and the records that need it (←). */
export function treeText(model: StackModel, display: OutputOptions): string {
  const sections = kinds.flatMap(({ name: kind }) => {
    const records = model.records.filter((record) => record.kind === kind);
    if (records.length === 0) return [];
    return [
      `${display.theme.heading(pluralOf(kind))}\n${records.map((record) => recordText(record, model, display)).join("")}`,
    ];
  });
  return sections.join("\n");
}

/**
 * Tells whether the archive's stack lists records of the kind. Some stacks do not list connections and saved searches; then a
 * record of these kinds that the archive lacks does not count as missing.
 */
function isArchived(space: string, { records }: StackModel): boolean {
  const kind = findKind(space);
  if (kind === undefined) return false;
  const { importPolicy } = kind;
  const isServedAlone = importPolicy.when === "on-request" && importPolicy.servedWith === space;
  return !isServedAlone || records.some((record) => record.kind === space);
}

function recordText(record: StackRecord, model: StackModel, display: OutputOptions): string {
  const { theme, columns } = display;
  const key = recordKey(record.kind, record.id);
  const needs = model.needs(key).map(({ space, id }): Branch => {
    const dependency = model.find(space, id);
    return {
      text: `→ ${nounOf(space)} ${dependency?.name || id}`,
      isMissing: dependency === undefined && isArchived(space, model),
    };
  });
  const dependents = model
    .neededBy(key)
    .filter(({ kind, id }) => kind !== record.kind || id !== record.id)
    .map(({ kind, id, name }): Branch => ({ text: `← ${nounOf(kind)} ${name || id}`, isMissing: false }));
  const branches = [...needs, ...dependents];
  const cut = (text: string): string => (columns === undefined ? text : fitText(text, columns));
  const lines = branches.map(({ text, isMissing }, index) => {
    const line = cut(
      printableText(
        `  ${index === branches.length - 1 ? "└─" : "├─"} ${text}${isMissing ? " (not in this archive)" : ""}`,
      ),
    );
    return isMissing ? theme.notice(line) : line;
  });
  return [cut(printableText(`  ${record.name || record.id}`)), ...lines].map((line) => `${line}\n`).join("");
}
