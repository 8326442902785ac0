/** The first word with which the completion scripts ask the program what could come next. */
export const COMPLETE = "--complete";
