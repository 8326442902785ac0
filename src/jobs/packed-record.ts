import type { JsonObject } from "../domain/json.ts";
import { deflatedSync, inflatedSync } from "../domain/raw-deflate.ts";
import type { StackRecord } from "../domain/record.ts";
import type { Bodiless } from "./late-body.ts";

/** A record that waits for its turn. Its body is packed: the bodies of a large stack together are larger than memory. */
export interface PackedRecord extends Bodiless {
  unpack(): StackRecord;
}

/** Below this many characters packing saves less than it costs. */
const SMALL = 2048;
/** The fastest: dashboards repeat themselves so much that it makes a tenth of them. */
const LEVEL = 1;

/** Packs a record. What it unpacks to is equal, and another object each time. */
export function packRecord({ kind, id, name, body }: StackRecord): PackedRecord {
  const text = packText(JSON.stringify(body));
  return {
    kind,
    id,
    name,
    unpack: () => {
      const again: JsonObject = JSON.parse(text());
      return { kind, id, name, body: again };
    },
  };
}

// Functions of their own: a closure keeps everything alive that one next to it uses.

function packText(text: string): () => string {
  return text.length < SMALL ? () => text : inflating(Buffer.from(text, "utf8"));
}

function inflating(bytes: Uint8Array): () => string {
  const size = bytes.length;
  const packed = Uint8Array.from(deflatedSync(bytes, LEVEL));
  return () => inflatedSync(packed, size).toString("utf8");
}
