import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** An incoming request, before any check. */
export interface InterceptedRequest {
  /** The route as the statistics name it, such as `POST dashboards` or `GET alerts/{id}`. */
  readonly route: string;
  readonly method: string;
  /** The path and query as sent. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  /** The number of requests so far, including this one. */
  readonly count: number;
  /** The number of requests for this route so far. */
  readonly routeCount: number;
  /** The connection, for a response that breaks off or never comes. */
  readonly socket: Socket;
}

/**
 * Stands between the connection and the API. Calling `proceed` serves the request (once; it resolves after the handler has
 * committed and the data file is written); without that call the stack stays unchanged. The returned response is sent; `undefined`
 * means that the interceptor has handled the socket itself, and nothing is written.
 */
export type Interceptor = (
  request: InterceptedRequest,
  proceed: () => Promise<Response>,
) => Response | undefined | Promise<Response | undefined>;
