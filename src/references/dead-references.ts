import { groupBy } from "../core/collections.ts";
import type { DeadReference } from "../core/manifest.ts";
import type { KindName, StackRecord } from "../core/records/record.ts";
import type { IdSpace } from "../core/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { childIdOf, childrenOf } from "./children.ts";
import { findReferences, type ReferenceTarget } from "./references.ts";

type Wanted = Pick<ReferenceTarget, "space" | "id">;

/** Keeps only ids, so the caller can release each record. */
export class DeadReferenceFinder {
  readonly #present = new Set<string>();
  /** Ids joined by line breaks: a set of a million small texts would take far more memory. */
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
    for (const { space, id: to } of findReferences(kind, body)) {
      this.#wanted.set(keyOf(space, to), { space, id: to });
    }
  }

  addId(kind: KindName, id: string): void {
    this.#present.add(keyOf(kind, id));
  }

  /** @param isWhole true if all records of the kind were added; records of other kinds never count as dead */
  findDeadKeys(isWhole: (kind: KindName) => boolean): ReadonlySet<string> {
    return new Set([...this.#wanted].flatMap(([key, referenced]) => (this.#isDead(referenced, isWhole) ? [key] : [])));
  }

  #isDead({ space, id }: Wanted, isWhole: (kind: KindName) => boolean): boolean {
    const [kind = space, inside] = space.split("/");
    if (!isWhole(kind)) return false;
    if (inside === undefined) return !this.#present.has(keyOf(kind, id));
    const [owner = "", ownId = ""] = id.split("/");
    const children = this.#children.get(keyOf(kind, owner));
    // An owner that was added by its id alone has unknown children.
    if (children === undefined) return !this.#present.has(keyOf(kind, owner));
    return !children.includes(`\n${ownId.toLowerCase()}\n`);
  }
}

/** Returns one entry for each missing record or child. */
export function deadReferencesOf(record: StackRecord, dead: ReadonlySet<string>): DeadReference[] {
  const kind = findKind(record.kind);
  if (kind === undefined || dead.size === 0) return [];
  const from = { kind: record.kind, id: record.id, name: record.name };
  const lost = findReferences(kind, record.body).filter(({ space, id }) => dead.has(keyOf(space, id)));
  return [...groupBy(lost, ({ space, id }) => keyOf(space, id)).values()].flatMap((places) => {
    const [first] = places;
    if (first === undefined) return [];
    const { pointer, space, id } = first;
    const to = space.includes("/") ? (id.split("/")[1] ?? id) : id;
    return [{ ...from, pointer, places: places.length, space, to, isUnshown: isUnshown(first, dead) }];
  });
}

/** A missing child of an existing record is hidden: the server deletes references together with a child (docs/api.md#tile-alerts). */
function isUnshown({ space, id }: ReferenceTarget, dead: ReadonlySet<string>): boolean {
  const [kind = space, inside] = space.split("/");
  const [owner = "", ownId] = id.split("/");
  return inside !== undefined && ownId !== undefined && !dead.has(keyOf(kind, owner));
}

function keyOf(space: IdSpace, id: string): string {
  return `${space} ${id.toLowerCase()}`;
}
