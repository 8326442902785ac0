import type { Route } from "../domain/resource-kind.ts";

/** One request of ours, ready to send, and what the layers need to know of it. */
export interface StackRequest {
  readonly method: Route["method"];
  /** Path and query, as errors and events name them. */
  readonly path: string;
  /** The whole address. */
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
  /** May change the stack: everything but a GET and a query over POST. */
  readonly writes: boolean;
  /** Sending it twice does no more than sending it once. */
  readonly repeatable: boolean;
  /** A refusal means that this deployment does not have the route. */
  readonly optional: boolean;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** How many records of a list were handed on before, and are not in the text. */
  readonly handedOn?: number;
}
