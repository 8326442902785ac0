import { dirname, resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { RedactionRules, SecretAnswers } from "../../core/secrets.ts";
import { checkPlanDigest, type ConflictPolicy, type ManualMapping, type Transforms } from "../../core/plan/plan.ts";
import type { KindName } from "../../core/records/record.ts";
import { mirrorScopes, parseMirror, type MirrorOptions, type MirrorScope } from "../../import/remove/mirror.ts";
import type { PlanOptions } from "../../matching/plan-options.ts";
import { createCredentialTest } from "../../redaction/credentials.ts";
import { isRedactedEverywhere } from "../../redaction/filling/filled-texts.ts";
import type { Clock } from "../../core/ports.ts";
import { systemClock } from "../../client/clock.ts";
import {
  normaliseSecrets,
  loadMapping,
  buildRedactor,
  checkTransforms,
  requireChoice,
  requireTexts,
  type OptionNames,
  type SecretValues,
} from "./option-values.ts";
import {
  journalFinder,
  type FindJournal,
  type JournalPlace,
  JOURNALS_FOLDER,
  LOCK_OPTIONS,
  type LockOptions,
} from "../steps/journal-place.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import {
  kindsToCreate,
  normaliseSelection,
  SELECTION_OPTIONS,
  type SelectedRecords,
  type SelectionOptions,
} from "../steps/selection.ts";

export interface ImportOptions extends SelectionOptions, LockOptions {
  /**
   * Matches that the import must use, by kind: an id or name in the archive → an id or name on the target. `*` under
   * `webhooks` stands for every webhook that nothing else matches. A text is the path of a map file.
   */
  readonly map?: ManualMapping | string;
  readonly secrets?: SecretValues;
  /**
   * Kinds whose records are created if the target lacks them: `connections`, `sources`, `webhooks`, `saved-searches`,
   * or `all`; default none.
   */
  readonly create?: readonly KindName[];
  /**
   * The name or id of one tile or filter of the dashboard that `include` selects. The import writes only this tile or
   * filter, and the alerts on it that the target lacks.
   */
  readonly tile?: string | undefined;
  /**
   * The treatment of a record that was, or may have been, changed on the target since the last import; default `keep`.
   * `merge` writes only the parts that changed only at the source. `fail` writes nothing if there is such a record.
   */
  readonly onConflict?: ConflictPolicy;
  readonly namePrefix?: string;
  /**
   * With `include`: also import the records that the selected records reference, and the alerts on all these records; default false.
   */
  readonly withDependencies?: boolean;
  /** Changes to names, tags and texts of the records. Ignored if the archive was exported from the target itself. */
  readonly transforms?: Transforms;
  /**
   * Convert records that the API returns but does not accept into a form that it accepts (`fitted` in the plan's
   * items); default false.
   */
  readonly fitLimits?: boolean;
  /**
   * Write a record even if that destroys content that the target's API does not return, such as hidden tiles and their alerts;
   * default false.
   */
  readonly acceptHiddenLoss?: boolean;
  /**
   * Delete records that were removed from the source; by default nothing is deleted. `ours`: records that an import
   * wrote, according to the journal. Edited records stay, unless `onConflict` is `overwrite`. `all`: also every
   * dashboard and alert that the source lacks.
   */
  readonly mirror?: MirrorScope;
  /**
   * The digest of an approved plan (`digest` of a dry run's plan), or at least its first 16 digits. The import plans
   * again, and writes only if its writes are the same; otherwise `plan-changed`.
   */
  readonly plan?: string | undefined;
  /**
   * Maximum number of records that `mirror` may delete: a number, or a share such as `30%`; default 20 %. A share
   * allows at least 5. `all` requires a number.
   */
  readonly maxDelete?: number | string;
  readonly redaction?: RedactionRules;
}

export const IMPORT_OPTIONS: OptionNames<ImportOptions> = {
  ...SELECTION_OPTIONS,
  ...LOCK_OPTIONS,
  map: true,
  secrets: true,
  create: true,
  tile: true,
  onConflict: true,
  namePrefix: true,
  withDependencies: true,
  transforms: true,
  fitLimits: true,
  acceptHiddenLoss: true,
  mirror: true,
  plan: true,
  maxDelete: true,
  redaction: true,
};

export interface NormalisedImport extends Required<Pick<ImportOptions, "dryRun">> {
  readonly options: PlanOptions;
  readonly transforms: Transforms | undefined;
  readonly secretAnswers: SecretAnswers;
  /** The texts of `secretAnswers`. No error may contain one of them. */
  readonly secretTexts: readonly string[];
  /** The run's credentials. A record that contains one of them is not written. */
  readonly credentials: readonly string[];
  /** Redacts the secrets in the records that the journal keeps for a rollback. */
  readonly redact: Redactor;
  readonly journal: FindJournal;
  /** How the run deletes records that were removed from the source; undefined if it deletes none. */
  readonly mirror: MirrorOptions | undefined;
  /** The approved digest, or its first digits; undefined if any plan may be carried out. */
  readonly approved?: string | undefined;
  readonly clock: Clock;
}

