import { StackferryError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { isJsonArray, isJsonObject } from "../json.ts";

/** Bounds for all records held in memory together. 5,000 dashboards of 40 tiles have 7 million values, 84 million characters. */
export const memoryBounds = { maxValues: 10_000_000, maxCharacters: 256 * 1024 * 1024 } as const;

/** A function that counts one more record. @throws StackferryError if the counted records together exceed the bounds */
export type SpendMemory = (body: JsonValue) => void;

/** Returns a function that counts the records of an archive. */
export function archiveMemoryBudget(bounds: HeldBounds = memoryBounds): SpendMemory {
  const hint =
    "Export the stack in parts with --include and --exclude. verify and inspect read an archive of this size: they hold one record at a time.";
  return createSpender(
    bounds,
    (much) => new StackferryError("archive-unknown", `the records of the archive have ${much}`, { hint }),
  );
}

/** Returns a function that counts the records of a stack's lists, and throws when they take more memory than the bounds allow. */
export function stackMemoryBudget(bounds: HeldBounds = memoryBounds): SpendMemory {
  const hint = "export reads a stack of this size: it holds one record at a time.";
  return createSpender(
    bounds,
    (much) => new StackferryError("protocol", `the records in the lists of the stack have ${much}`, { hint }),
  );
}

interface HeldBounds {
  readonly maxValues: number;
  readonly maxCharacters: number;
}

function createSpender(
  { maxValues, maxCharacters }: HeldBounds,
  error: (much: string) => StackferryError,
): SpendMemory {
  const total = { values: 0, characters: 0 };
  return (body) => {
    addSize(body, total);
    if (total.values > maxValues) throw error(`more than ${maxValues} values together, too many to hold in memory`);
    if (total.characters > maxCharacters)
      throw error(`more than ${maxCharacters} characters of text together, too many to hold in memory`);
  };
}

/** Adds the size of a value to the total: values and member names, counted as for `recordBounds`, and characters of text. */
function addSize(value: JsonValue, total: { values: number; characters: number }): void {
  total.values += 1;
  if (typeof value === "string") total.characters += value.length;
  else if (isJsonArray(value)) for (const item of value) addSize(item, total);
  else if (isJsonObject(value)) {
    // `for … in` takes half the time of `Object.entries`. A body that was read from JSON has no inherited members.
    for (const name in value) {
      total.values += 1;
      total.characters += name.length;
      addSize(value[name] ?? null, total);
    }
  }
}
