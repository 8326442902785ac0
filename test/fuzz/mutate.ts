import type { JsonValue } from "../../src/core/json.ts";
import type { SeededRandom } from "../support/seeded-random.ts";

/** Limits of number formats, and the signatures of zip headers. */
const WORDS = [
  0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff, 0xfffffffe, 0x04034b50, 0x02014b50, 0x06054b50,
];
const VALUES: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  "..",
  "../../etc/passwd",
  "__proto__",
  "\u0000\u001b[2J\ud800",
  "x".repeat(5000),
  [],
  {},
  [[[[]]]],
  { id: "one" },
];
const TOKENS = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\\",
  "\\ud800",
  "1e999",
  "\u0000",
  "null",
  '"__proto__":{}',
  "﻿",
  "[",
];

/** Returns the bytes with one to eight changes: flipped, overwritten, cut, doubled or moved bytes. */
export function mutateBytes(bytes: Buffer, random: SeededRandom): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let left = 1 + random.below(8); left > 0 && changed.length > 0; left -= 1) changed = oneChange(changed, random);
  return changed;
}

function oneChange(bytes: Buffer, random: SeededRandom): Buffer {
  const at = random.below(bytes.length);
  const length = 1 + random.below(Math.min(64, bytes.length - at));
  switch (random.below(8)) {
    case 0:
    case 1:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    case 2:
      bytes[at] = random.below(256);
      return bytes;
    case 3:
      if (at + 4 <= bytes.length) bytes.writeUInt32LE(random.pick(WORDS) >>> 0, at);
      return bytes;
    case 4:
      if (at + 2 <= bytes.length) bytes.writeUInt16LE(random.pick(WORDS) & 0xffff, at);
      return bytes;
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
    case 6:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)]);
    default:
      return random.chance(1 / 4) ? bytes.subarray(0, at) : copied(bytes, at, length, random);
  }
}

function copied(bytes: Buffer, at: number, length: number, random: SeededRandom): Buffer {
  bytes.copy(bytes, random.below(bytes.length), at, at + length);
  return bytes;
}

/** Returns the text with a token inserted or a part removed. */
export function mutateText(text: string, random: SeededRandom): string {
  const at = random.below(text.length + 1);
  if (random.chance(1 / 3)) return text.slice(0, at) + text.slice(at + 1 + random.below(20));
  if (random.chance(1 / 50)) return text.slice(0, at) + "[".repeat(10_000) + text.slice(at);
  return text.slice(0, at) + random.pick(TOKENS) + text.slice(at);
}

/** Returns the value with a part of it replaced, removed, renamed or added. */
export function mutateJson(value: JsonValue, random: SeededRandom): JsonValue {
  if (typeof value !== "object" || value === null || random.chance(1 / 6)) return random.pick(VALUES);
  const keys = Object.keys(value);
  const at = keys.length === 0 ? "" : random.pick(keys);
  const entries = Object.entries(value).flatMap(([key, inner]): [string, JsonValue][] => {
    if (inner === undefined) return [];
    if (key !== at) return [[key, inner]];
    const fate = random.below(10);
    if (fate === 0) return [];
    if (fate === 1) return [[`${key}x`, inner]];
    return [[key, mutateJson(inner, random)]];
  });
  if (random.chance(1 / 12))
    entries.push([random.pick(["more", "__proto__", "constructor", "id"]), random.pick(VALUES)]);
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
