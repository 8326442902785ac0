import { ProxyAgent } from "undici";
import { startSandbox as startListening, type Sandbox } from "../../src/sandbox/start-sandbox.ts";

export type {
  Interceptor,
  Sandbox,
  SandboxOptions,
  SandboxSeed,
  SandboxVariant,
} from "../../src/sandbox/start-sandbox.ts";

/*
 * Most tests run the program in the process of its sandboxes, and connections would take a third of the processor's time. So `fetch`
 * asks these sandboxes directly. A test of connections, of chunks of a body or of headers that `fetch` adds starts its sandbox with
 * `startSandbox` of the sources.
 */

/** By their origin: the sandboxes of this process that are asked without a connection. */
const direct = new Map<string, Sandbox>();
const overConnections = globalThis.fetch;
// Tests replace the timers of the process.
const { setImmediate } = globalThis;

/** Starts a sandbox that `fetch` asks without a connection. It also listens, for other processes and other clients. */
export async function startSandbox(...given: Parameters<typeof startListening>): Promise<Sandbox> {
  const sandbox = await startListening(...given);
  const close = (): Promise<void> => {
    direct.delete(sandbox.url);
    return sandbox.close();
  };
  direct.set(sandbox.url, sandbox);
  return { ...sandbox, close, [Symbol.asyncDispose]: close };
}

globalThis.fetch = async (input, init = {}) => {
  const sandbox = typeof input === "object" && "body" in input ? undefined : direct.get(new URL(input).origin);
  const { dispatcher, signal, ...rest } = { dispatcher: undefined, ...init };
  if (sandbox === undefined || dispatcher instanceof ProxyAgent) return overConnections(input, init);
  signal?.throwIfAborted();
  const request = new Request(String(input), rest);
  // A request lets timers and signals of the run have their turn, as one over a connection.
  await new Promise((resolve) => setImmediate(resolve));
  return unlessAborted(sandbox.fetch(request), signal);
};

async function unlessAborted(response: Promise<Response>, signal: AbortSignal | null | undefined): Promise<Response> {
  if (!signal) return response;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void response.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
