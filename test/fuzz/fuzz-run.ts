/** Number of runs and first seed: run `n` has the seed `seed + n`, so that each run can be repeated alone. */
export interface FuzzRun {
  readonly runs: number;
  readonly seed: number;
}

/** How often each outcome was seen. */
export type Tally = Map<string, number>;

function count(tally: Tally, outcome: string): void {
  tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}

/** Longer than any run takes, even on a busy machine. */
const HANGS_AFTER_MS = 10_000;

let longest = { seed: 0, ms: 0 };

/** Returns the slowest run of this process. */
export function slowest(): { readonly seed: number; readonly ms: number } {
  return longest;
}

/** Runs `act` for one seed. Throws an error with the seed if it throws or takes too long. */
export async function attempt(seed: number, tally: Tally, act: () => Promise<string> | string): Promise<void> {
  const begun = performance.now();
  try {
    count(tally, await act());
    const ms = performance.now() - begun;
    if (ms > longest.ms) longest = { seed, ms };
    if (ms > HANGS_AFTER_MS) throw new Error("it took too long");
  } catch (cause) {
    throw new Error(`fuzz: seed ${seed}`, { cause });
  }
}
