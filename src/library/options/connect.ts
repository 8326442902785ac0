import { createStackClient } from "../../client/stack-client.ts";
import { mergePacing, type StackSettings } from "../../config/stacks/stack-settings.ts";
import { parseBaseUrl, stackNameFromAddress, withTeam } from "../../config/stacks/stack-address.ts";
import { StackferryError } from "../../core/errors.ts";
import type { EventSink } from "../../core/events.ts";
import {
  DEFAULT_PATH_SEGMENTS,
  type ProxyEnv,
  type ClientCertificate,
  type RateLimit,
  type RequestHeader,
  type PathSegments,
  type StackClient,
  type StackCredential,
} from "../../core/ports.ts";
import type { KindName, StackIdentity } from "../../core/records/record.ts";
import { namedKinds } from "../steps/selection.ts";
import { programVersion } from "../steps/version.ts";
import { guardCredentials, secretsOfAccess } from "./credential-guard.ts";

export interface ConnectionOptions {
  /** Base URL of the API, such as `http://localhost:8000`, without a password. A trailing slash or `/api/v2` is dropped. */
  readonly baseUrl: string;
  /** The kinds that an export requests; default all. */
  readonly kinds?: readonly KindName[];
  /** Maximum number of concurrent requests; default 4. */
  readonly concurrency?: number;
  /** A rate limit in addition to those that the stack announces. */
  readonly rate?: RateLimit;
  /** Maximum milliseconds of one attempt of a request; default 30 000. An operation that keeps failing ends after four times this. */
  readonly timeoutMs?: number;
  /** Milliseconds that the target's lists may lag behind a write; default 10 000. */
  readonly consistencyWaitMs?: number;
  /** PEM text of certificates to trust in addition to the default authorities. */
  readonly ca?: string;
  /**
   * Headers of every request, sent only to the stack's own address. No archive may contain their values, except with `secret: false`.
   */
  readonly headers?: Readonly<Record<string, string | OpenHeader>>;
  /** For a gateway in front of the stack. */
  readonly clientCertificate?: ClientCertificate;
  /** Allows sending the credential over plain http to another machine. */
  readonly allowHttp?: boolean;
  /** Default none. The library never reads the environment. */
  readonly proxy?: ProxyEnv;
}

export interface OpenHeader {
  readonly value: string;
  readonly secret: false;
}

/** A self-hosted stack, reached with a Personal API Access Key. */
export interface SelfHostedStack extends ConnectionOptions {
  readonly variant: "self-hosted";
  readonly apiKey: string;
}

/** A managed stack, reached with a cloud API key. */
export interface ManagedStack extends ConnectionOptions {
  readonly variant: "managed";
  readonly organizationId: string;
  readonly serviceId: string;
  readonly keyId: string;
  readonly keySecret: string;
  /** The path segments of this deployment; default `obsstack` and `pipes`. */
  readonly segments?: PathSegments;
}

/**
 * A live stack and its credential.
 * @example { variant: "self-hosted", baseUrl: "http://localhost:8000", apiKey }
 */
export type StackOptions = SelfHostedStack | ManagedStack;

export interface StackAccess extends StackSettings {
  readonly proxyEnv?: ProxyEnv;
}

/** @throws StackferryError `config`; the message names the member at fault, never its value */
export function normaliseStack(options: StackOptions, option: string): StackAccess {
  const given = identityOf(options, option);
  const headers = headersOf(options, option);
  const identity = withTeam(given, headers);
  const { concurrency, rate, timeoutMs: timeout, kinds } = options;
  const managed = options.variant === "managed" ? options : undefined;
  return {
    stackName: stackNameFromAddress(identity),
    identity,
    credential: credentialOf(options, option),
    segments: managed?.segments ?? DEFAULT_PATH_SEGMENTS,
    kinds: kinds && namedKinds(kinds).map(({ name }) => name),
    ...mergePacing([{ concurrency, rate, timeout, consistencyWait: consistencyWaitOf(options, option) }]),
    ca: options.ca,
    headers,
    clientCertificate: options.clientCertificate,
    proxyEnv: options.proxy,
    allowHttp: options.allowHttp ?? false,
    warnings: [],
  };
}

function consistencyWaitOf({ consistencyWaitMs: wait }: StackOptions, option: string): number | undefined {
  if (wait === undefined || (Number.isFinite(wait) && wait >= 0)) return wait;
  throw new StackferryError("config", `${option}.consistencyWaitMs must be a number of milliseconds, 0 or more`);
}

function identityOf(options: StackOptions, option: string): StackIdentity {
  if (typeof options !== "object" || options === null) throw new StackferryError("config", `${option} is missing`);
  const { variant } = options;
  const baseUrl = parseBaseUrl(required(options, "baseUrl", option), `${option}.baseUrl`);
  if (variant === "self-hosted") return { variant, baseUrl };
  if (variant !== "managed")
    throw new StackferryError("config", `${option}.variant is neither managed nor self-hosted`);
  const organizationId = required(options, "organizationId", option);
  return { variant, baseUrl, organizationId, serviceId: required(options, "serviceId", option) };
}

function credentialOf(options: StackOptions, option: string): StackCredential {
  if (options.variant === "self-hosted") return { apiKey: required(options, "apiKey", option) };
  return { keyId: required(options, "keyId", option), keySecret: required(options, "keySecret", option) };
}

function headersOf({ headers = {} }: StackOptions, option: string): RequestHeader[] {
  return Object.entries(headers).map(([name, header]) => {
    // Callers often pass environment variables, which can be undefined.
    const { value, secret } = typeof header === "object" ? header : { value: header, secret: true };
    return { name, value: required({ [name]: value }, name, `${option}.headers`), isSecret: secret };
  });
}

function required<K extends string>(options: Readonly<Record<K, unknown>>, member: K, option: string): string {
  const value = options[member];
  if (typeof value === "string" && value !== "") return value;
  throw new StackferryError("config", `${option}.${member} is missing`, { hint: `give ${option}.${member} as a text` });
}

const RETRY_BUDGET_IN_TIMEOUTS = 4;

export interface OpenStackOptions {
  readonly events: EventSink;
  readonly maxRetryBudgetMs?: number;
  /** Texts, besides the credential, that no error may contain. */
  readonly secrets?: readonly string[];
  /** The run's other credentials, which no sent record may contain. */
  readonly credentials?: readonly string[];
}

/**
 * Sends no request.
 * @throws StackferryError `config`
 */
export function openStack(
  access: StackAccess,
  { events, maxRetryBudgetMs, secrets = [], credentials = [] }: OpenStackOptions,
): StackClient {
  const client = createStackClient({
    ...access,
    retryBudgetMs: Math.min(RETRY_BUDGET_IN_TIMEOUTS * access.timeoutMs, maxRetryBudgetMs ?? Infinity),
    events,
    secrets,
    userAgent: `stackferry/${programVersion()}`,
  });
  return guardCredentials(client, secretsOfAccess(access), credentials);
}
