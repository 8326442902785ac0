import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";

/** A server that behaves as no stack does. */
export interface FakeServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, or over TLS `https://localhost:PORT` */
  readonly url: string;
}

const TLS_FOLDER = new URL("../fixtures/tls/", import.meta.url);

/** The path of the certificate for TLS: self-signed, for localhost. */
export const certificatePath = new URL("localhost.cert.pem", TLS_FOLDER);

/** Starts a server on loopback. `listener` handles its requests. */
export async function startFakeServer(
  listener: RequestListener,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<FakeServer> {
  const keys = () => ({
    cert: readFileSync(certificatePath),
    key: readFileSync(new URL("localhost.key.pem", TLS_FOLDER)),
  });
  const server = (tls ? createTlsServer(keys(), listener) : createServer(listener)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: tls ? `https://localhost:${address.port}` : `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a server with the routes of a self-hosted stack. `answer` returns the JSON for a kind, an id and a query. */
export function startJsonServer(
  answer: (kind: string, id: string | undefined, query: URLSearchParams) => unknown,
): Promise<FakeServer> {
  return startFakeServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const [, , , kind = "", id] = pathname.split("/");
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer(kind, id, searchParams)));
  });
}
