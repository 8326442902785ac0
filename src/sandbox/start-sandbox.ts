import { randomInt } from "node:crypto";
import { createSaver, loadDataFile } from "./store/data-file.ts";
import { createDataFaults } from "./faults/data-faults.ts";
import { createSchedule } from "./faults/plan.ts";
import { createResponseFaults } from "./faults/response-faults.ts";
import { createLimiter } from "./http/serve-call.ts";
import { startListening, createServer } from "./http/server.ts";
import { createGuard, resolveIdentity, stackPath, type Identity } from "./identity.ts";
import { createIdGenerator, createStore, snapshotOf, type Store, type SandboxRecord } from "./store/store.ts";
import {
  normaliseSandboxOptions,
  type Collection,
  type Interceptor,
  type SandboxOptions,
  type SandboxVariant,
  type Settings,
} from "./options.ts";
import { loadSeed } from "./seeds/load-seed.ts";
import type { Stack } from "./resources/route.ts";
import { createStats, type SandboxStats, type StatsCounter } from "./stats.ts";

export type { FaultPlan } from "./faults/plan.ts";
export type { InterceptedRequest, Interceptor, SandboxOptions, SandboxSeed, SandboxVariant } from "./options.ts";
export type { SandboxStats } from "./stats.ts";

/** A running stack. */
export interface Sandbox extends AsyncDisposable {
  /** The sandbox's own address, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** The stack's address for a client: `url`, followed on managed by the organization and the service. */
  readonly stack: string;
  readonly variant: SandboxVariant;
  /** This and the next four members exist only on managed. */
  readonly organizationId?: string;
  readonly serviceId?: string;
  readonly keyId?: string;
  readonly keySecret?: string;
  readonly pipeIds?: readonly string[];
  /** Only on self-hosted. */
  readonly apiKey?: string;
  readonly webhooks: readonly { readonly id: string; readonly name: string }[];
  /** The seed of the fault plan, given or random; absent without a fault plan. */
  readonly faultSeed?: number;
  /** The current content of the stack, including secrets that the API never returns. */
  stored(): Readonly<Record<Collection, readonly SandboxRecord[]>>;
  /** The statistics, as in `GET /__sandbox/stats`. */
  stats(): SandboxStats;
  /** Stops listening, ends idle connections and writes the data file. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a stack in this process. Resolves when the stack listens. Rejects with an `Error` whose `code` is `sandbox-usage` (an
 * invalid option) or `sandbox-io` (the port or the data file cannot be used).
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const settings = normaliseSandboxOptions(options);
  const { variant, now, strict, release, listOmits } = settings;
  const { dataFile } = options;
  const ids = createIdGenerator(settings.ids, now, options.random);
  const storedState = dataFile === undefined ? undefined : await loadDataFile(dataFile, settings);
  const identity = resolveIdentity(options, storedState?.identity, ids);
  const { seed } = settings;
  const records =
    storedState?.records ?? (typeof seed === "object" ? seed : loadSeed(seed, { variant, identity, now: now(), ids }));
  const store = createStore(records);
  const save = dataFile === undefined ? async () => undefined : createSaver(dataFile, settings, identity, store);
  await save();

  const stats = createStats(settings.faults !== undefined);
  const guard = createGuard(variant, identity);
  const limiter = settings.limit && createLimiter(settings.limit, now);
  const baseStack = { variant, strict, release, listOmits, identity, store, ids, now };
  const stack = { ...baseStack, unlistedConnections: unlistedConnections(store) };
  const faults = startFaults(settings, options, stack, stats);
  const hooks = { intercept: faults?.intercept ?? options.intercept, distort: faults?.distort };
  const app = createServer({ stack, guard, limiter, stats, save }, settings, hooks);
  const { url, close: stopListening } = await startListening(app.fetch, settings);

  let closing: Promise<void> | undefined;
  const close = () => {
    faults?.release();
    return (closing ??= stopListening().then(save));
  };
  return {
    ...publicFields(settings, identity, store),
    url,
    stack: `${url}${stackPath(variant, identity)}`,
    ...(faults && { faultSeed: faults.seed }),
    stored: () => structuredClone(snapshotOf(store)),
    stats: stats.read,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const SEEDS = 2 ** 32;

/** Starts the fault plan. The interceptor of the faults wraps the caller's interceptor. */
function startFaults(
  { faults: plan, limit }: Settings,
  { random, intercept: inner }: SandboxOptions,
  stack: Stack,
  stats: StatsCounter,
) {
  if (plan === undefined) return undefined;
  const seed = plan.seed ?? (random === undefined ? randomInt(SEEDS) : Math.floor(random() * SEEDS));
  const schedule = createSchedule(plan, seed, stats.faulted);
  const { intercept: outer, release } = createResponseFaults(schedule, stack, limit);
  const intercept: Interceptor = (request, proceed) =>
    outer(request, async () => (inner ? inner(request, proceed) : proceed()));
  return { seed, intercept, distort: createDataFaults(schedule), release };
}

/** Returns the output of `stackferry sandbox --json`: all that a client needs to connect to the stack. */
export function describeSandbox(sandbox: Sandbox): object {
  const { url, variant, organizationId, serviceId, apiKey, keyId, keySecret, stack, webhooks, pipeIds } = sandbox;
  const credentials = { organizationId, serviceId, apiKey, keyId, keySecret };
  return { url, variant, ...credentials, stack, webhooks, pipeIds, faultSeed: sandbox.faultSeed };
}

/** Returns the ids of the connections that sources reference, if the seed has no connections. Otherwise returns none. */
function unlistedConnections({ sources, connections }: Store): ReadonlySet<string> {
  if (connections.size > 0) return new Set();
  return new Set([...sources.values()].map(({ connection }) => connection).filter((id) => typeof id === "string"));
}

function publicFields({ variant }: Settings, identity: Identity, store: Store) {
  const webhooks = [...store.webhooks.values()].map(({ id, name }) => ({ id, name: String(name) }));
  if (variant === "self-hosted") return { variant, webhooks, apiKey: identity.apiKey };
  const { organizationId, serviceId, keyId, keySecret } = identity;
  return { variant, webhooks, organizationId, serviceId, keyId, keySecret, pipeIds: [...store.pipes.keys()] };
}
