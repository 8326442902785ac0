import { groupBy } from "../../core/collections.ts";
import type { Adaptation } from "../../core/plan/plan.ts";
import type { JsonObject } from "../../core/json.ts";
import { formatPointer, placesAt, withValueAt } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { KindName, StackRecord } from "../../core/records/record.ts";
import { isDeclaredAt } from "../../kinds/members/declared-paths.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { findKind } from "../../kinds/registry.ts";

/** A place where a record is named, and not pointed to by its id. */
interface LinkByName {
  readonly to: KindName;
  readonly name: string;
  readonly tokens: readonly string[];
}

/** Names by `KIND NAME`. */
type Names = ReadonlyMap<string, string>;

/**
 * The new names that links by name follow: those of records that alone had the old name, and alone have the new one. Of several
 * that are called the same, nothing says which is meant.
 * @param before records as the archive has them; `after` are the same, transformed
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

/** The body with its links by name going to where the records are called otherwise, and what was changed for that. */
export function followNames(
  { kind, body }: StackRecord,
  names: Names,
): { readonly body: JsonObject; readonly changes: readonly Adaptation[] } {
  let changed = body;
  const changes = linksOf({ kind, body }).flatMap(({ to, name, tokens }): Adaptation[] => {
    const called = names.get(`${to} ${name}`);
    if (called === undefined) return [];
    changed = withValueAt(changed, tokens, called);
    return [{ pointer: formatPointer(tokens), change: `"${called}" instead of "${name}"` }];
  });
  return { body: changed, changes };
}

/**
 * A warning for each link that goes to a record by its name, where that record gets another one all the same: under a prefix, or
 * where several are called like it. The same text may mean a record that only the target has.
 * @param before records as the archive has them; `after` are the same, transformed
 */
export function warnOfLinksByName(
  before: readonly StackRecord[],
  after: readonly StackRecord[],
  namePrefix = "",
): Warning[] {
  const given = new Map<string, string>();
  for (const [index, { kind, name }] of before.entries()) {
    if (findKind(kind)?.labels.name === undefined) continue;
    const made = after[index]?.name ?? name;
    const called = `${namePrefix}${made}`;
    for (const each of [name, made]) if (called !== each && each !== "") given.set(`${kind} ${each}`, called);
  }
  return given.size === 0 ? [] : after.flatMap((record) => warningsOf(record, given));
}

function warningsOf(record: StackRecord, given: Names): Warning[] {
  return linksOf(record).flatMap(({ to, name, tokens }): Warning[] => {
    const called = given.get(`${to} ${name}`);
    if (called === undefined) return [];
    const holder = `the ${nounOf(record.kind)} "${record.name}"`;
    const target = `the ${nounOf(to)} "${name}"`;
    const message = `a link of ${holder} goes to ${target} by name, which is "${called}" on the target: let the link choose the record itself`;
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
