import { StackferryError } from "../domain/errors.ts";
import { ignoreEvents } from "../domain/events.ts";
import type { EventSink } from "../domain/events.ts";
import type { Clock } from "../domain/ports.ts";
import type { StackIdentity } from "../domain/record.ts";
import type { Segments } from "./routes.ts";
import type { StackCredential } from "./credential.ts";
import type { ProxyEnv } from "./dispatcher.ts";
import type { Rate } from "./pacing/rate-limit.ts";
import { systemClock } from "./clock.ts";

/** What a client is made of; only `identity` and `credential` must be given. */
export interface StackClientOptions {
  /** `baseUrl` without a trailing slash. */
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** The deployment's own words in managed paths; default obsstack and pipes. */
  readonly segments?: Segments;
  /** Records per page, 1 to 1000; default 1000. */
  readonly pageSize?: number;
  /** Requests at a time, over all kinds; default 4. */
  readonly concurrency?: number;
  /** The user's own limit; without it only the stack's limits count. */
  readonly rate?: Rate;
  /** For one try, headers and body, in milliseconds; default 30 000. */
  readonly timeoutMs?: number;
  /** How long one operation may keep failing before it is given up, in milliseconds; default 120 000. */
  readonly patienceMs?: number;
  /** A larger answer is a `protocol` error; default 256 MiB. */
  readonly maxAnswerBytes?: number;
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca?: string;
  /** Without it connections are direct. Loopback addresses are always reached directly. */
  readonly proxyEnv?: ProxyEnv;
  /** Lets the credential travel over plain http to other machines. */
  readonly allowHttp?: boolean;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly events?: EventSink;
  readonly userAgent?: string;
}

const OPTIONAL = ["rate", "ca", "proxyEnv"] as const;

/** The options with their defaults. */
export type ClientSettings = Required<Omit<StackClientOptions, (typeof OPTIONAL)[number]>> &
  Pick<StackClientOptions, (typeof OPTIONAL)[number]>;

/** The largest page that the API answers (field notes, Lists). */
const MAX_PAGE_SIZE = 1000;

/** Fills in the defaults. @throws StackferryError `config` for a number that makes no sense */
export function normaliseOptions(options: StackClientOptions): ClientSettings {
  const settings: ClientSettings = {
    segments: { stack: "obsstack", pipes: "pipes" },
    pageSize: MAX_PAGE_SIZE,
    concurrency: 4,
    timeoutMs: 30_000,
    patienceMs: 120_000,
    maxAnswerBytes: 256 * 1024 * 1024,
    allowHttp: false,
    clock: systemClock,
    random: Math.random,
    events: ignoreEvents,
    userAgent: "stackferry",
    ...options,
  };
  const { pageSize, concurrency, timeoutMs, rate } = settings;
  insist(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MAX_PAGE_SIZE, "pageSize is from 1 to 1000");
  insist(Number.isInteger(concurrency) && concurrency >= 1, "concurrency is a whole number from 1");
  insist(timeoutMs > 0 && timeoutMs < 2 ** 31, "timeoutMs is above 0 and below 2^31");
  insist(rate === undefined || (rate.requests >= 1 && rate.perMs > 0), "rate allows at least one request");
  return settings;
}

function insist(holds: boolean, rule: string): void {
  if (!holds) throw new StackferryError("config", `a client option is out of range: ${rule}`);
}
