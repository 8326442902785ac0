import { createLimiter, createStats, type SandboxStats } from "./http/serve-call.ts";
import { answerDirectly, createServer, startListening } from "./http/server.ts";
import { createGuard, resolveIdentity, stackPath, type Identity } from "./identity.ts";
import { createIdGenerator, createStore, snapshotOf, type Store, type SandboxRecord } from "./store.ts";
import {
  normaliseSandboxOptions,
  type Collection,
  type SandboxOptions,
  type SandboxVariant,
  type Settings,
} from "./options.ts";
import { loadSeed } from "./seeds/load-seed.ts";
import type { RouteWrapper } from "./resources/route.ts";

export type { InterceptedRequest, Interceptor, SandboxOptions, SandboxSeed, SandboxVariant } from "./options.ts";
export type { SandboxStats } from "./http/serve-call.ts";

export interface Sandbox extends AsyncDisposable {
  /** The sandbox's own address, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The address for a client: `url`, followed on managed stacks by organization and service. */
  readonly stack: string;
  readonly variant: SandboxVariant;
  /** Only on managed stacks, like the next three members. */
  readonly organizationId?: string;
  readonly serviceId?: string;
  readonly keyId?: string;
  readonly keySecret?: string;
  /** Only on self-hosted stacks. */
  readonly apiKey?: string;
  readonly webhooks: readonly { readonly id: string; readonly name: string }[];
  /** Answers a request of this process, without a connection. */
  fetch(request: Request): Promise<Response>;
  /** The content of the stack, with secrets that the API never returns. */
  stored(): Readonly<Record<Collection, readonly SandboxRecord[]>>;
  stats(): SandboxStats;
  /** Stops listening and cuts all connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a stack in this process, and resolves when the stack listens.
 * @param wrapRoute makes routes store or return other data, in tests
 * @throws `Error` with the code `sandbox-usage` (an invalid option) or `sandbox-io` (the port cannot be used)
 */
export async function startSandbox(options: SandboxOptions, wrapRoute?: RouteWrapper): Promise<Sandbox> {
  const settings = normaliseSandboxOptions(options);
  const { variant, now, strict, seed } = settings;
  const ids = createIdGenerator(settings.ids, now, options.random);
  const identity = resolveIdentity(options, ids);
  const records = typeof seed === "object" ? seed : loadSeed(seed, { variant, identity, now: now(), ids });
  const store = createStore(records);
  const stats = createStats();
  const guard = createGuard(variant, identity);
  const limiter = settings.limit && createLimiter(settings.limit, now);
  const stack = { variant, strict, identity, store, ids, now, unlistedConnections: unlistedConnections(store) };
  const app = createServer({ stack, guard, limiter, stats }, settings, { intercept: options.intercept, wrapRoute });
  const { url, close: stopListening } = await startListening(app.fetch, settings);

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= stopListening());
  return {
    ...publicFields(settings, identity, store),
    url,
    stack: `${url}${stackPath(variant, identity)}`,
    fetch: (request) => answerDirectly(app, request),
    stored: () => structuredClone(snapshotOf(store)),
    stats: stats.read,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The output of `stackferry sandbox --json`. */
export function describeSandbox(sandbox: Sandbox): object {
  const { url, variant, organizationId, serviceId, apiKey, keyId, keySecret, stack, webhooks } = sandbox;
  const credentials = { organizationId, serviceId, apiKey, keyId, keySecret };
  return { url, variant, ...credentials, stack, webhooks };
}

/** Only a seed without connections has unlisted connections. */
function unlistedConnections({ sources, connections }: Store): ReadonlySet<string> {
  if (connections.size > 0) return new Set();
  return new Set([...sources.values()].map(({ connection }) => connection).filter((id) => typeof id === "string"));
}

function publicFields({ variant }: Settings, identity: Identity, store: Store) {
  const webhooks = [...store.webhooks.values()].map(({ id, name }) => ({ id, name: String(name) }));
  if (variant === "self-hosted") return { variant, webhooks, apiKey: identity.apiKey };
  const { organizationId, serviceId, keyId, keySecret } = identity;
  return { variant, webhooks, organizationId, serviceId, keyId, keySecret };
}
