import { resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { FillLines } from "../../core/plan/fill.ts";
import type { ConflictPolicy, ManualMapping } from "../../core/plan/plan.ts";
import type { KindName } from "../../core/records/record.ts";
import type { Transforms } from "../../core/plan/transforms.ts";
import { DEFAULT_MAX_DELETE, parseMaxDelete } from "../../import/remove/max-delete.ts";
import type { MirrorOptions, MirrorScope } from "../../import/remove/mirror-basis.ts";
import type { JournalAccess } from "../../journal/access.ts";
import type { ImportOptions } from "../../matching/import-options.ts";
import { isUnmistakable } from "../../redaction/filling/where-filled.ts";
import type { FillValues } from "../steps/fills.ts";
import { fillsOf } from "../steps/fills.ts";
import type { CarryOutOptions } from "../steps/import-steps.ts";
import type { JournalTrust } from "../steps/journal-location.ts";
import { journalAccess } from "../steps/journal-location.ts";
import { mappingOf } from "../steps/mapping.ts";
import type { RedactionOptions } from "../steps/redaction.ts";
import { redactorOf } from "../steps/redaction.ts";
import { transformsOf } from "../steps/transforms.ts";
import type { SelectionOptions } from "../steps/selection.ts";
import { normaliseSelection, requestedKinds } from "../steps/selection.ts";
import type { ValidateMode } from "../steps/validated-plan.ts";
import { milliseconds, oneOf } from "./option-checks.ts";

/** The settings that every import takes. */
export interface ImportSettings extends SelectionOptions, JournalTrust {
  /** Matches to use: by kind, an id or name of the archive → an id or name of the target; or the path of a map file. */
  readonly map?: ManualMapping | string;
  readonly fill?: FillValues;
  /**
   * Kinds whose missing records are created on the target: `connections`, `sources`, `webhooks`, `saved-searches`, or `all`;
   * default none.
   */
  readonly create?: readonly KindName[];
  /** On a managed target, whose alerts have one channel each, create one alert per channel; default false. */
  readonly splitChannels?: boolean;
  /** How to treat a record whose content on the target differs; default `skip`. */
  readonly onConflict?: ConflictPolicy;
  /**
   * The archive is a backup to restore: `onConflict` also decides about records that were changed on the target since the last
   * import but not in the archive; default false.
   */
  readonly restore?: boolean;
  /** Whether to continue with the other records when one fails; default `continue`. */
  readonly onError?: "continue" | "abort";
  /** Webhook of the target (name, or id if the target lists none) that replaces those that cannot be matched. */
  readonly defaultWebhook?: string;
  /** Prefix for every name. */
  readonly namePrefix?: string;
  /** Added to every dashboard. */
  readonly tags?: readonly string[];
  /** Changes to the records: other names, tags, texts. Ignored if the archive was exported from the target itself. */
  readonly transforms?: Transforms;
  /**
   * Convert records that the API returns but does not accept into a form that it accepts (`adaptations` in the plan's items);
   * default false.
   */
  readonly adapt?: boolean;
  /**
   * Also write if that destroys content that the target's API does not return, such as hidden tiles and their alerts; default
   * false.
   */
  readonly acceptHiddenLoss?: boolean;
  /**
   * Ask the target which records it would refuse before anything is written; default `auto`: in a dry run, and if the questions add
   * less than a tenth of the run's requests.
   */
  readonly validate?: ValidateMode;
  /** Path of the journal. By default it is next to the archive, under a name derived from archive and target. */
  readonly journal?: string;
  /** Path of the state file, which keeps the target record of each source record; without it no state is kept. */
  readonly state?: string;
  /** Accept a state file from another machine; default false. */
  readonly trustState?: boolean;
  /**
   * Delete records that were removed from the source: `ours`, those that the state proves to be ours, or `all` dashboards and
   * alerts; by default nothing is deleted.
   */
  readonly mirror?: MirrorScope;
  /** Maximum number of records that `mirror` may delete: a number, or a share such as `30%`; default 20 %, and at least 5. */
  readonly maxDelete?: number | string;
  /** Read the target's lists afterwards and compare them with what was sent; default true. */
  readonly verify?: boolean;
  /** How long the target's lists may lag behind its writes, in milliseconds; default 10 000. */
  readonly listLagMs?: number;
  /** Plan only; default false. */
  readonly dryRun?: boolean;
  /** Redaction of the records that the journal keeps. */
  readonly redaction?: RedactionOptions;
}

/** Import settings with every default filled in. */
export interface ImportRequest extends CarryOutOptions {
  readonly dryRun: boolean;
  readonly options: ImportOptions;
  readonly transforms: Transforms | undefined;
  readonly fills: FillLines;
  /** The values of `fills`: no error may contain one. */
  readonly secrets: readonly string[];
  readonly splitChannels: boolean;
  readonly listLagMs: number;
  readonly validate: ValidateMode;
  readonly journal: string | undefined;
  /** Path prefix of the journal if `journal` is not given. */
  readonly journalBase: string;
  readonly journalAccess: JournalAccess;
  /** Full path of the state file. */
  readonly state: string | undefined;
  readonly stateAccess: JournalAccess;
  readonly mirror: MirrorOptions | undefined;
}

/** Default for how long lists may lag behind writes, in milliseconds. */
export const LIST_LAG_MS = 10_000;

/**
 * Fills in the defaults.
 * @param credentials credentials of the run; they are redacted from the target's records in the journal
 * @throws StackferryError `usage`, `config`
 */
export async function normaliseImport(
  settings: ImportSettings,
  journalBase: string,
  credentials: readonly string[],
): Promise<ImportRequest> {
  const { onConflict = "skip", onError = "continue", defaultWebhook, namePrefix } = settings;
  const { kinds, filter } = normaliseSelection(settings);
  const { fills, values: secrets } = fillsOf(settings.fill ?? {});
  return {
    dryRun: settings.dryRun ?? false,
    options: {
      onConflict: oneOf(onConflict, ["skip", "update", "duplicate", "fail"], "onConflict"),
      kinds: kinds.map(({ name }) => name),
      create: requestedKinds(settings.create ?? []),
      filter,
      mapping: await mappingOf(settings.map),
      defaults: defaultWebhook === undefined ? {} : { webhooks: defaultWebhook },
      labels: { namePrefix, tags: settings.tags ?? [] },
      adapt: settings.adapt ?? false,
      acceptHiddenLoss: settings.acceptHiddenLoss ?? false,
      restores: settings.restore ?? false,
    },
    transforms: transformsOf(settings.transforms),
    fills,
    secrets,
    splitChannels: settings.splitChannels ?? false,
    onError: oneOf(onError, ["continue", "abort"], "onError"),
    verify: settings.verify ?? true,
    validate: oneOf(settings.validate ?? "auto", ["auto", "always", "never"], "validate"),
    listLagMs: milliseconds(settings.listLagMs ?? LIST_LAG_MS, "listLagMs"),
    redact: redactorOf(settings.redaction, [...secrets.filter(isUnmistakable), ...credentials]),
    journal: settings.journal,
    journalBase,
    journalAccess: journalAccess(settings),
    state: settings.state === undefined ? undefined : resolve(settings.state),
    mirror: mirrorOf(settings),
    stateAccess: journalAccess({ ...settings, trustJournal: settings.trustState ?? false }),
  };
}

function mirrorOf({ mirror, maxDelete }: ImportSettings): MirrorOptions | undefined {
  const parsed = maxDelete === undefined ? DEFAULT_MAX_DELETE : parseMaxDelete(String(maxDelete));
  if (parsed === undefined) {
    throw new StackferryError("usage", "maxDelete is neither a number of records nor a share such as 30%");
  }
  return mirror === undefined ? undefined : { scope: oneOf(mirror, ["ours", "all"], "mirror"), maxDelete: parsed };
}
