import type { JsonObject } from "../domain/json.ts";
import { visitValues } from "../domain/visit-paths.ts";
import { recordKey } from "../domain/record.ts";
import type { RecordKey, StackRecord } from "../domain/record.ts";
import type { IdSpace, ResourceKind } from "../domain/resource-kind.ts";
import { findKind } from "../kinds/registry.ts";
import { surveyReferences } from "./references.ts";
import type { Referent } from "./references.ts";

/** Two records that point to the same share one object: every tile there is may use one source. */
export function distinctReferents(): (referents: readonly Referent[]) => readonly Referent[] {
  const shared = new Map<string, Referent>();
  return (referents) => {
    const found = referents.map(({ space, id, record, checked, form, deferrable }) => {
      const key = `${form} ${checked} ${deferrable} ${space} ${id}`;
      const referent = shared.get(key) ?? { space, id, record, checked, form, deferrable };
      shared.set(key, referent);
      return referent;
    });
    return [...new Set(found)];
  };
}

/** What one look at each record has found. */
export interface Surveyed {
  readonly surveyed: readonly {
    readonly key: RecordKey;
    readonly declared: readonly Referent[];
    /** That its texts mention. */
    readonly ids: readonly string[];
  }[];
  readonly referred: ReadonlyMap<IdSpace, ReadonlySet<string>>;
  readonly mentioned: ReadonlySet<string>;
  readonly redacted: ReadonlySet<RecordKey>;
}

/** Looks once at each record. @param distinct keeps each thing that is pointed to once */
export function surveyRecords(
  records: readonly StackRecord[],
  distinct: ReturnType<typeof distinctReferents>,
): Surveyed {
  const referred = new Map<IdSpace, Set<string>>();
  const redacted = new Set<RecordKey>();
  const texts = detachedTexts();
  const surveyed = records.flatMap(({ kind: name, id, body }) => {
    const kind = findKind(name);
    if (!kind) return [];
    const key = recordKey(name, id);
    collectReferred(kind, body, referred);
    const { declared, mentioned, isRedacted } = surveyReferences(kind, body);
    if (isRedacted) redacted.add(key);
    return [{ key, declared: distinct(declared), ids: [...mentioned].map(texts.of) }];
  });
  return { surveyed, referred, mentioned: texts.all(), redacted };
}

/** Ids where references are declared, whatever stands beside them. */
function collectReferred(kind: ResourceKind, body: JsonObject, referred: Map<IdSpace, Set<string>>): void {
  for (const { path, to } of kind.references) {
    if (to.includes("/")) continue;
    const ids = referred.get(to) ?? new Set();
    visitValues(body, path, (value) => {
      if (typeof value === "string") ids.add(value);
    });
    referred.set(to, ids);
  }
}

/** Copies of what was found in texts, one of each: a slice of a text would keep all of it in memory. */
function detachedTexts(): { of: (found: string) => string; all: () => ReadonlySet<string> } {
  const copies = new Map<string, string>();
  return {
    of: (found) => {
      const copy = copies.get(found) ?? Buffer.from(found, "latin1").toString("latin1");
      copies.set(copy, copy);
      return copy;
    },
    all: () => new Set(copies.keys()),
  };
}
