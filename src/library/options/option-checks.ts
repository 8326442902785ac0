import { StackferryError } from "../../core/errors.ts";

/** Returns the value if it is one of the choices. @throws StackferryError `usage` that names the option, not the value */
export function oneOf<T extends string>(value: T, choices: readonly T[], option: string): T {
  if (choices.includes(value)) return value;
  throw new StackferryError("usage", `${option} is none of ${choices.join(", ")}`);
}

/** Returns the value if it is a duration. @throws StackferryError `usage` */
export function milliseconds(value: number, option: string): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new StackferryError("usage", `${option} is a number of milliseconds, 0 or more`);
}
