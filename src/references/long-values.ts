import { createHash } from "node:crypto";
import type { MemberChange } from "../core/diff.ts";
import type { JsonValue } from "../core/json.ts";
import { writeCompact } from "../core/json.ts";

/** So many characters of JSON are shown of a value, or of a pointer. To print two of 16 MB would take several times as much memory. */
const LONGEST = 256 * 1024;
/** And so many of a longer one. */
const BEGINNING = 1000;

/** A change whose long values are texts instead: their beginning, their length and their checksum, so that two that differ still do. */
export function withoutLongValues(change: MemberChange): MemberChange {
  const { pointer, from, to } = change;
  return {
    ...change,
    ...(pointer.length > LONGEST && { pointer: summary(pointer) }),
    ...(from !== undefined && { from: shortened(from) }),
    ...(to !== undefined && { to: shortened(to) }),
  };
}

function shortened(value: JsonValue): JsonValue {
  let length = 0;
  writeCompact(value, (part) => (length += part.length));
  return length > LONGEST ? summary(value) : value;
}

function summary(value: JsonValue): string {
  const hash = createHash("sha256");
  let [beginning, length] = ["", 0];
  writeCompact(value, (part) => {
    hash.update(part);
    beginning += part.slice(0, BEGINNING - beginning.length);
    length += part.length;
  });
  return `${beginning}… (${length} characters of JSON, SHA-256 ${hash.digest("hex")})`;
}
