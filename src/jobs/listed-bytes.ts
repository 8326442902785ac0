import type { ListedRecord } from "../domain/ports.ts";

/** About how long a listed record is as JSON; it is written for that only where nobody knows what it was read from. */
export function listedBytes({ value, json }: ListedRecord): number {
  return json?.length ?? JSON.stringify(value).length;
}
