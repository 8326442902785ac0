import { definedMembers } from "../../core/collections.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { ClientCertificate, PathSegments, RateLimit, RequestHeader, StackCredential } from "../../core/ports.ts";
import type { KindName, StackIdentity, Variant } from "../../core/records/record.ts";
import { withoutLineEnd } from "../../core/text/encoding.ts";
import type { Transforms } from "../../core/plan/plan.ts";
import { parseDuration, parseRate } from "../time.ts";

/** Variables of the role (`STACKFERRY_FROM_…`) come before common variables (`STACKFERRY_…`). */
export type StackRole = "from" | "to" | "any";

export interface StackSettings {
  readonly stackName: string;
  readonly identity: StackIdentity;
  readonly credential: StackCredential;
  /** Used only by managed stacks. */
  readonly segments: PathSegments;
  /** Undefined for all kinds. */
  readonly kinds?: readonly KindName[] | undefined;
  readonly rate?: RateLimit;
  readonly timeoutMs: number;
  readonly concurrency: number;
  /** How long the stack's lists may lag behind a write. */
  readonly consistencyWaitMs: number;
  /** PEM text, in addition to the default authorities. */
  readonly ca?: string;
  readonly headers?: readonly RequestHeader[];
  readonly clientCertificate?: ClientCertificate;
  readonly allowHttp: boolean;
  readonly transforms?: Transforms;
  /** Values of `${value:NAME}` in code files. */
  readonly values?: Readonly<Record<string, string | number | boolean>>;
  readonly warnings: readonly Warning[];
}

export type BaseStackSettings = Omit<
  StackSettings,
  "rate" | "timeoutMs" | "concurrency" | "consistencyWaitMs" | "ca"
> & {
  readonly pacing: Pacing;
  readonly caFile?: string | undefined;
};

const PREFIXES: Readonly<Record<StackRole, readonly string[]>> = {
  from: ["STACKFERRY_FROM_", "STACKFERRY_"],
  to: ["STACKFERRY_TO_", "STACKFERRY_"],
  any: ["STACKFERRY_"],
};

/**
 * Key id and secret must come from variables with the same prefix.
 * @throws StackferryError `config`
 */
export function environmentCredential(
  variant: Variant,
  role: StackRole,
  env: Readonly<Record<string, string | undefined>>,
  label: string,
): StackCredential {
  for (const prefix of PREFIXES[role]) {
    const [apiKey, keyId, keySecret] = ["API_KEY", "KEY_ID", "KEY_SECRET"].map((part) =>
      withoutLineEnd(env[prefix + part] ?? ""),
    );
    if (variant === "self-hosted" && apiKey) return { apiKey };
    if (variant === "managed" && keyId && keySecret) return { keyId, keySecret };
  }
  const parts = variant === "self-hosted" ? ["API_KEY"] : ["KEY_ID", "KEY_SECRET"];
  const choices = PREFIXES[role].map((prefix) => parts.map((part) => prefix + part).join(" and "));
  throw new StackferryError("config", `no credential for ${label}: set ${choices.join(", or ")}`, {
    hint:
      variant === "self-hosted"
        ? "the Personal API Access Key is in the web UI under team settings, API keys (not the ingestion key)"
        : "key ID and secret come from the cloud console's API key management",
  });
}

/** Far fewer requests at a time already reach the servers' limits. */
export const MAX_CONCURRENCY = 64;

/** `mergePacing` takes an absent member from an earlier layer. */
export interface Pacing {
  readonly concurrency?: number | undefined;
  readonly rate?: RateLimit | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  /** In milliseconds. */
  readonly consistencyWait?: number | undefined;
}

type PacingFlags = { readonly [Setting in "concurrency" | "rate" | "timeout"]?: string | undefined };

export function parsePacing({ concurrency, rate, timeout }: PacingFlags): Pacing {
  const limit = `a number from 1 to ${MAX_CONCURRENCY}`;
  return {
    concurrency: parseSetting(concurrency, parseConcurrency, "--concurrency", limit),
    rate: parseSetting(rate, parseRate, "--rate", "requests per duration, for instance 10/10s"),
    timeout: parseSetting(timeout, parseDuration, "--timeout", "a duration, for instance 30s"),
  };
}

/** The consistency wait has no flag, so the variable overrides the configuration. */
export function readConsistencyWait(env: Readonly<Record<string, string | undefined>>): Pacing {
  const name = "STACKFERRY_CONSISTENCY_WAIT";
  return { consistencyWait: parseSetting(env[name] || undefined, parseDuration, name, "a duration, for instance 10s") };
}

export function mergePacing(layers: readonly Pacing[]) {
  const merged = layers.map(definedMembers).reduce((weaker, stronger) => ({ ...weaker, ...stronger }), {});
  // The defaults suit a slow stack, whose lists lag behind.
  const { concurrency = 4, timeout: timeoutMs = 30_000, consistencyWait: consistencyWaitMs = 10_000, rate } = merged;
  return { concurrency, timeoutMs, consistencyWaitMs, rate };
}

function parseConcurrency(text: string): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value >= 1 && value <= MAX_CONCURRENCY ? value : undefined;
}

function parseSetting<T>(
  text: string | undefined,
  parse: (text: string) => T | undefined,
  name: string,
  expected: string,
): T | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value !== undefined) return value;
  throw new StackferryError("usage", `${name} must be ${expected}`);
}
