import { StackferryError } from "../../core/errors.ts";
import type { Arguments, Flags } from "./flag.ts";
import { isEmptyPolicy, parseCalendarSpan, type KeepCount, type RetentionPolicy } from "../../backup/retention.ts";

/** Flags that set which backups to keep, with the meaning that they have in restic. */
export const retentionFlags = {
  "keep-last": { describe: "Keep the N newest backups of each stack (or: all)" },
  "keep-hourly": { describe: "Keep the newest backup in each of the last N hours that have one (UTC)" },
  "keep-daily": { describe: "Keep the newest backup in each of the last N days that have one (UTC)" },
  "keep-weekly": {
    describe: "Keep the newest backup in each of the last N weeks that have one (ISO, from Monday, UTC)",
  },
  "keep-monthly": { describe: "Keep the newest backup in each of the last N months that have one (UTC)" },
  "keep-yearly": { describe: "Keep the newest backup in each of the last N years that have one (UTC)" },
  "keep-within": {
    describe: "Keep backups made within this time before the newest one, for instance 7d or 1y5m7d2h (m: months)",
  },
} as const satisfies Flags;

/** Returns the retention policy that the flags give. @throws StackferryError `usage` */
export function parseRetentionFlags(args: Arguments<typeof retentionFlags>): RetentionPolicy {
  const texts = {
    last: args.keepLast,
    hourly: args.keepHourly,
    daily: args.keepDaily,
    weekly: args.keepWeekly,
    monthly: args.keepMonthly,
    yearly: args.keepYearly,
  };
  const counts = Object.entries(texts).flatMap(([reason, text]) =>
    text === undefined ? [] : [[reason, countOf(text, `--keep-${reason}`)] as const],
  );
  const { keepWithin } = args;
  const within = keepWithin === undefined ? undefined : parseCalendarSpan(keepWithin);
  if (keepWithin !== undefined && within === undefined) {
    throw new StackferryError("usage", "--keep-within needs years, months, days or hours, for instance 1y5m7d2h");
  }
  const policy = { ...Object.fromEntries(counts), ...(within !== undefined && { within }) };
  if (Object.keys(policy).length > 0 && isEmptyPolicy(policy)) {
    throw new StackferryError("usage", "the --keep-… flags keep nothing: 0 keeps none", {
      hint: "set at least one --keep-… flag to a number above 0, or omit all of these flags to use the rules of the configuration",
    });
  }
  return policy;
}

function countOf(text: string, flag: string): KeepCount {
  if (text === "all" || text === "unlimited") return "all";
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new StackferryError("usage", `${flag} needs a number, or all`);
}
