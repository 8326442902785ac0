import type { RetentionPolicy } from "../../backup/retention.ts";
import { isEmptyPolicy, parseCalendarSpan } from "../../backup/retention.ts";
import type { RepositorySettings } from "../../config/repositories.ts";

/** The retention rules of the flags, else those of the repository; undefined if neither keeps anything. */
export function keptBackups(
  flags: RetentionPolicy | undefined,
  { keep }: Pick<RepositorySettings, "keep">,
): RetentionPolicy | undefined {
  if (flags !== undefined && !isEmptyPolicy(flags)) return flags;
  if (keep === undefined) return undefined;
  const { within: text, ...counts } = keep;
  const within = text === undefined ? undefined : parseCalendarSpan(text);
  const policy = { ...counts, ...(within !== undefined && { within }) };
  return isEmptyPolicy(policy) ? undefined : policy;
}
