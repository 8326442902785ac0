import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { nameOfOutcome, type Outcome } from "../../core/outcome.ts";
import { itemKey, willWrite, type AlteredMember, type Plan, type PlanItem } from "../../core/plan/plan.ts";
import { keyOfRecord, recordKey, type StackRecord } from "../../core/records/record.ts";
import { joinNames, MAX_NAMED, pluralize } from "../../core/text/format.ts";
import { hiddenContentNotes } from "../../kinds/hidden-settings.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { textAt } from "../model/query.ts";
import type { Line, Section, Words } from "../document.ts";
import type { Tense } from "./outcomes.ts";

interface SectionOptions {
  readonly tense: Tense;
  readonly whole: boolean;
  readonly records: readonly StackRecord[];
}

export interface PlanSections {
  readonly remedies: readonly Section[];
  readonly details: readonly Section[];
}

export function planSections(plan: Plan, outcomes: readonly Outcome[], options: SectionOptions): PlanSections {
  const { tense, whole } = options;
  const isPlanned = tense === "planned";
  const writes = plan.items.filter(willWrite);
  const details = [
    section("may-hide", "What the API may not show", mayHideLines(writes, outcomes, isPlanned)),
    section(
      "transformed",
      "Changed by the target's transforms",
      alteredLines(writes, ({ transformed }) => transformed),
    ),
    section(
      "fitted",
      "Changed to fit the limits of the API",
      alteredLines(writes, ({ fitted }) => fitted),
    ),
    section("guesses", "Matched by a guess", isPlanned && writes.length > 0 ? guessLines(plan, options.records) : []),
  ];
  const remedies = isPlanned ? [unmatchedSection(plan, whole), secretsSection(plan)] : [];
  return { remedies, details };
}

function section(id: string, title: string, lines: readonly Line[], next?: string): Section {
  return { is: "section", id, title, lines, ...(next !== undefined && { next }) };
}

function recordText(record: Pick<Outcome, "kind" | "name" | "displayName" | "sourceId">): string {
  return `${nounOf(record.kind)} "${nameOfOutcome(record)}"`;
}

/** In a result, only writes that were made count. */
function mayHideLines(writes: readonly PlanItem[], outcomes: readonly Outcome[], isPlanned: boolean): Line[] {
  const written = new Set(outcomes.filter(({ status }) => isPlanned || status === "done").map(itemKey));
  const made = writes.filter((item) => written.has(itemKey(item)));
  return hiddenContentNotes(made).map(({ message, record }): Line => {
    const words: Words = record === undefined ? message : { record, name: message };
    return { mark: "!", words };
  });
}

function alteredLines(
  writes: readonly PlanItem[],
  membersOf: (item: PlanItem) => readonly AlteredMember[] | undefined,
): Line[] {
  return writes.flatMap((item) =>
    (membersOf(item) ?? []).map(({ pointer, change }): Line => {
      return { mark: "~", words: [{ record: itemKey(item), name: recordText(item) }, ` ${pointer}: ${change}`] };
    }),
  );
}

function guessLines({ matches }: Plan, records: readonly StackRecord[]): Line[] {
  const byKey = new Map(records.map((record) => [keyOfRecord(record), record]));
  // Leaves out children, such as tiles: their space has a slash.
  const wholeRecords = matches.filter(({ space }) => !space.includes("/"));
  return wholeRecords.flatMap(({ space, from, to, name, targetName, rule }): Line[] => {
    const isGuess = rule === "inferred" || (CONTENT_RULES.includes(rule) && name !== targetName);
    if (!isGuess || from === to) return [];
    const record = byKey.get(recordKey(space, from));
    const quoted = (text: string, id: string): string => (text === "" || text === id ? id : `"${text}"`);
    const left = quoted(record?.name ?? name, from);
    const right = quoted(targetName, to);
    return [{ mark: "?", words: `${nounOf(space)} ${left} ↔ ${right} by ${basisOf(rule, record)}` }];
  });
}

const CONTENT_RULES = ["equal-content", "natural-key"];

function basisOf(rule: string, record: StackRecord | undefined): string {
  if (rule === "inferred") return "the matched records that use it";
  const from: JsonObject = isJsonObject(record?.body["from"]) ? record.body["from"] : {};
  const table = [textAt(from, "databaseName"), textAt(from, "tableName")].filter((part) => part !== "").join(".");
  if (table !== "") return `table ${table}`;
  const host = record === undefined ? "" : textAt(record.body, "host");
  if (host !== "") return `address ${host}`;
  return rule === "equal-content" ? "the same content" : "the same name and content";
}

const UNMATCHED_REASONS = {
  missing: "has no match on the target",
  ambiguous: "has more than one match on the target",
  dead: "is not in the archive either",
} as const;

/** Finds the missing record in a message: `needs the webhook "pager", which …`. */
const NEEDED = /(?:^|; )needs the (.*?")(?:,| \(|;|$)/gs;

/** Without `whole`, leaves out a record that the message of a blocked record names. */
function unmatchedSection({ items, unresolved }: Plan, whole: boolean): Section {
  const messages = items.flatMap(({ action, message = "" }) => (action === "blocked" ? [message] : []));
  const explained = new Set(messages.flatMap((message) => [...message.matchAll(NEEDED)].map(([, what]) => what)));
  const lines = unresolved.flatMap(({ space, id, name, reason, candidates, neededBy }): Line[] => {
    const what = `${nounOf(space)} "${name === "" ? id : name}"`;
    if (!whole && explained.has(what)) return [];
    const need = neededBy === 0 ? "" : `; ${pluralize(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`;
    const likely = joinNames(candidates, MAX_NAMED, (candidate) => candidate.name || candidate.id);
    const inner: Line[] = likely === "" ? [] : [{ mark: "", words: `candidates: ${likely}` }];
    return [{ mark: "!", words: `${what} ${UNMATCHED_REASONS[reason]}${need}`, inner }];
  });
  const next = "A map file matches records that are missing: --draft-map map.yaml drafts one, --map map.yaml uses it";
  return section("unmatched", "Not matched", lines, unresolved.length > 0 ? next : undefined);
}

function secretsSection({ missingSecrets }: Plan): Section {
  const lines = missingSecrets.map(({ key, name, pointer, rules, around }): Line => {
    const [kind = ""] = key.split("/");
    const what = `${nounOf(kind)} "${name === "" ? key : name}" ${pointer}: ${rules.join(", ")}`;
    return {
      mark: "!",
      words: { record: key, name: what },
      inner: around.map((text) => ({ mark: "", words: `where: ${text}` })),
    };
  });
  const next = "Supply these secrets: --draft-secrets secrets.yaml drafts a file, --secrets secrets.yaml uses it";
  return section("missing-secrets", "Secrets to supply", lines, lines.length > 0 ? next : undefined);
}
