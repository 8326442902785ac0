import { itemKey, type PlanItem } from "../core/plan/plan.ts";
import type { KindName, RecordKey } from "../core/records/record.ts";
import { joinNames, MAX_NAMED, MAX_NAMED_TO_CHECK, pluralize } from "../core/text/format.ts";
import { nameOfRecord, nounOf } from "./nouns.ts";
import { HIDDEN_SETTINGS } from "./members/dashboard-variants.ts";
import { knownKind } from "./registry.ts";

const SETTINGS = `settings that the API does not show (${HIDDEN_SETTINGS})`;

export function lossOfSettingsText(kind: KindName, names: readonly string[]): string {
  const listed = joinNames(names, MAX_NAMED_TO_CHECK, quoted);
  return `${countText(kind, names.length)} made in the web interface (${listed}); any ${SETTINGS} are lost`;
}

export interface HiddenContentNote {
  readonly code: "may-lose-hidden" | "hidden-members";
  readonly message: string;
  readonly record?: RecordKey;
}

type Write = Pick<PlanItem, "kind" | "name" | "sourceId" | "mayHide">;

export function hiddenContentNotes(writes: readonly Write[]): HiddenContentNote[] {
  const losses = writes.flatMap((write): HiddenContentNote[] => {
    const { kind, name, sourceId: id, mayHide: { settings = [] } = {} } = write;
    if (settings.length === 0) return [];
    const message = `${nameOfRecord({ kind, name, id })}: ${lossOfSettingsText(kind, settings)}`;
    return [{ code: "may-lose-hidden", message, record: itemKey(write) }];
  });
  return [...losses, ...hiddenTilesNotes(writes), ...notHeldNotes(writes)];
}

function hiddenTilesNotes(writes: readonly Write[]): HiddenContentNote[] {
  const updates = writes.filter(({ mayHide }) => mayHide?.hint !== undefined);
  const hint = updates[0]?.mayHide?.hint;
  if (hint === undefined) return [];
  const names = joinNames(updates, MAX_NAMED_TO_CHECK, ({ name, sourceId }) => quoted(name || sourceId));
  const message = `${pluralize(updates.length, "update")} may delete tiles that the API does not show, with their alerts: the target has ${hint}, and the API never returns tiles in the query language of that record; look at these dashboards in the web interface: ${names}`;
  return [{ code: "may-lose-hidden", message }];
}

function notHeldNotes(writes: readonly Write[]): HiddenContentNote[] {
  const holders = writes.flatMap(({ kind, name, sourceId, mayHide: { notHeld = [] } = {} }) =>
    notHeld.length === 0 ? [] : [{ kind, name: name || sourceId, notHeld }],
  );
  const [first] = holders;
  if (first === undefined) return [];
  const count = holders.reduce((sum, { notHeld }) => sum + notHeld.length, 0);
  const listed = joinNames(
    holders,
    MAX_NAMED_TO_CHECK,
    ({ name, notHeld }) => `${quoted(name)}: ${joinNames(notHeld, MAX_NAMED, quoted)}`,
  );
  const made = `${countText(first.kind, count)} made in the web interface (${listed})`;
  return [{ code: "hidden-members", message: `the archive does not hold ${SETTINGS}: ${made}` }];
}

function countText(kind: KindName, count: number): string {
  const space = knownKind(kind).children.find(({ mayHideSettings }) => mayHideSettings !== undefined)?.space ?? kind;
  return `${pluralize(count, nounOf(space))} ${count === 1 ? "was" : "were"}`;
}

function quoted(name: string): string {
  return `"${name}"`;
}
