import type { KindName } from "../../core/records/record.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Plan, PlannedMirror, Removal } from "../../core/plan/plan.ts";
import { pluralize } from "../../core/text/format.ts";

export const mirrorScopes = ["ours", "all"] as const;

/** `ours`: records that an import wrote, by the journal. `all`: also dashboards and alerts that no import wrote. */
export type MirrorScope = (typeof mirrorScopes)[number];

export interface MirrorOptions {
  readonly scope: MirrorScope;
  /** Undefined means no limit. */
  readonly maxDelete?: MaxDelete;
  readonly takesEdited?: boolean;
  /** True for a suspect backup, which may lack records. */
  readonly isSuspect?: boolean;
}

export interface MirrorBasis extends MirrorOptions {
  /** Without any record in the journal, only the scope `all` deletes. */
  readonly hasJournal: boolean;
  /** True if a newer archive was imported before. An older archive does not prove that the source has removed a record. */
  readonly isOlder?: boolean;
  /** Kinds of which the archive has every record. Records of other kinds may still exist at the source. */
  readonly whole: ReadonlySet<KindName>;
}

export function isMirrorIncomplete(warnings: readonly { readonly code: string }[]): boolean {
  return warnings.some(({ code }) => code === "not-mirrored");
}

export type MaxDelete = { readonly count: number } | { readonly percent: number };

const DEFAULT_MAX_DELETE: MaxDelete = { percent: 20 };

/** Allowed under any percentage: of ten dashboards, the default share would be only two. */
const MIN_DELETES = 5;

/**
 * The scope `all` needs a number: whoever gives the number has seen the list in a dry run.
 * @throws StackferryError `usage`
 */
export function parseMirror({
  mirror,
  maxDelete,
}: {
  readonly mirror?: MirrorScope | undefined;
  readonly maxDelete?: string | number | undefined;
}): Pick<MirrorOptions, "scope" | "maxDelete"> | undefined {
  const limit = maxDelete === undefined ? DEFAULT_MAX_DELETE : parseMaxDelete(String(maxDelete));
  if (limit === undefined) {
    throw new StackferryError("usage", "--max-delete must be a number or a share, for instance 20 or 30%");
  }
  if (mirror === undefined) {
    if (maxDelete === undefined) return undefined;
    throw new StackferryError("usage", "--max-delete needs --mirror");
  }
  if (mirror === "all" && !("count" in limit)) {
    throw new StackferryError("usage", "--mirror all needs --max-delete with a number", {
      hint: "To see what it would delete: --max-delete 0 --dry-run",
    });
  }
  return { scope: mirror, maxDelete: limit };
}

export function parseMaxDelete(text: string): MaxDelete | undefined {
  const [, digits = "", percent] = /^(\d{1,9})(%?)$/.exec(text.trim()) ?? [];
  if (digits === "") return undefined;
  const value = Number(digits);
  if (percent === "") return { count: value };
  return value > 100 ? undefined : { percent: value };
}

export function countAllowedDeletes(max: MaxDelete | undefined, total: number): number | undefined {
  if (max === undefined) return undefined;
  return "count" in max ? max.count : Math.max(MIN_DELETES, Math.floor((total * max.percent) / 100));
}

export function plannedDeletes({ mirror }: Pick<Plan, "mirror">): readonly Removal[] {
  return mirror?.removals.filter(({ action }) => action === "delete") ?? [];
}

export function exceedsMaxDelete(mirror: PlannedMirror): boolean {
  return mirror.allowed !== undefined && plannedDeletes({ mirror }).length > mirror.allowed;
}

export function tooManyDeletesText(mirror: PlannedMirror): string {
  const { length } = plannedDeletes({ mirror });
  return `${pluralize(length, "record")} of the target would be deleted, and at most ${mirror.allowed ?? length} may be`;
}

export function refuseTooManyDeletes({ mirror }: Pick<Plan, "mirror">): void {
  if (mirror === undefined || !exceedsMaxDelete(mirror)) return;
  const { length } = plannedDeletes({ mirror });
  throw new StackferryError("incomplete", tooManyDeletesText(mirror), {
    hint: `Nothing was written. --dry-run lists them; if the list is right, allow it with --max-delete ${length}.`,
  });
}
