import type { JsonValue } from "../../domain/json.ts";
import type { Pressed, ReadyRecord } from "../../jobs/press-records.ts";
import { findKind } from "../../kinds/registry.ts";
import { serveTasks } from "../../threads/serve-tasks.ts";
import type { Done } from "../../threads/serve-tasks.ts";
import { pressOf } from "./press-of.ts";
import type { PressSettings } from "./press-of.ts";

/** A batch of records. */
export interface PressTask {
  readonly kind: string;
  /** A JSON array of them, UTF-8. */
  readonly json: Uint8Array;
}

/** What the threads do. */
export interface PressWork {
  readonly data: PressSettings;
  readonly task: PressTask;
  /** What became of each. */
  readonly answer: readonly Pressed<ReadyRecord>[];
}

serveTasks<PressWork>((settings) => {
  const press = pressOf(settings);
  return async ({ kind: name, json }) => {
    const kind = findKind(name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    const values: JsonValue[] = JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString("utf8"));
    const records = values.map((value) => ({ value }));
    return inOneBuffer(await press(kind, records));
  };
});

/** The same, the bytes of all records in one buffer: that goes over to the other thread, where many small ones would be copied. */
function inOneBuffer(answer: PressWork["answer"]): Done<PressWork> {
  const size = answer.reduce((sum, each) => sum + (each.status === "ready" ? each.record.packed.data.length : 0), 0);
  const buffer = new ArrayBuffer(size);
  let end = 0;
  const moved = answer.map((each): Pressed<ReadyRecord> => {
    if (each.status !== "ready") return each;
    const { packed } = each.record;
    const data = new Uint8Array(buffer, end, packed.data.length);
    data.set(packed.data);
    end += data.length;
    return { ...each, record: { ...each.record, packed: { ...packed, data } } };
  });
  return { answer: moved, transfer: [buffer] };
}
