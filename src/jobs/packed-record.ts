import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { JsonObject } from "../domain/json.ts";
import type { KindName, StackRecord } from "../domain/record.ts";

/** A record that waits for its turn. Its body is packed: the bodies of a large stack together are larger than memory. */
export interface PackedRecord {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  unpack(): StackRecord;
}

/** Below this many characters packing saves less than it costs. */
const SMALL = 2048;
/** The fastest: dashboards repeat themselves so much that it makes a tenth of them. */
const LEVEL = 1;

/** Packs a record. What it unpacks to is equal, and another object each time. */
export function packRecord({ kind, id, name, body }: StackRecord): PackedRecord {
  const text = JSON.stringify(body);
  const packed = text.length < SMALL ? undefined : deflateRawSync(text, { level: LEVEL });
  const textAgain = packed === undefined ? (): string => text : (): string => inflateRawSync(packed).toString("utf8");
  return {
    kind,
    id,
    name,
    unpack: () => {
      const again: JsonObject = JSON.parse(textAgain());
      return { kind, id, name, body: again };
    },
  };
}
