import { parseDuration } from "./duration.ts";

/** A limit on requests: at most `requests` begin in any window of `perMs` milliseconds. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** Reads a rate (`10/10s`, `100/1m`, `5/s`); undefined for anything else. */
export function parseRate(text: string): Rate | undefined {
  const match = /^(\d+)\/(.+)$/.exec(text.trim());
  const requests = Number(match?.[1]);
  const per = match?.[2] ?? "";
  const perMs = parseDuration(/^\d/.test(per) ? per : `1${per}`);
  if (perMs === undefined || !Number.isSafeInteger(requests) || requests < 1) return undefined;
  return { requests, perMs };
}
