import { createHash } from "node:crypto";

/**
 * Which of `count` shards a stack belongs to, from 0: the first four bytes of the SHA-256 of its name, modulo the count. The
 * same on every machine, whatever other stacks there are.
 */
export function shardOf(stack: string, count: number): number {
  return createHash("sha256").update(stack, "utf8").digest().readUInt32BE(0) % count;
}
