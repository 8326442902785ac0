import type { KindName } from "../records/record.ts";

/** A new name for what fits `from`. A `*` stands for any text, and each `*` of `to` for what the `*` of that number stands for. */
export interface RenameRule {
  /** Absent: every kind whose names may change. */
  readonly kind?: KindName;
  readonly from: string;
  readonly to: string;
}

/** A text to be written in the place of another, letter by letter. */
export interface ReplaceRule {
  readonly from: string;
  readonly to: string;
}

/** What is changed of the records of other stacks and of files before they are planned onto a stack (`transforms:` of that stack). */
export interface Transforms {
  /** The first that fits a name counts. */
  readonly rename?: readonly RenameRule[];
  /** `drop`: patterns of tags that are taken away. `set`: tags that every dashboard has afterwards. */
  readonly tags?: { readonly set?: readonly string[]; readonly drop?: readonly string[] };
  /** In addresses and markdown, one after another. */
  readonly replace?: readonly ReplaceRule[];
  /** By kind: patterns of the names of records that are not written. */
  readonly leaveOut?: Readonly<Record<KindName, readonly string[]>>;
}
