import { createStackClient } from "../../client/stack-client.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { StackCredential, StackRole, StackSettings } from "../../config/stack-settings.ts";
import { resolveStack } from "../../config/stacks.ts";
import type { EventSink } from "../../core/events.ts";
import type { ProxyEnv, StackClient } from "../../core/ports.ts";
import type { ReportedStack } from "../output/document.ts";
import type { Session } from "../program/session.ts";
import { programVersion } from "../program/version.ts";

/**
 * How long an operation may go on failing, in timeouts of one try: 2 minutes by default, and a user who says
 * `--timeout 300ms` is not kept waiting either.
 */
const RETRY_BUDGET_IN_TIMEOUTS = 4;

/** Resolves a STACK argument. From here on its credential is kept out of everything printed. */
export async function resolveFor(reference: string, role: StackRole, session: Session): Promise<StackSettings> {
  const { io, globals, secretFilter, events } = session;
  const config = await loadConfig({ file: globals.configFile, cwd: io.cwd });
  const flags = { ...globals.pacing, caFile: globals.caFile, allowHttp: globals.allowHttp };
  const settings = await resolveStack(reference, role, { config, env: io.env, flags, cwd: io.cwd });
  secretFilter.add(...secretsOf(settings.credential));
  for (const warning of settings.warnings) events({ type: "warning", warning });
  return settings;
}

/** How a client differs from the usual one. */
export interface ClientOptions {
  readonly events?: EventSink;
  /** Give up at the latest when an operation has failed for so long. */
  readonly maxRetryBudgetMs?: number;
}

/** A client for a resolved stack; its requests count towards the run's report. */
export function openClient(settings: StackSettings, session: Session, options: ClientOptions = {}): StackClient {
  const { identity, credential, segments, concurrency, rate, timeoutMs, ca, allowHttp } = settings;
  const proxies = proxyEnv(session.io.env);
  const client = createStackClient({
    identity,
    credential,
    segments,
    concurrency,
    ...(rate !== undefined && { rate }),
    timeoutMs,
    retryBudgetMs: Math.min(RETRY_BUDGET_IN_TIMEOUTS * timeoutMs, options.maxRetryBudgetMs ?? Infinity),
    ...(ca !== undefined && { ca }),
    ...(proxies !== undefined && { proxyEnv: proxies }),
    allowHttp,
    events: options.events ?? session.events,
    userAgent: `stackferry/${programVersion()}`,
  });
  session.runState.requestCounts.push(() => client.requestCounts());
  return client;
}

/** A stack as reports name it. */
export function reported({ label, identity }: StackSettings): ReportedStack {
  return { label, ...identity };
}

/** The secrets of a credential: its members, and the text that a Basic header is made of. */
export function secretsOf(credential: StackCredential): string[] {
  if ("apiKey" in credential) return [credential.apiKey];
  const { keyId, keySecret } = credential;
  return [keyId, keySecret, `${keyId}:${keySecret}`];
}

/** Reads the proxy variables in either case, the lower one first, as other programs do. */
export function proxyEnv(env: Readonly<Record<string, string | undefined>>): ProxyEnv | undefined {
  const names = ["http_proxy", "https_proxy", "no_proxy"] as const;
  const found = names.flatMap((name) => {
    const value = env[name] || env[name.toUpperCase()];
    return value ? [[name, value] as const] : [];
  });
  const proxies = found.filter(([name]) => name !== "no_proxy");
  return proxies.length === 0 ? undefined : Object.fromEntries(found);
}
