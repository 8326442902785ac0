import type { Outcome, Warning } from "./outcome.ts";
import type { KindName } from "./records/record.ts";

/** An event that use cases and adapters report while they work. They never print; the caller decides which events to show. */
export type RunEvent = SingleEvent & {
  /** The stack of the event, where a run works on several. */
  readonly stack?: string;
};

type SingleEvent =
  | {
      readonly type: "phase";
      readonly phase: string;
      readonly total?: number;
      /** An estimate: the number of requests of the phase, and the stack's rate limit if it is known in advance. */
      readonly requests?: number;
      readonly limit?: { readonly requests: number; readonly perMs: number };
    }
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
  | { readonly type: "wait"; readonly reason: string; readonly untilMs: number };

/** Takes events as they happen. Must not throw. */
export type EventSink = (event: RunEvent) => void;

/** For callers that need no events. */
export const ignoreEvents: EventSink = () => {};

/** The context that every use case takes besides its input. */
export interface RunContext {
  readonly events: EventSink;
  /** Aborted when the user stops the run: nothing new begins, writes in flight finish. */
  readonly signal?: AbortSignal;
}

/** Returns the context for the work on one of several stacks: its events name the stack. */
export function forStack<Context extends RunContext>(context: Context, stack: string): Context {
  return { ...context, events: (event) => context.events({ ...event, stack }) };
}

/** Returns the context without warnings, for lists that are read again: they were reported when the plan was made. */
export function withoutWarnings(context: RunContext): RunContext {
  return { ...context, events: (event) => event.type !== "warning" && context.events(event) };
}
