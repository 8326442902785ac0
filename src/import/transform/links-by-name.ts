import { formatPointer, placesAt } from "../../core/records/member-path.ts";
import type { Warning } from "../../core/outcome.ts";
import type { StackRecord } from "../../core/records/record.ts";
import { isDeclaredAt } from "../../kinds/declared-paths.ts";
import { nounOf } from "../../kinds/id-spaces.ts";
import { findKind } from "../../kinds/registry.ts";

/**
 * A warning for each link that goes to a record by its name, where that record gets another one. It is not changed: the same
 * text may mean a record that only the target has.
 * @param before records as the archive has them; `after` are the same, transformed
 */
export function warnOfLinksByName(
  before: readonly StackRecord[],
  after: readonly StackRecord[],
  namePrefix = "",
): Warning[] {
  const given = new Map<string, string>();
  for (const [index, { kind, name }] of before.entries()) {
    const called = `${namePrefix}${after[index]?.name ?? name}`;
    if (called !== name && name !== "" && findKind(kind)?.labels.name !== undefined)
      given.set(`${kind} ${name}`, called);
  }
  return given.size === 0 ? [] : after.flatMap((record) => linksOf(record, given));
}

function linksOf({ kind: name, name: holder, body }: StackRecord, given: ReadonlyMap<string, string>): Warning[] {
  const kind = findKind(name);
  return (kind?.linksByName ?? []).flatMap((link) =>
    placesAt(body, link.path).flatMap(({ value, tokens, indices }): Warning[] => {
      if (typeof value !== "string" || !isDeclaredAt(link, body, indices)) return [];
      const called = given.get(`${link.to} ${value}`);
      if (called === undefined) return [];
      const target = `the ${nounOf(link.to)} "${value}"`;
      const message = `a link of the ${nounOf(name)} "${holder}" goes to ${target} by name, which is "${called}" on the target: let the link choose the record itself`;
      return [{ code: "link-by-name", message, pointer: formatPointer(tokens) }];
    }),
  );
}
