/** The most memory that this process has had, in KiB. */
export function peakMemory(): number;
