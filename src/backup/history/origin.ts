import { createHash } from "node:crypto";
import { z } from "zod";
import { byCodeUnit } from "../../core/collections.ts";
import type { RecordKey, StackIdentity } from "../../core/records/record.ts";

/**
 * Identifies the stack of an archive in `status.json`. It consists of digests, because everybody who sees the repository can read
 * `status.json`, even if the archives are encrypted.
 */
export const originSchema = z.object({
  /** Digest of the stack's address. */
  address: z.string(),
  /** The smallest digests of record ids, at most `SAMPLE`. Archives with the same records have the same digests. */
  ids: z.array(z.string()),
});
export type Origin = Readonly<z.output<typeof originSchema>>;

/** Number of ids that are compared. Two stacks share almost none or almost all of them, so a few ids suffice. */
const SAMPLE = 32;

/** Length of an id's digest in hex digits; 40 bits are enough to tell a few thousand ids apart. */
const ID_DIGITS = 10;

export function digestOrigin(source: StackIdentity, keys: readonly RecordKey[]): Origin {
  const { variant, baseUrl, organizationId, serviceId } = source;
  // As in `isSameStack`, a managed service is identified by the ids of its organization and service, not by its address.
  const address = organizationId === undefined ? [variant, baseUrl] : [variant, organizationId, serviceId];
  const ids = keys.map((key) => digestOf(key).slice(0, ID_DIGITS)).toSorted(byCodeUnit);
  return { address: digestOf(JSON.stringify(address)), ids: ids.slice(0, SAMPLE) };
}

/**
 * Tells whether two archives are of different stacks: the address differs, and less than half of the ids are the same. The address
 * alone proves nothing, because a stack may get another address and keep its records. If the samples have no comparable ids, the
 * stacks differ too much in size to be one stack at a new address.
 */
export function isOtherStack(before: Origin, after: Origin): boolean {
  if (before.address === after.address) return false;
  // A full sample has only the smallest digests of its archive. Digests of the other sample that are larger than all of these are
  // not compared.
  const limits = [before.ids, after.ids].flatMap((ids) => (ids.length < SAMPLE ? [] : (ids.at(-1) ?? [])));
  const comparable = (ids: readonly string[]) => ids.filter((id) => limits.every((limit) => id <= limit));
  const [left, right] = [new Set(comparable(before.ids)), new Set(comparable(after.ids))];
  if (before.ids.length === 0 || after.ids.length === 0) return false;
  return left.size === 0 || right.size === 0 || sharesFewIds(left, right);
}

/** Tells whether the two sets have less than half of the ids of the smaller set in common. */
export function sharesFewIds(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const shared = [...left].filter((id) => right.has(id)).length;
  return shared * 2 < Math.min(left.size, right.size);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
