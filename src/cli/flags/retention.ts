import type { InferredOptionTypes, Options } from "yargs";
import type { Count, RetentionPolicy } from "../../backup/retention.ts";
import { parseCalendarSpan } from "../../backup/retention.ts";
import { StackferryError } from "../../core/errors.ts";

const count = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const;

/** Flags that say which backups to keep. They mean the same as those of restic. */
export const retentionFlags = {
  "keep-last": count("Keep the N newest backups of a stack (or: all)"),
  "keep-hourly": count("Keep the newest of each of the last N hours that have one (UTC)"),
  "keep-daily": count("The same by day (UTC)"),
  "keep-weekly": count("The same by week (ISO, from Monday, UTC)"),
  "keep-monthly": count("The same by month (UTC)"),
  "keep-yearly": count("The same by year (UTC)"),
  "keep-within": count("Keep all this much younger than the newest, for instance 7d or 1y5m7d2h (m: months)"),
} as const satisfies Readonly<Record<string, Options>>;

/** @throws StackferryError `usage` */
export function retentionPolicy(args: InferredOptionTypes<typeof retentionFlags>): RetentionPolicy {
  const counts = (["last", "hourly", "daily", "weekly", "monthly", "yearly"] as const).flatMap((reason) => {
    const text = args[`keep-${reason}`];
    return text === undefined ? [] : [[reason, countOf(text, `--keep-${reason}`)] as const];
  });
  const text = args["keep-within"];
  const within = text === undefined ? undefined : parseCalendarSpan(text);
  if (text !== undefined && within === undefined) {
    throw new StackferryError("usage", "--keep-within wants years, months, days and hours, for instance 1y5m7d2h");
  }
  return { ...Object.fromEntries(counts), ...(within !== undefined && { within }) };
}

function countOf(text: string, flag: string): Count {
  if (text === "all" || text === "unlimited") return "all";
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new StackferryError("usage", `${flag} wants a number, or all`);
}

/** Reads a flag's whole number; undefined where it is not given. @throws StackferryError `usage` */
export function numberFlag(
  text: string | undefined,
  flag: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new StackferryError("usage", `${flag} must be a number from ${least} to ${most}`);
}
