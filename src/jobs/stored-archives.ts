import type { Place, StoredFile } from "../domain/ports.ts";
import { parseStoredName } from "./stored-names.ts";
import type { StoredName } from "./stored-names.ts";

/** An archive that a backup has stored. */
export interface StoredArchive extends StoredName {
  readonly bytes: number;
}

/** The archives of one stack, or of all of them by stack; the newest first. Anything else in the place is passed over. */
export async function storedArchives(place: Place, stack?: string, signal?: AbortSignal): Promise<StoredArchive[]> {
  const files = await place.list(stack === undefined ? "" : `${stack}/`, signal);
  return files
    .flatMap((file: StoredFile): StoredArchive[] => {
      const parsed = parseStoredName(file.name);
      return parsed === undefined ? [] : [{ ...parsed, bytes: file.bytes }];
    })
    .toSorted((left, right) => byText(left.stack, right.stack) || right.at - left.at || byText(left.name, right.name));
}

function byText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
