import type { ListedRecord } from "../domain/ports.ts";
import type { ResourceKind } from "../domain/resource-kind.ts";
import { listedBytes } from "./listed-bytes.ts";
import type { Press, Pressed } from "./press-records.ts";

/** Records of one kind on their way through the press, while their list is still being read. */
export interface PressLine<Ready> {
  /** Resolves once there is room for more. */
  add(record: ListedRecord): Promise<void>;
  /** What became of all of them, in their order. Rejects with the first that could not be pressed. */
  end(): Promise<Pressed<Ready>[]>;
}

/** So many make a batch, and no more than about so many bytes of them. */
const MOST_RECORDS = 50;
const MOST_BYTES = 128_000;
/** Batches that are pressed at a time: enough for two threads to have one in hand and others waiting for them. */
const MOST_BATCHES = 6;

/** However long a list is, no more than some of its records are in memory as they came. */
export function createPressLine<Ready>(kind: ResourceKind, press: Press<Ready>): PressLine<Ready> {
  const begun: Promise<readonly Pressed<Ready>[]>[] = [];
  let batch: ListedRecord[] = [];
  let bytes = 0;

  const begin = (): void => {
    const pressed = press(kind, batch);
    // Its failure is heard at the end.
    pressed.catch(() => {});
    begun.push(pressed);
    [batch, bytes] = [[], 0];
  };

  return {
    async add(record) {
      batch.push(record);
      bytes += listedBytes(record);
      if (batch.length < MOST_RECORDS && bytes < MOST_BYTES) return;
      begin();
      await begun.at(-MOST_BATCHES)?.catch(() => {});
    },
    async end() {
      if (batch.length > 0) begin();
      const all: Pressed<Ready>[] = [];
      for (const batch of begun) all.push(...(await batch));
      return all;
    },
  };
}
