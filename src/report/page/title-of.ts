import type { KindName } from "../../domain/record.ts";

/** A kind's name as a heading: `Dashboards`. */
export function titleOf(kind: KindName): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}
