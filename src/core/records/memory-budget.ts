import { StackferryError } from "../errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../json.ts";

/** 5,000 dashboards of 40 tiles have 7 million values and 84 million characters. */
export const memoryBounds = { maxValues: 10_000_000, maxCharacters: 256 * 1024 * 1024 } as const;

export type SpendMemory = (body: JsonValue) => void;

const HOLDERS = {
  archive: {
    code: "archive-unknown",
    what: "the records of the archive",
    hint: "Export the stack in parts with --include and --exclude. verify and inspect read an archive of this size: they hold one record at a time.",
  },
  stack: {
    code: "protocol",
    what: "the records in the lists of the stack",
    hint: "export reads a stack of this size: it holds one record at a time.",
  },
} as const;

export function memoryBudget(
  holder: keyof typeof HOLDERS,
  bounds: Record<keyof typeof memoryBounds, number> = memoryBounds,
): SpendMemory {
  const { maxValues, maxCharacters } = bounds;
  const total = { values: 0, characters: 0 };
  const refuse = (much: string): never => {
    const { code, what, hint } = HOLDERS[holder];
    throw new StackferryError(code, `${what} have more than ${much} together, too many to hold in memory`, { hint });
  };
  return (body) => {
    addSize(body, total);
    if (total.values > maxValues) refuse(`${maxValues} values`);
    if (total.characters > maxCharacters) refuse(`${maxCharacters} characters of text`);
  };
}

function addSize(value: JsonValue, total: { values: number; characters: number }): void {
  total.values += 1;
  if (typeof value === "string") total.characters += value.length;
  else if (isJsonArray(value)) for (const item of value) addSize(item, total);
  else if (isJsonObject(value)) {
    // `for … in` takes half the time of `Object.entries`. Parsed JSON has no inherited members.
    for (const name in value) {
      total.values += 1;
      total.characters += name.length;
      addSize(value[name] ?? null, total);
    }
  }
}
