import { StackferryError } from "../../src/core/errors.ts";
import type { Repository } from "../../src/core/ports.ts";

/** The fault that one run meets in a repository. */
export interface Misfortune {
  /** The number of the repository call that fails, counted from 1. */
  readonly call: number;
  /**
   * before: the call fails and does nothing. after: the call succeeds, but its response is lost. kill: the process is killed
   * after the call. half: the process is killed in the middle of a write.
   */
  readonly kind: "before" | "after" | "kill" | "half";
}

/** Stands for the end of a killed process. */
export class KilledError extends Error {}

/** Wraps a repository so that one call fails. `onHalf` leaves what an interrupted write leaves. */
export function faultyRepository(
  repository: Repository,
  misfortune: Misfortune | undefined,
  isFull: () => boolean,
  onHalf: (name: string) => Promise<void>,
): Repository {
  let calls = 0;
  let dead = false;

  async function call<Result>(name: string, writes: boolean, act: () => Promise<Result>): Promise<Result> {
    calls += 1;
    if (dead) throw new KilledError("this process is gone");
    if (writes && isFull()) throw new StackferryError("archive-io", "no space left on the device");
    if (misfortune?.call !== calls) return act();
    const { kind } = misfortune;
    if (kind === "before") throw new StackferryError("unavailable", "the repository does not answer");
    if (kind === "half" && writes) await onHalf(name);
    if (kind === "after" || kind === "kill") await act();
    dead = kind === "kill" || kind === "half";
    if (dead) throw new KilledError("killed");
    throw new StackferryError("unavailable", "the response of the repository was lost");
  }

  return {
    address: repository.address,
    list: (prefix) => call(prefix, false, () => repository.list(prefix)),
    fetch: (name, path) => call(name, false, () => repository.fetch(name, path)),
    put: (path, name) => call(name, true, () => repository.put(path, name)),
    // A run reads the entries of all archives, so these reads would take nearly every fault.
    readText: async (name) => {
      if (dead) throw new KilledError("this process is gone");
      return repository.readText(name);
    },
    writeText: (name, text) => call(name, true, () => repository.writeText(name, text)),
    remove: (name) => call(name, false, () => repository.remove(name)),
    clockAhead: () => repository.clockAhead(),
    [Symbol.asyncDispose]: async () => {},
  };
}
