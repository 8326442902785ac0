import type { Outcome, Warning } from "./outcome.ts";
import type { KindName } from "./records/record.ts";

/** An event of a run. */
export type RunEvent = SingleEvent & {
  /** Set if the run works on several stacks. */
  readonly stack?: string;
};

type SingleEvent =
  | {
      readonly type: "phase";
      readonly phase: string;
      readonly total?: number;
      readonly counts?: "requests" | "writes";
    }
  /** `records` is undefined for a new journal, `path` for a journal in memory. */
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
  /** When aborted, no new write begins; writes in flight finish. */
  readonly signal?: AbortSignal;
}

export function contextForStack<Context extends RunContext>(context: Context, stack: string): Context {
  return { ...context, events: (event) => context.events({ ...event, stack }) };
}

/** For the second reading of a list, because the first has reported the warnings. */
export function withoutWarnings(context: RunContext): RunContext {
  return { ...context, events: (event) => event.type !== "warning" && context.events(event) };
}
