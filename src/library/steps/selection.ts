import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { RecordFilter } from "../../core/records/record-filter.ts";
import type { KindName } from "../../core/records/record.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { pluralOf } from "../../kinds/nouns.ts";
import { findKind, kinds, kindsOnRequest } from "../../kinds/registry.ts";
import { requireTexts, unknownName, type OptionNames } from "../options/option-values.ts";

/** Selects records; by default all. */
export interface SelectionOptions {
  /** Only records of these kinds, such as `dashboards` and `alerts`. */
  readonly kinds?: readonly KindName[];
  /** Only records whose name or id matches a pattern (`*` and `?`), and the records that belong to them, such as alerts. */
  readonly include?: readonly string[];
  /** Excludes records whose name or id matches a pattern. */
  readonly exclude?: readonly string[];
}

export const SELECTION_OPTIONS: OptionNames<SelectionOptions> = { kinds: true, include: true, exclude: true };

/** An empty `kinds` means all kinds. */
export interface SelectedRecords {
  readonly kinds: readonly ResourceKind[];
  readonly filter: RecordFilter;
}

/** @throws StackferryError `usage` for an unknown kind, and for an option that is not a list of texts */
export function normaliseSelection(options: SelectionOptions): SelectedRecords {
  const textsOf = (option: keyof SelectionOptions): readonly string[] => requireTexts(options[option], option);
  const filter = { include: textsOf("include"), exclude: textsOf("exclude") };
  return { kinds: namedKinds(textsOf("kinds")), filter };
}

/** Adds the kinds of `kindsOnRequest` to `requested`, because another stack resolves references by their records. */
export function kindsToExport(
  { kinds: listed }: Pick<StackSettings, "kinds">,
  requested: readonly ResourceKind[] = [],
): readonly ResourceKind[] {
  const exported =
    requested.length === 0 ? kinds : kinds.filter((kind) => requested.includes(kind) || kindsOnRequest.includes(kind));
  return listed === undefined ? exported : exported.filter(({ name }) => listed.includes(name));
}

export function refuseUnlistedKinds(
  requested: readonly ResourceKind[],
  { stackName, kinds: listed }: Pick<StackSettings, "stackName" | "kinds">,
): void {
  const unlisted = requested.find(({ name }) => listed?.includes(name) === false);
  if (unlisted === undefined) return;
  const message = `${stackName} exports no ${pluralOf(unlisted.name)}: its \`kinds\` list ${listed?.join(", ")}`;
  throw new StackferryError("usage", message, { hint: `add ${unlisted.name} to \`kinds\` of the stack` });
}

export function kindsToCreate(names: readonly string[]): KindName[] {
  const possible = kindsOnRequest.map(({ name }) => name);
  return [...new Set(names)].flatMap((name) => {
    if (name === "none") return [];
    if (name === "all") return possible;
    if (possible.includes(name)) return [name];
    throw unknownName(`the kind "${name}" cannot be created on request`, name, [...possible, "all", "none"]);
  });
}

export function namedKinds(names: readonly string[]): ResourceKind[] {
  return [...new Set(names)].map((name) => {
    const kind = findKind(name);
    if (kind !== undefined) return kind;
    const kindNames = kinds.map((descriptor) => descriptor.name);
    throw unknownName(`unknown kind "${name}"`, name, kindNames);
  });
}
