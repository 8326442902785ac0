/** The small files of a repository are far smaller: a status has about a kilobyte for each archive. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** More files than a fleet keeps for years. A list that does not end would take all memory. */
export const MAX_LISTED = 500_000;

/** What is said of a file that is over the limit. */
export const TOO_LARGE = `it is over ${MAX_TEXT_BYTES / 1024 / 1024} MiB`;
