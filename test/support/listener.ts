import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that a listener has taken. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An HTTP server that remembers what it is told. */
export interface Listener extends AsyncDisposable {
  readonly url: string;
  readonly heard: readonly Heard[];
}

/** Starts a listener. @param status what it answers; `never` does not answer at all. */
export async function startListener(status: number | "never" = 200): Promise<Listener> {
  const heard: Heard[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    heard.push({ method: request.method ?? "", path: request.url ?? "", body, headers: request.headers });
    if (status !== "never") response.writeHead(status, { "content-type": "application/json" }).end("{}");
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
