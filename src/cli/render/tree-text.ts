import { recordKey } from "../../domain/record.ts";
import type { StackRecord } from "../../domain/record.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { kinds } from "../../kinds/registry.ts";
import type { StackModel } from "../../report/model/stack-model.ts";
import { fit } from "./fit.ts";
import { printable } from "./printable.ts";
import type { View } from "./theme.ts";

interface Branch {
  readonly text: string;
  readonly missing: boolean;
}

/** What depends on what: under each record what it needs (→) and what needs it (←), one step each way. */
export function treeText(model: StackModel, view: View): string {
  const sections = kinds.flatMap(({ name: kind }) => {
    const records = model.records.filter((record) => record.kind === kind);
    if (records.length === 0) return [];
    return [`${view.theme.strong(kind)}\n${records.map((record) => recordText(record, model, view)).join("")}`];
  });
  return sections.join("\n");
}

function recordText(record: StackRecord, model: StackModel, view: View): string {
  const { theme, columns } = view;
  const key = recordKey(record.kind, record.id);
  const needs = model.needs(key).map(({ space, id }): Branch => {
    const found = model.find(space, id);
    return { text: `→ ${nounOf(space)} ${found?.name || id}`, missing: found === undefined && isKind(space) };
  });
  const users = model
    .neededBy(key)
    .filter(({ kind, id }) => kind !== record.kind || id !== record.id)
    .map(({ kind, id, name }): Branch => ({ text: `← ${nounOf(kind)} ${name || id}`, missing: false }));
  const branches = [...needs, ...users];
  const cut = (text: string): string => (columns === undefined ? text : fit(text, columns));
  const lines = branches.map(({ text, missing }, index) => {
    const line = cut(
      printable(`  ${index === branches.length - 1 ? "└─" : "├─"} ${text}${missing ? " (not in this archive)" : ""}`),
    );
    return missing ? theme.notice(line) : line;
  });
  return [cut(printable(`  ${record.name || record.id}`)), ...lines].map((line) => `${line}\n`).join("");
}

/** Connections and saved searches are in no archive, so that they are missing is no news. */
function isKind(space: string): boolean {
  return kinds.some(({ name }) => name === space);
}
