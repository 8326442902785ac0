import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
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

const TLS_FOLDER = new URL("../fixtures/tls/", import.meta.url);

/** Where the certificate of listeners over TLS is: self-signed, for localhost. */
export const certificatePath = new URL("localhost.cert.pem", TLS_FOLDER);

/** Starts a listener. @param status what it answers; `never` does not answer at all. */
export async function startListener(
  status: number | "never" = 200,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<Listener> {
  const heard: Heard[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    heard.push({ method: request.method ?? "", path: request.url ?? "", body, headers: request.headers });
    if (status !== "never") response.writeHead(status, { "content-type": "application/json" }).end("{}");
  };
  const answer = (request: IncomingMessage, response: ServerResponse): undefined => void take(request, response);
  const server = tls
    ? createTlsServer(
        { cert: readFileSync(certificatePath), key: readFileSync(new URL("localhost.key.pem", TLS_FOLDER)) },
        answer,
      )
    : createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
