import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";

/** A server that does what no stack does. */
export interface OddServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
}

/** Starts a server on loopback that answers with `listener`. */
export async function startOddServer(listener: RequestListener): Promise<OddServer> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
