import { definedMembers } from "../core/collections.ts";
import { StackferryError } from "../core/errors.ts";
import type { RateLimit } from "../core/ports.ts";
import { parseDuration } from "./time.ts";

/**
 * Maximum number of concurrent requests. No useful value comes near it, because fewer requests already reach the servers' limits.
 */
export const MAX_CONCURRENCY = 64;

/**
 * Limits on a stack's requests from one layer (defaults, stack, environment or flags). If a layer lacks a limit, a weaker layer
 * gives it.
 */
export interface Pacing {
  readonly concurrency?: number | undefined;
  readonly rate?: RateLimit | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  /** Maximum time until the stack's lists show a write, in milliseconds. No flag gives it. */
  readonly consistencyWait?: number | undefined;
}

type PacingFlags = { readonly [Setting in "concurrency" | "rate" | "timeout"]?: string | undefined };

/** @throws StackferryError `usage` */
export function parsePacing({ concurrency, rate, timeout }: PacingFlags): Pacing {
  const limit = `a number from 1 to ${MAX_CONCURRENCY}`;
  return {
    concurrency: parseSetting(concurrency, parseConcurrency, "--concurrency", limit),
    rate: parseSetting(rate, parseRate, "--rate", "requests per duration, for instance 10/10s"),
    timeout: parseSetting(timeout, parseDuration, "--timeout", "a duration, for instance 30s"),
  };
}

/** Reads the variable that stands for `consistencyWait`, which no flag gives, for stacks that are named by their address. */
export function readConsistencyWait(env: Readonly<Record<string, string | undefined>>): Pacing {
  const name = "STACKFERRY_CONSISTENCY_WAIT";
  return { consistencyWait: parseSetting(env[name] || undefined, parseDuration, name, "a duration, for instance 10s") };
}

/** Merges the layers over the program's defaults. The last layer is the strongest. */
export function mergePacing(layers: readonly Pacing[]) {
  const merged = layers.map(definedMembers).reduce((weaker, stronger) => ({ ...weaker, ...stronger }), {});
  // By default few concurrent requests, and enough time for a slow list, and for one that lags.
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

/** Parses a rate (`10/10s`, `100/1m`, `5/s`); undefined for anything else. */
export function parseRate(text: string): RateLimit | undefined {
  const match = /^(\d+)\/(.+)$/.exec(text.trim());
  const requests = Number(match?.[1]);
  const per = match?.[2] ?? "";
  const perMs = parseDuration(/^\d/.test(per) ? per : `1${per}`);
  if (perMs === undefined || !Number.isSafeInteger(requests) || requests < 1) return undefined;
  return { requests, perMs };
}
