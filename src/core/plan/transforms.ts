import type { KindName } from "../records/record.ts";

/**
 * A new name for names that match `from`. A `*` matches any text; each `*` of `to` stands for the text of the `*` with the same
 * number.
 */
export interface RenameRule {
  /** Absent: every kind whose names may change. */
  readonly kind?: KindName;
  readonly from: string;
  readonly to: string;
}

/** A text that replaces another, letter by letter. */
export interface ReplaceRule {
  readonly from: string;
  readonly to: string;
}

/**
 * The changes that are made in records of other stacks and of files before they are planned onto a stack (`transforms:` of that
 * stack).
 */
export interface Transforms {
  /** The first rule that matches a name applies. */
  readonly rename?: readonly RenameRule[];
  /** `drop`: patterns of tags to remove. `set`: tags that every dashboard gets. */
  readonly tags?: { readonly set?: readonly string[]; readonly drop?: readonly string[] };
  /** Applied to addresses and markdown, one after another. */
  readonly replace?: readonly ReplaceRule[];
  /** By kind: name patterns of records that are not written. */
  readonly leaveOut?: Readonly<Record<KindName, readonly string[]>>;
}
