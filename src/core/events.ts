import type { Outcome, Warning } from "./outcome.ts";
import type { KindName } from "./records/record.ts";

/** An event of a run. Use cases and adapters report events and never print. */
export type RunEvent = SingleEvent & {
  /** The stack that the event is about, if the run works on several stacks. */
  readonly stack?: string;
};

type SingleEvent =
  | {
      readonly type: "phase";
      readonly phase: string;
      readonly total?: number;
      /**
       * What the phase counts up to `total`: its requests, or the records that it writes. Absent if the phase reports no progress.
       */
      readonly counts?: "requests" | "writes";
    }
  /**
   * The journal of the run. `records`: the number of records in the journal; undefined for a new journal. A journal in
   * memory has no path.
   */
  | { readonly type: "journal"; readonly path: string | undefined; readonly records: number | undefined }
  | { readonly type: "listed"; readonly kind: KindName; readonly count: number }
  | { readonly type: "outcome"; readonly outcome: Outcome }
  | { readonly type: "warning"; readonly warning: Warning }
  | {
      readonly type: "request";
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly ms: number;
    }
  | {
      readonly type: "retry";
      readonly method: string;
      readonly path: string;
      readonly reason: string;
      readonly inMs: number;
    }
  | { readonly type: "wait"; readonly reason: string; readonly waitMs: number };

/** Receives events as they happen. Must not throw. */
export type EventSink = (event: RunEvent) => void;

export const ignoreEvents: EventSink = () => {};

export interface RunContext {
  readonly events: EventSink;
  /** Aborted when the user stops the run. No new write begins; writes in flight finish. */
  readonly signal?: AbortSignal;
}

/** Returns a context whose events name the stack, for a run on several stacks. */
export function contextForStack<Context extends RunContext>(context: Context, stack: string): Context {
  return { ...context, events: (event) => context.events({ ...event, stack }) };
}

/** Returns a context that drops warnings. For the second reading of a list, whose warnings the first reading has reported. */
export function withoutWarnings(context: RunContext): RunContext {
  return { ...context, events: (event) => event.type !== "warning" && context.events(event) };
}
