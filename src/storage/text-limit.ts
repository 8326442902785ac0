/** Maximum size of a repository's small files, which are far smaller: a status has about a kilobyte for each archive. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** Maximum number of listed files, more than a fleet keeps for years. A list without end would take all memory. */
export const MAX_LISTED = 500_000;

/** The problem of a file that is over the limit. */
export const TOO_LARGE = `it is over ${MAX_TEXT_BYTES / 1024 / 1024} MiB`;
