import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** One request on its way in, before anything has looked at it. */
export interface InterceptedRequest {
  /** The route as the statistics name it, such as `POST dashboards` or `GET alerts/{id}`. */
  readonly route: string;
  readonly method: string;
  /** The path and query as sent. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  /** How many requests have come in, this one included. */
  readonly count: number;
  /** The same, for this route alone. */
  readonly routeCount: number;
  /** The connection itself, for a response that breaks off or never comes. */
  readonly socket: Socket;
}

/**
 * Stands between the wire and the API. Calling `proceed` serves the request (once; it resolves after the handler
 * has committed and the data file is written); not calling it leaves the stack untouched. What is returned is
 * sent; `undefined` says that the interceptor has dealt with the socket itself and nothing is to be written.
 */
export type Interceptor = (
  request: InterceptedRequest,
  proceed: () => Promise<Response>,
) => Response | undefined | Promise<Response | undefined>;