/**
 * Checks the settings of an import and fills in the defaults.
 * @param credentials the run's credentials: never sent in records, and redacted from records in the journal
 * @param place the place of the journals, instead of `settings.journals`
 * @param policy the default of `onConflict`
 * @throws StackferryError `usage`, `config`
 */
export async function normaliseImport(
  settings: ImportOptions,
  credentials: readonly string[],
  { place, policy = "keep" }: { readonly place?: JournalPlace | undefined; readonly policy?: ConflictPolicy } = {},
): Promise<NormalisedImport> {
  const selection = normaliseSelection(settings);
  checkNamePrefix(settings, credentials);
  if (settings.tile !== undefined) refuseBesideTile(settings);
  const { secretAnswers, values: secretTexts } = normaliseSecrets(settings.secrets ?? {});
  return {
    dryRun: settings.dryRun ?? false,
    options: await planOptionsOf({ ...settings, onConflict: settings.onConflict ?? policy }, selection),
    transforms: checkTransforms(settings.transforms),
    secretAnswers,
    secretTexts,
    credentials,
    redact: buildRedactor(settings.redaction, [...secretTexts.filter(isRedactedEverywhere), ...credentials]),
    journal: journalsOf(settings, place),
    mirror: mirrorOf(settings),
    approved: checkPlanDigest(settings.plan, settings.dryRun),
    clock: systemClock,
  };
}

/**
 * Refuses a name prefix that begins with a space. Refuses one with a credential of the run, because each record and the
 * name of the journal would contain it.
 */
function checkNamePrefix({ namePrefix = "" }: ImportOptions, credentials: readonly string[]): void {
  // Names are compared without outer spaces, so "  A" would be the original "A".
  if (/^\s/.test(namePrefix)) throw new StackferryError("usage", "the name prefix begins with a space");
  if (!createCredentialTest(credentials)(namePrefix)) return;
  throw new StackferryError("usage", "the name prefix contains a credential that this run uses", {
    hint: "Every record would contain it. Give another text, and replace the credential if others can read it.",
  });
}

async function planOptionsOf(settings: ImportOptions, { kinds, filter }: SelectedRecords): Promise<PlanOptions> {
  const { onConflict = "keep", namePrefix, tile, withDependencies = false } = settings;
  if (withDependencies && filter.include.length === 0) {
    throw new StackferryError("usage", "--with-dependencies needs --include", {
      hint: "without a selection, everything is imported",
    });
  }
  return {
    onConflict: requireChoice(onConflict, ["keep", "merge", "overwrite", "fail"], "onConflict"),
    kinds: kinds.map(({ name }) => name),
    create: kindsToCreate(requireTexts(settings.create, "create")),
    filter,
    ...(tile !== undefined && { tile }),
    mapping: await loadMapping(settings.map),
    namePrefix,
    withDependencies,
    fitLimits: settings.fitLimits ?? false,
    acceptHiddenLoss: settings.acceptHiddenLoss ?? false,
  };
}

/** Refuses options about whole records, because `tile` writes only one tile or filter. */
function refuseBesideTile(settings: ImportOptions): void {
  const { include = [], mirror, namePrefix, create = [], onConflict = "keep" } = settings;
  if (include.length === 0) {
    throw new StackferryError("usage", "--tile needs the dashboard that has the tile", {
      hint: "Name it with --include.",
    });
  }
  const refused = [
    ...(settings.withDependencies === true ? ["--with-dependencies"] : []),
    ...(mirror !== undefined ? ["--mirror"] : []),
    ...(namePrefix !== undefined ? ["--name-prefix"] : []),
    ...(create.some((name) => name !== "none") ? ["--create"] : []),
    ...(onConflict !== "keep" ? ["--on-conflict"] : []),
  ];
  if (refused.length === 0) return;
  throw new StackferryError(
    "usage",
    `--tile does not go with ${refused.join(", ")}: it writes one tile, not a whole record`,
  );
}

/** Returns the finder of a run's journals. @param place replaces the folder that the option names */
export function journalsOf(
  { journals = JOURNALS_FOLDER }: { readonly journals?: string | FindJournal | undefined },
  place?: JournalPlace,
): FindJournal {
  if (typeof journals === "function") return journals;
  const folder = resolve(journals);
  return journalFinder(place ?? { folder, base: dirname(folder) });
}

function mirrorOf({ mirror, maxDelete, onConflict }: ImportOptions): MirrorOptions | undefined {
  const checked = mirror && requireChoice(mirror, mirrorScopes, "mirror");
  const parsed = parseMirror({ mirror: checked, maxDelete });
  // `apply` overwrites edited records by default, but deletes them only if the caller asked for `overwrite`.
  return parsed && { ...parsed, takesEdited: onConflict === "overwrite" };
}
