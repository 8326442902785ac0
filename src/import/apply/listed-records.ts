import type { Plan } from "../../core/plan/plan.ts";
import { getOrMake } from "../../core/collections.ts";
import type { KindName } from "../../core/records/record.ts";
import { foldedKey } from "../../references/known-ids.ts";

/** The records of the target: those that it listed when the plan was made, and those that this run has created since. */
export class ListedRecords {
  readonly #keys = new Set<string>();
  readonly #idsByName = new Map<string, string[]>();

  constructor(present: Plan["present"]) {
    for (const [kind, names] of present) for (const [id, name] of names) this.add(kind, id, name);
  }

  add(kind: KindName, id: string, name: string): void {
    this.#keys.add(foldedKey(kind, id));
    if (name.trim() !== "") getOrMake(this.#idsByName, nameKey(kind, name), () => []).push(id);
  }

  has(kind: KindName, id: string): boolean {
    return this.#keys.has(foldedKey(kind, id));
  }

  /** Lists the ids of the records of one name. A record without a name has no namesakes: its content tells it apart. */
  namesakesOf(kind: KindName, name: string): readonly string[] {
    return this.#idsByName.get(nameKey(kind, name)) ?? [];
  }
}

function nameKey(kind: KindName, name: string): string {
  return `${kind} ${name.trim()}`;
}
