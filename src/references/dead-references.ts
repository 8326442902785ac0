import { groupBy } from "../core/collections.ts";
import type { DeadReference } from "../core/manifest.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "./children.ts";
import { findReferences, type ReferenceTarget } from "./references.ts";

type Wanted = Pick<ReferenceTarget, "space" | "id">;

/**
 * Finds references to records and children that a stack does not have. Keeps only ids, so that the caller can release
 * each record after `addRecord`.
 */
export class DeadReferenceFinder {
  readonly #present = new Set<string>();
  /** The ids of each record's children, joined by line breaks: a set of a million small texts would take far more memory. */
  readonly #children = new Map<string, string>();
  readonly #wanted = new Map<string, Wanted>();

  addRecord({ kind: name, id, body }: StackRecord): void {
    this.addId(name, id);
    const kind = findKind(name);
    if (kind === undefined) return;
    if (kind.children.length > 0) {
      const ids = kind.children.flatMap((children) => childrenOf(body, children).map(childIdOf));
      this.#children.set(keyOf(name, id), `\n${ids.join("\n").toLowerCase()}\n`);
    }
    for (const { space, id: to } of findReferences(kind, body, new Map())) {
      this.#wanted.set(keyOf(space, to), { space, id: to });
    }
  }

  /** Adds a record whose body is not searched for references and children. */
  addId(kind: KindName, id: string): void {
    this.#present.add(keyOf(kind, id));
  }

  /**
   * Returns the keys of referenced records and children that the stack does not have.
   * @param isWhole tells whether all records of a kind were added; nothing of any other kind counts as dead
   */
  findDeadKeys(isWhole: (kind: KindName) => boolean): ReadonlySet<string> {
    return new Set([...this.#wanted].flatMap(([key, referenced]) => (this.#isDead(referenced, isWhole) ? [key] : [])));
  }

  #isDead({ space, id }: Wanted, isWhole: (kind: KindName) => boolean): boolean {
    const [kind = space, inside] = space.split("/");
    if (!isWhole(kind)) return false;
    if (inside === undefined) return !this.#present.has(keyOf(kind, id));
    const [owner = "", ownId = ""] = id.split("/");
    const children = this.#children.get(keyOf(kind, owner));
    // The owner's children are not known, so an existing owner may have any child.
    if (children === undefined) return !this.#present.has(keyOf(kind, owner));
    return !children.includes(`\n${ownId.toLowerCase()}\n`);
  }
}

/**
 * Lists the dead references of a record: one entry for each record or child that does not exist.
 * @param dead the result of `findDeadKeys`
 */
export function deadReferencesOf({ kind: name, id, name: called, body }: StackRecord, dead: ReadonlySet<string>) {
  const kind = findKind(name);
  if (kind === undefined || dead.size === 0) return [];
  const lost = findReferences(kind, body, new Map()).filter(({ space, id: to }) => dead.has(keyOf(space, to)));
  return [...groupBy(lost, ({ space, id: to }) => keyOf(space, to)).values()].flatMap((places): DeadReference[] => {
    const [first] = places;
    if (first === undefined) return [];
    const { pointer, space, id: to } = first;
    const ownId = space.includes("/") ? (to.split("/")[1] ?? to) : to;
    return [
      {
        kind: name,
        id,
        name: called,
        pointer,
        places: places.length,
        space,
        to: ownId,
        isUnshown: isUnshown(first, dead),
      },
    ];
  });
}

/**
 * Tells whether a dead reference leads to a child of an existing record. The child is then hidden, not deleted: the
 * server deletes the records that reference a child together with the child (docs/api.md#tile-alerts).
 */
function isUnshown({ space, id }: ReferenceTarget, dead: ReadonlySet<string>): boolean {
  const [kind = space, inside] = space.split("/");
  const [owner = "", ownId] = id.split("/");
  return inside !== undefined && ownId !== undefined && !dead.has(keyOf(kind, owner));
}

/** Returns the key of a record or child. The key ignores the case of ids, because some stacks change it between answers. */
function keyOf(space: IdSpace, id: string): string {
  return `${space} ${id.toLowerCase()}`;
}
