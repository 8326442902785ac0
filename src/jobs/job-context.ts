import type { EventSink } from "../domain/events.ts";

/** What every job is given besides its subject. */
export interface JobContext {
  readonly events: EventSink;
  /** Aborted when the user asks to stop: nothing new is begun, writes in flight are let finish. */
  readonly signal?: AbortSignal;
}
