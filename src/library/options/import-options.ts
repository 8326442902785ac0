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
  /** Matches that the import must use, by kind, or the path of a map file. `*` under `webhooks` stands for all others. */
  readonly map?: ManualMapping | string;
  readonly secrets?: SecretValues;
  /** Kinds whose missing records are created: `connections`, `sources`, `webhooks`, `saved-searches`, or `all`; default none. */
  readonly create?: readonly KindName[];
  /** Name or id of one tile or filter of the included dashboard. The import writes only this part and its missing alerts. */
  readonly tile?: string | undefined;
  /**
   * A record that may have changed on the target stays (`keep`, default), takes what the source alone changed (`merge`), is
   * overwritten, or stops the run (`fail`).
   */
  readonly onConflict?: ConflictPolicy;
  readonly namePrefix?: string;
  /** With `include`: also import referenced records, and the alerts on all these records; default false. */
  readonly withDependencies?: boolean;
  /** Changes to names, tags and texts. Ignored for an archive of the target itself. */
  readonly transforms?: Transforms;
  /** Convert records that the API returns but does not accept (`fitted` in the plan's items); default false. */
  readonly fitLimits?: boolean;
  /** Write a record even if that destroys content that the API does not return, such as hidden tiles; default false. */
  readonly acceptHiddenLoss?: boolean;
  /**
   * Delete records that the source lacks. `ours`: records that imports wrote, edited ones only under `overwrite`; `all`: also other
   * dashboards and alerts.
   */
  readonly mirror?: MirrorScope;
  /** Digest of an approved plan, or at least its first 16 digits. A plan with other writes throws `plan-changed`. */
  readonly plan?: string | undefined;
  /** Maximum deletes of `mirror`: a number, or a share such as `30%`; default 20 %, at least 5. `all` requires a number. */
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
  /** No error may contain these texts. */
  readonly secretTexts: readonly string[];
  /** A record that contains a credential is not written. */
  readonly credentials: readonly string[];
  readonly redact: Redactor;
  readonly journal: FindJournal;
  readonly mirror: MirrorOptions | undefined;
  /** Digits of the approved plan; undefined without `plan`. */
  readonly approved?: string | undefined;
  readonly clock: Clock;
}

/**
 * @param credentials never sent in records, and redacted in the journal
 * @param place replaces `settings.journals`
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
    options: await planOptionsOf(settings, selection, policy),
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

/** Refuses a credential in the prefix, because every record and the journal's name contain the prefix. */
function checkNamePrefix({ namePrefix = "" }: ImportOptions, credentials: readonly string[]): void {
  // Names are compared without outer spaces, so the copy "  A" would count as the original "A".
  if (/^\s/.test(namePrefix)) throw new StackferryError("usage", "the name prefix begins with a space");
  if (!createCredentialTest(credentials)(namePrefix)) return;
  throw new StackferryError("usage", "the name prefix contains a credential that this run uses", {
    hint: "Every record would contain it. Give another text, and replace the credential if others can read it.",
  });
}

async function planOptionsOf(
  settings: ImportOptions,
  { kinds, filter }: SelectedRecords,
  policy: ConflictPolicy,
): Promise<PlanOptions> {
  const { onConflict = policy, namePrefix, tile, withDependencies = false } = settings;
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
    tile,
    mapping: await loadMapping(settings.map),
    namePrefix,
    withDependencies,
    fitLimits: settings.fitLimits ?? false,
    acceptHiddenLoss: settings.acceptHiddenLoss ?? false,
  };
}

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
