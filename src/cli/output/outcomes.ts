/** A sentence for a run in which nothing but failures of the stack stopped records. */
export const REPEAT_HELPS = "Nothing but failures of the stack stopped these records: run the same command again.";
