import { StackferryError } from "../../core/errors.ts";
import type { Manifest } from "../../core/manifest.ts";
import { hasEveryRecord } from "../../core/manifest.ts";
import type { KindName } from "../../core/records/record.ts";
import type { MirrorBasis, MirrorOptions } from "../../import/remove/mirror-basis.ts";
import { kinds } from "../../kinds/registry.ts";
import type { RunStateLocation, ImportState } from "../state/import-state.ts";

/** @throws StackferryError `usage` if nothing proves which records are gone or which are ours */
export function checkMirror(
  { scope }: MirrorOptions,
  { filter }: Pick<Manifest, "filter">,
  state: RunStateLocation | undefined,
): void {
  if (filter !== undefined) {
    const { include, only = [], exclude } = filter;
    const flags = [
      ...flagText("--include", include),
      ...flagText("--only", only),
      ...flagText("--exclude", exclude),
    ].join(" ");
    const message = `the archive was exported with ${flags}: it may lack records that its source has, so --mirror is refused`;
    throw new StackferryError("usage", message, { hint: "Export without these flags, or leave out --mirror." });
  }
  if (scope === "all" || state !== undefined) return;
  const hint = "--state FILE keeps one, and so does a configuration file; the first run with it deletes nothing.";
  throw new StackferryError(
    "usage",
    "--mirror deletes only records that a state knows as created by an import, and there is no state",
    {
      hint,
    },
  );
}

function flagText(flag: string, patterns: readonly string[]): string[] {
  return patterns.length === 0 ? [] : [`${flag} ${patterns.join(", ")}`];
}

/** The evidence that a mirror uses in this run. */
export function mirrorBasis(
  options: MirrorOptions,
  manifest: Pick<Manifest, "kinds">,
  importState: ImportState | undefined,
  fromFiles: boolean,
): MirrorBasis {
  // A folder of code files is always complete: a record without a file was removed.
  const complete =
    fromFiles && options.scope === "ours" ? new Set(kinds.map(({ name }) => name)) : wholeKinds(manifest);
  return {
    ...options,
    stateRecords: importState?.records ?? new Map(),
    unusable: importState?.unusable,
    identityOf: importState?.location.identities.of ?? ((key) => key),
    whole: options.isSuspect === true ? new Set() : complete,
  };
}

/** Kinds of which an archive has every record of its stack. */
export function wholeKinds({ kinds: summaries }: Pick<Manifest, "kinds">): ReadonlySet<KindName> {
  return new Set(Object.entries(summaries).flatMap(([kind, summary]) => (hasEveryRecord(summary) ? [kind] : [])));
}
