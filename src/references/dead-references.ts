import { groupBy } from "../core/collections.ts";
import type { DeadReference } from "../core/records/dead-reference.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "./children.ts";
import type { ReferenceTarget } from "./references.ts";
import { findReferences, refersOnlyTo } from "./references.ts";

type Wanted = Pick<ReferenceTarget, "space" | "id">;

/**
 * What the records of a stack point to, against what it has. It holds ids alone, so that records can be looked at while they
 * arrive and be forgotten.
 */
export class ReferenceSurvey {
  readonly #present = new Set<string>();
  /** The ids of a record's children, each between line breaks: a set of a million small texts is larger by far. */
  readonly #children = new Map<string, string>();
  readonly #wanted = new Map<string, Wanted>();

  /** Looks at a record: it is there, and so must be what it points to. */
  see({ kind: name, id, body }: StackRecord): void {
    this.seeId(name, id);
    const kind = findKind(name);
    if (kind === undefined) return;
    if (kind.children.length > 0) {
      const ids = kind.children.flatMap((children) => childrenOf(body, children).map(childIdOf));
      this.#children.set(keyOf(name, id), `\n${ids.join("\n").toLowerCase()}\n`);
    }
    if (refersOnlyTo(kind, body, (space, to) => this.#wanted.has(keyOf(space, to)))) return;
    for (const { space, id: to } of findReferences(kind, body, new Map())) {
      this.#wanted.set(keyOf(space, to), { space, id: to });
    }
  }

  /** Notes a record that is there and is not looked at. */
  seeId(kind: KindName, id: string): void {
    this.#present.add(keyOf(kind, id));
  }

  /** What is not there, by `deadKey`. @param isWhole whether all records of a kind were seen */
  dead(isWhole: (kind: KindName) => boolean): ReadonlySet<string> {
    return new Set([...this.#wanted].flatMap(([key, wanted]) => (this.#isDead(wanted, isWhole) ? [key] : [])));
  }

  #isDead({ space, id }: Wanted, isWhole: (kind: KindName) => boolean): boolean {
    const [kind = space, inside] = space.split("/");
    if (!isWhole(kind)) return false;
    if (inside === undefined) return !this.#present.has(keyOf(kind, id));
    const [owner = "", own = ""] = id.split("/");
    const children = this.#children.get(keyOf(kind, owner));
    // What was not looked at may have any child.
    if (children === undefined) return !this.#present.has(keyOf(kind, owner));
    return !children.includes(`\n${own.toLowerCase()}\n`);
  }
}

/** The references of a record that lead to what is not there, one for each thing. */
export function deadReferencesOf({ kind: name, id, name: called, body }: StackRecord, dead: ReadonlySet<string>) {
  const kind = findKind(name);
  if (kind === undefined || dead.size === 0) return [];
  const lost = findReferences(kind, body, new Map()).filter(({ space, id: to }) => dead.has(keyOf(space, to)));
  return [...groupBy(lost, ({ space, id: to }) => keyOf(space, to)).values()].flatMap((places): DeadReference[] => {
    const [first] = places;
    if (first === undefined) return [];
    const { pointer, space, id: to } = first;
    const own = space.includes("/") ? (to.split("/")[1] ?? to) : to;
    return [
      {
        kind: name,
        id,
        name: called,
        pointer,
        places: places.length,
        space,
        to: own,
        isUnshown: isUnshown(first, dead),
      },
    ];
  });
}

/** A child of a record that is there: the server deletes what points to a child with it, so this one is hidden and not gone. */
function isUnshown({ space, id }: ReferenceTarget, dead: ReadonlySet<string>): boolean {
  const [kind = space, inside] = space.split("/");
  const [owner = "", own] = id.split("/");
  return inside !== undefined && own !== undefined && !dead.has(keyOf(kind, owner));
}

/** The same for records that are all in memory. */
export function findDeadReferences(
  records: readonly StackRecord[],
  isWhole: (kind: KindName) => boolean,
): DeadReference[] {
  const survey = new ReferenceSurvey();
  for (const record of records) survey.see(record);
  const dead = survey.dead(isWhole);
  return records.flatMap((record) => deadReferencesOf(record, dead));
}

/** Some stacks change the case of ids between answers. */
function keyOf(space: IdSpace, id: string): string {
  return `${space} ${id.toLowerCase()}`;
}
