import { groupBy } from "../../core/collections.ts";
import type { AlteredMember } from "../../core/plan/plan.ts";
import type { JsonObject } from "../../core/json.ts";
import { formatPointer, placesAt, withValueAt } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import { isDeclaredAt } from "../../kinds/members/declared-paths.ts";
import { nounOf } from "../../kinds/names.ts";
import { findKind } from "../../kinds/registry.ts";

/** A place that contains the name of a record instead of its id. */
interface LinkByName {
  readonly to: KindName;
  readonly name: string;
  readonly tokens: readonly string[];
}

/** Names by `KIND NAME`. */
type Names = ReadonlyMap<string, string>;

/**
 * Collects the renames that links by name can follow. The old name and the new one must each belong to one record only, because a
 * link by a shared name is ambiguous.
 * @param before records as in the archive; `after` are the same, transformed
 */
export function followedNames(before: readonly StackRecord[], after: readonly StackRecord[]): Names {
  const byOld = groupBy([...before.keys()], (index) => keyOf(before[index]));
  const byNew = groupBy([...after.keys()], (index) => keyOf(after[index]));
  return new Map(
    [...byOld].flatMap(([key, [index = -1, ...others]]) => {
      const [was, is] = [before[index], after[index]];
      if (is === undefined || was?.name === is.name || others.length > 0) return [];
      return byNew.get(keyOf(is))?.length === 1 ? [[key, is.name] as const] : [];
    }),
  );
}

/** Rewrites a body's links by name to the new names, and lists the changes. */
export function followNames(
  { kind, body }: StackRecord,
  names: Names,
): { readonly body: JsonObject; readonly changes: readonly AlteredMember[] } {
  let changed = body;
  const changes = linksOf({ kind, body }).flatMap(({ to, name, tokens }): AlteredMember[] => {
    const called = names.get(`${to} ${name}`);
    if (called === undefined) return [];
    changed = withValueAt(changed, tokens, called);
    return [{ pointer: formatPointer(tokens), change: `"${called}" instead of "${name}"` }];
  });
  return { body: changed, changes };
}

/**
 * Makes a warning for each link by name that does not follow a rename: under a prefix, or if several records have the name. The
 * text of the link may also mean a record that only the target has.
 * @param before records as in the archive; `after` are the same, transformed
 */
export function warnOfLinksByName(
  before: readonly StackRecord[],
  after: readonly StackRecord[],
  namePrefix = "",
): Warning[] {
  const newNames = new Map<string, string>();
  for (const [index, { kind, name }] of before.entries()) {
    if (findKind(kind)?.nameFields.name === undefined) continue;
    const made = after[index]?.name ?? name;
    const called = `${namePrefix}${made}`;
    for (const formerName of [name, made])
      if (called !== formerName && formerName !== "") newNames.set(`${kind} ${formerName}`, called);
  }
  return newNames.size === 0 ? [] : after.flatMap((record) => warningsOf(record, newNames));
}

function warningsOf(record: StackRecord, newNames: Names): Warning[] {
  return linksOf(record).flatMap(({ to, name, tokens }): Warning[] => {
    const called = newNames.get(`${to} ${name}`);
    if (called === undefined) return [];
    const holder = `the ${nounOf(record.kind)} "${record.name}"`;
    const target = `the ${nounOf(to)} "${name}"`;
    const message = `a link of ${holder} goes to ${target} by name, which is "${called}" on the target: change the link so that it selects the record itself`;
    return [{ code: "link-by-name", message, pointer: formatPointer(tokens) }];
  });
}

function linksOf({ kind, body }: Pick<StackRecord, "kind" | "body">): LinkByName[] {
  return (findKind(kind)?.linksByName ?? []).flatMap((link) =>
    placesAt(body, link.path).flatMap(({ value, tokens, indices }) =>
      typeof value === "string" && isDeclaredAt(link, body, indices) ? [{ to: link.to, name: value, tokens }] : [],
    ),
  );
}

function keyOf(record: StackRecord | undefined): string {
  return `${record?.kind} ${record?.name}`;
}
