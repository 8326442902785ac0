import type { KindName } from "../records/record.ts";

/**
 * A renaming rule: `from` is a pattern for names. `*` matches any text, and the n-th `*` of `to` stands for the text that the
 * n-th `*` matched.
 */
export interface RenameRule {
  /** The kind to which the rule applies; absent: every kind whose names may change. */
  readonly kind?: KindName;
  readonly from: string;
  readonly to: string;
}

/** A text (`from`) and its replacement (`to`). Neither is a pattern. */
export interface ReplaceRule {
  readonly from: string;
  readonly to: string;
}

/**
 * The changes that a stack's `transforms:` make in records before an import plans them. They apply to code files and to records
 * of other stacks.
 */
export interface Transforms {
  /** Renaming rules. The first rule that matches a name applies. */
  readonly rename?: readonly RenameRule[];
  /** `drop`: patterns of tags to remove. `set`: tags that every dashboard gets. */
  readonly tags?: { readonly set?: readonly string[]; readonly drop?: readonly string[] };
  /** Replacements in addresses and markdown, applied one after another. */
  readonly replace?: readonly ReplaceRule[];
  /** By kind: name patterns of records that are not written. */
  readonly leaveOut?: Readonly<Record<KindName, readonly string[]>>;
}
