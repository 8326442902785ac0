import { StackferryError } from "../core/errors.ts";
import { ignoreEvents, type EventSink } from "../core/events.ts";
import {
  DEFAULT_PATH_SEGMENTS,
  type ClientCertificate,
  type Clock,
  type ProxyEnv,
  type RateLimit,
  type RequestHeader,
  type PathSegments,
  type StackCredential,
} from "../core/ports.ts";
import type { StackIdentity } from "../core/records/record.ts";
import { isHeaderText } from "../core/text/encoding.ts";
import { steadyClock } from "./clock.ts";
import { MAX_PAGE_SIZE } from "./lists/pagination.ts";

export interface StackClientOptions {
  /** `baseUrl` has no credential, query or trailing slash. */
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** Managed only (docs/api.md#routes). */
  readonly segments?: PathSegments;
  /** Default 1000. */
  readonly pageSize?: number;
  /** Over all kinds; default 4. */
  readonly concurrency?: number;
  readonly rate?: RateLimit;
  /** One attempt takes at most this long, until the whole body is read; default 30 000. */
  readonly timeoutMs?: number;
  /** A failing operation is given up after this time; default 120 000. */
  readonly retryBudgetMs?: number;
  /** A larger response is a `protocol` error. Default 256 MiB. */
  readonly maxResponseBytes?: number;
  readonly ca?: string;
  /** Sent to the stack's address alone. */
  readonly headers?: readonly RequestHeader[];
  readonly clientCertificate?: ClientCertificate;
  readonly proxyEnv?: ProxyEnv;
  readonly allowHttp?: boolean;
  /** Masked in messages, besides the credential: a server may echo the request. */
  readonly secrets?: readonly string[];
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly events?: EventSink;
  readonly userAgent?: string;
}

type WithoutDefault = "rate" | "ca" | "clientCertificate" | "proxyEnv";

export type ClientSettings = Required<Omit<StackClientOptions, WithoutDefault>> &
  Pick<StackClientOptions, WithoutDefault>;

export function normaliseClientOptions(options: StackClientOptions): ClientSettings {
  const settings: ClientSettings = {
    segments: DEFAULT_PATH_SEGMENTS,
    pageSize: MAX_PAGE_SIZE,
    concurrency: 4,
    timeoutMs: 30_000,
    retryBudgetMs: 120_000,
    maxResponseBytes: 256 * 1024 * 1024,
    allowHttp: false,
    headers: [],
    secrets: [],
    clock: steadyClock,
    random: Math.random,
    events: ignoreEvents,
    userAgent: "stackferry",
    ...options,
  };
  const { pageSize, concurrency, timeoutMs, rate } = settings;
  requireRule(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE_SIZE, "pageSize is from 1 to 1000");
  requireRule(Number.isInteger(concurrency) && concurrency >= 1, "concurrency is a whole number from 1");
  requireRule(timeoutMs > 0 && timeoutMs < 2 ** 31, "timeoutMs is above 0 and below 2^31");
  requireRule(rate === undefined || (rate.requests >= 1 && rate.perMs > 0), "rate allows at least one request");
  return settings;
}

function requireRule(holds: boolean, rule: string): void {
  if (!holds) throw new StackferryError("config", `a client option is out of range: ${rule}`);
}

export interface Authorization {
  readonly header: string;
  readonly secrets: readonly string[];
}

/** The case of the scheme matters, because servers refuse `bearer`. */
export function authorizationOf(credential: StackCredential): Authorization {
  if ("apiKey" in credential) {
    // Checked here, because the HTTP library's error for an unusable key quotes the whole header.
    if (!isHeaderText(credential.apiKey)) {
      throw badKey("the API key is empty or holds white space, line breaks or characters outside ASCII");
    }
    return { header: `Bearer ${credential.apiKey}`, secrets: [credential.apiKey] };
  }
  const { keyId, keySecret } = credential;
  if (keyId === "" || keySecret === "") throw badKey("the key ID or the key secret is empty");
  // Basic authentication splits user name and password at the first colon.
  if (keyId.includes(":")) throw badKey("the key ID holds a colon");
  const encoded = Buffer.from(`${keyId}:${keySecret}`, "utf8").toString("base64");
  return { header: `Basic ${encoded}`, secrets: [encoded, keySecret, keyId] };
}

function badKey(problem: string): StackferryError {
  return new StackferryError("config", problem, { hint: "check the key" });
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** False for x.localhost, which some resolvers look up in the network. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

export function refusePlainHttp(url: URL, allowHttp: boolean): void {
  if (url.protocol !== "http:" || isLoopback(url) || allowHttp) return;
  throw new StackferryError(
    "config",
    `the credential would be sent to ${url.host} over plain http, where others can read it`,
    { hint: "use https, or allow http (--allow-http, allowHttp) where the network is trusted" },
  );
}
