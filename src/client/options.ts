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
  /** `baseUrl` is an http or https address without credential, query and trailing slash. */
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** The path segments of a managed deployment; `obsstack` and `pipes` by default (docs/api.md#routes). */
  readonly segments?: PathSegments;
  /** Records per page, 1 to 1000; default 1000. */
  readonly pageSize?: number;
  /** Concurrent requests, over all kinds; default 4. */
  readonly concurrency?: number;
  /** A rate limit of the user, in addition to the stack's limits. */
  readonly rate?: RateLimit;
  /** Timeout of one attempt, until the whole body is read, in milliseconds; default 30 000. */
  readonly timeoutMs?: number;
  /** Time after which a failing operation is given up, in milliseconds; default 120 000. */
  readonly retryBudgetMs?: number;
  /** Maximum size of a response; a larger response is a `protocol` error. Default 256 MiB. */
  readonly maxResponseBytes?: number;
  /** PEM text of certificates to trust in addition to Node's root certificates. */
  readonly ca?: string;
  /** Headers of every request, for a gateway in front of the stack. No other address gets the headers. */
  readonly headers?: readonly RequestHeader[];
  /** The certificate that the client presents; only over https. */
  readonly clientCertificate?: ClientCertificate;
  /** The proxy variables; without them, connections are direct. Loopback addresses are always reached directly. */
  readonly proxyEnv?: ProxyEnv;
  /** Allows sending the credential to other machines over plain http. */
  readonly allowHttp?: boolean;
  /** Secrets besides the credential that no error may contain, because a server may echo the request. */
  readonly secrets?: readonly string[];
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly events?: EventSink;
  readonly userAgent?: string;
}

type WithoutDefault = "rate" | "ca" | "clientCertificate" | "proxyEnv";

export type ClientSettings = Required<Omit<StackClientOptions, WithoutDefault>> &
  Pick<StackClientOptions, WithoutDefault>;

/** Returns the options with their defaults filled in. @throws StackferryError `config` for a number out of range */
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

/** `header` is the value of the Authorization header. `secrets` are the texts that no message may contain. */
export interface Authorization {
  readonly header: string;
  readonly secrets: readonly string[];
}

/**
 * Builds the Authorization header. The case of the scheme matters, because servers refuse `bearer`. The error messages
 * do not repeat the credential.
 * @throws StackferryError `config` for a credential that a header cannot hold
 */
export function authorizationOf(credential: StackCredential): Authorization {
  if ("apiKey" in credential) {
    // If a header contains such characters, the error of the HTTP library quotes the whole header.
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

/** Tells whether requests stay on this machine. False for x.localhost, which resolvers look up in the network. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/** Refuses to send a credential over plain http beyond this machine. @throws StackferryError `config` */
export function refusePlainHttp(url: URL, allowHttp: boolean): void {
  if (url.protocol !== "http:" || isLoopback(url) || allowHttp) return;
  throw new StackferryError(
    "config",
    `the credential would be sent to ${url.host} over plain http, where others can read it`,
    { hint: "use https, or allow http (--allow-http, allowHttp) where the network is trusted" },
  );
}
