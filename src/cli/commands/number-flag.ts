import { StackferryError } from "../../domain/errors.ts";

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
