import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { startFakeServer, type FakeServer } from "./fake-server.ts";

/** A request that a listener has received. */
export interface HeardRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An HTTP server that records its requests. */
export interface Listener extends FakeServer {
  readonly heard: readonly HeardRequest[];
}

/** Starts a listener. @param status the status of its responses; with `never`, it sends no response */
export async function startListener(
  status: number | "never" = 200,
  options: { readonly tls?: boolean } = {},
): Promise<Listener> {
  const heard: HeardRequest[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    heard.push({ method: request.method ?? "", path: request.url ?? "", body, headers: request.headers });
    if (status !== "never") response.writeHead(status, { "content-type": "application/json" }).end("{}");
  };
  const server = await startFakeServer((request, response) => void take(request, response), options);
  return { ...server, heard };
}
