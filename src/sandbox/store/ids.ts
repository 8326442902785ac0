import { randomBytes } from "node:crypto";
import type { SandboxIds } from "../options.ts";

/** Generates ids, request ids and secrets. */
export interface IdGenerator {
  /** An id in the form of the stack: 24 hex digits or a UUID v4. */
  readonly id: () => string;
  readonly uuid: () => string;
  /** `bytes` random bytes in hexadecimal. */
  readonly secret: (bytes: number) => string;
  /** Tells whether `text` has the form of the stack's ids. */
  readonly isId: (text: string) => boolean;
  /** The servers' name for that form. */
  readonly form: "uuid" | "ObjectId";
}

const OBJECT_ID = /^[0-9a-f]{24}$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Every id contains a counter, so that two never collide even if a test makes `random` constant. */
export function createIdGenerator(form: SandboxIds, now: () => number, random?: () => number): IdGenerator {
  const bytes = (count: number): Buffer =>
    random === undefined ? randomBytes(count) : Buffer.from(Array.from({ length: count }, () => random() * 256));
  const origin = bytes(5);
  let counter = bytes(3).readUIntBE(0, 3);
  const next = (): number => (counter = (counter + 1) % 0x1_00_00_00);

  const objectId = (): string => {
    const id = Buffer.alloc(12);
    id.writeUInt32BE(Math.floor(now() / 1000) % 0x1_0000_0000, 0);
    origin.copy(id, 4);
    id.writeUIntBE(next(), 9, 3);
    return id.toString("hex");
  };
  const uuid = (): string => {
    const id = bytes(16);
    id.writeUIntBE(id.readUIntBE(13, 3) ^ next(), 13, 3);
    id.writeUInt8((id.readUInt8(6) & 0x0f) | 0x40, 6);
    id.writeUInt8((id.readUInt8(8) & 0x3f) | 0x80, 8);
    return id.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  return {
    id: form === "uuid" ? uuid : objectId,
    uuid,
    secret: (count) => bytes(count).toString("hex"),
    isId: form === "uuid" ? isUuid : (text) => OBJECT_ID.test(text),
    form: form === "uuid" ? "uuid" : "ObjectId",
  };
}
