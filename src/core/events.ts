import type { Outcome, Warning } from "./outcome.ts";
import type { KindName } from "./records/record.ts";

/** An event that use cases and adapters report. They never print; the caller decides which events to show. */
export type RunEvent = SingleEvent & {
  /** The stack that the event is about, if the run works on several stacks. */
  readonly stack?: string;
};

type SingleEvent =
  | {
      readonly type: "phase";
      readonly phase: string;
      readonly total?: number;
      /** The phase counts requests, or records that it writes, up to its total. Absent if it counts nothing. */
      readonly counts?: "requests" | "writes";
    }
  /** The journal of the run, and the number of records that it knows. Without a path, the journal is in memory. */
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

/** A function that receives events as they happen. It must not throw. */
export type EventSink = (event: RunEvent) => void;

export const ignoreEvents: EventSink = () => {};

/** The parameters that every use case takes in addition to its input: a receiver of events and an abort signal. */
export interface RunContext {
  readonly events: EventSink;
  /** Aborted when the user stops the run: nothing new begins, writes in flight finish. */
  readonly signal?: AbortSignal;
}

/** Returns a context for work on one of several stacks. Events that are sent to it name the stack. */
export function contextForStack<Context extends RunContext>(context: Context, stack: string): Context {
  return { ...context, events: (event) => context.events({ ...event, stack }) };
}

/** Returns a context that drops warnings, for lists that are read a second time: the first reading has reported the warnings. */
export function withoutWarnings(context: RunContext): RunContext {
  return { ...context, events: (event) => event.type !== "warning" && context.events(event) };
}
