import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ServerType } from "@hono/node-server";
import { createAdaptorServer } from "@hono/node-server";
import { sandboxError } from "../errors.ts";
import type { Settings } from "../options.ts";

// Time for responses in progress when the sandbox closes; after that their connections are cut.
const CLOSE_GRACE_MS = 2000;

export interface Listening {
  readonly url: string;
  /** Stops listening, ends idle connections, and waits for responses in progress. */
  readonly close: () => Promise<void>;
}

/** Throws `sandbox-io` if the address cannot be used. */
export async function listen(
  fetch: Parameters<typeof createAdaptorServer>[0]["fetch"],
  { host, port }: Settings,
): Promise<Listening> {
  // The sandbox shares the process, so the global Request and Response stay as they are.
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
  const silent = trackSilent(server);
  const address = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", (cause) => reject(sandboxError("sandbox-io", `cannot listen on ${host}:${port}`, cause)));
    server.listen(port, host, () => {
      const bound = server.address();
      if (typeof bound === "object" && bound !== null) resolve(bound);
      else reject(sandboxError("sandbox-io", `cannot listen on ${host}:${port}`));
    });
  });
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close: () => closeServer(server, silent) };
}

/** Connections that have not sent a request yet: Node does not count them as idle, so closing would wait for them. */
function trackSilent(server: ServerType): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.on("request", ({ socket }: { readonly socket: Socket }) => silent.delete(socket));
  return silent;
}

function closeServer(server: ServerType, silent: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => isHttp1(server) && server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    if (isHttp1(server)) server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
  });
}

function isHttp1(server: ServerType): server is Server {
  return "closeIdleConnections" in server;
}
