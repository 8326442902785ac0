import { stretchWindow } from "./limit.ts";

/** Longer windows last whole minutes. */
const USUAL_WINDOWS_MS = [1, 2, 5, 10, 15, 20, 30, 60].map((seconds) => seconds * 1000);
const MINUTE_MS = 60_000;
/** A measured time further above a usual window means a window of another length. */
const MAX_EXCESS = 4 / 3;

export function nextUsualEnd(startedAt: number, now: number): number {
  const passedMs = now - startedAt;
  const nextMs = USUAL_WINDOWS_MS.find((ms) => ms > passedMs) ?? (Math.floor(passedMs / MINUTE_MS) + 1) * MINUTE_MS;
  return startedAt + stretchWindow(nextMs);
}

/** The window was not over after `refusedMs`, and was over after `acceptedMs`. */
export function measureWindow(refusedMs: number, acceptedMs: number): number {
  const usual = USUAL_WINDOWS_MS.findLast((ms) => ms > refusedMs && ms <= acceptedMs);
  if (usual !== undefined && acceptedMs <= usual * MAX_EXCESS) return usual;
  return Math.max(refusedMs, Math.floor(acceptedMs / 1000) * 1000);
}
