import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo, Server as NetServer } from "node:net";
import { onTestFinished } from "vitest";

const TLS_FOLDER = new URL("../../../fixtures/tls/", import.meta.url);

/** The certificate of the TLS servers below: self-signed, for localhost and 127.0.0.1. */
export const certificate = readFileSync(new URL("localhost.cert.pem", TLS_FOLDER), "utf8");
export const key = readFileSync(new URL("localhost.key.pem", TLS_FOLDER), "utf8");

/** Starts a server on loopback that stops at the end of the test. Returns its port. */
export async function serve(listener: RequestListener): Promise<number> {
  return listen(createServer(listener));
}

/** Like `serve`, over TLS. */
export async function serveTls(listener: RequestListener, options: ServerOptions = {}): Promise<number> {
  return listen(createTlsServer({ cert: certificate, key, ...options }, listener));
}

/** Starts a server. It stops at the end of the test, and its connections are closed. */
export async function listen(server: Server | NetServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return portOf(server.address());
}

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  return address.port;
}
