/** Returns the peak memory of this process in KiB. */
export function peakMemory(): number;
