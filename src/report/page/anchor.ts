import { createHash } from "node:crypto";
import type { KindName } from "../../domain/record.ts";

/** The id of a record's place on a page. An id out of an archive can be anything, so odd ones are replaced by a digest. */
export function anchorOf(kind: KindName, id: string): string {
  const plain = /^[\w-]{1,80}$/;
  if (plain.test(kind) && plain.test(id)) return `r-${kind}-${id}`;
  return `r-${createHash("sha256").update(`${kind}/${id}`).digest("hex").slice(0, 24)}`;
}
