/**
 * What has to be in a text before a rule can match there, and is found faster than the rule runs: a literal, and what
 * stands around it. A rule has signs for every text that it matches; it may have them for others too.
 */
export interface Sign {
  /** Characters up to U+00FF; letters in small ones where the case does not matter. */
  readonly literal: string;
  /** `any-case` of its letters; `any-joint` also finds it with dots, lines, brackets or blanks in between: `api_key`. */
  readonly spelled?: "any-case" | "any-joint";
  /** Sticky; fits from where the literal begins. Of no use with `any-joint`. */
  readonly from?: RegExp;
  /** Sticky; fits from where the literal ends. */
  readonly after?: RegExp;
}

/** Whatever may stand between the words of a name in a text. */
export const JOINTS = "_.-[] ";

/** The same condition around many literals. Of those that contain another one the shorter is enough. */
export function signs(literals: readonly string[], around: Omit<Sign, "literal"> = {}): Sign[] {
  const shortest = literals.filter(
    (literal) => !literals.some((other) => other !== literal && literal.includes(other)),
  );
  return [...new Set(shortest)].map((literal) => ({ literal, ...around }));
}

/** A sticky expression of the parts given. */
export function sticky(flags: "" | "i", ...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(""), `y${flags}`);
}
