import { byCodeUnit, groupBy } from "../../core/collections.ts";
import type { Action, Outcome } from "../../core/outcome.ts";
import { isIncomplete, isLeftAlone, isOpen, nameOrId } from "../../core/outcome.ts";
import type { Plan, PlanItem, MissingSecret } from "../../core/plan/plan.ts";
import type { Removal } from "../../core/plan/removal.ts";
import { printable } from "../../core/text/printable.ts";
import type { Probe } from "../../import/apply/probe-sources.ts";
import { nounOf, pluralOf } from "../../kinds/id-spaces.ts";
import { inKindOrder, kinds } from "../../kinds/registry.ts";
import { plannedOutcomes } from "../../core/plan/planned-outcomes.ts";
import { countOutcomes } from "../../core/outcome.ts";
import { alteredText } from "./plan/altered.ts";
import { conflictsText } from "./plan/conflicts.ts";
import { mappedText } from "./plan/mapped.ts";
import { keptText } from "./plan/removals.ts";
import { overwrittenText, updatesText } from "./plan/updates.ts";
import { reasonLines } from "./reasons.ts";
import { renderTable } from "./terminal/table.ts";
import type { OutputOptions, Paint, Theme } from "./terminal/theme.ts";
import { pluralize, joinNames } from "../../core/text/plural.ts";

type Row = Pick<PlanItem, "kind" | "name" | "sourceId" | "targetName" | "code" | "message"> & {
  readonly action: PlanItem["action"] | Removal["action"];
};

const ORDER = [
  "create",
  "update",
  "delete",
  "blocked",
  "skip",
  "unchanged",
] as const satisfies readonly Row["action"][];

const PAINTS: Readonly<Record<Row["action"], keyof Theme>> = {
  delete: "bad",
  create: "good",
  update: "notice",
  blocked: "bad",
  skip: "faint",
  unchanged: "faint",
};

/** Renders a plan: the action for each record by kind, the blockers, the counts last. */
export function planText(plan: Plan, display: OutputOptions): string {
  const rows = rowsOf(plan);
  const sections = kinds.map(({ name }) =>
    kindText(
      name,
      rows.filter(({ kind }) => kind === name),
      display,
    ),
  );
  const shown = sections.filter((section) => section !== "");
  const { items } = plan;
  const updates = [
    mappedText(items, display),
    updatesText(items, display),
    overwrittenText(items, display),
    conflictsText(items, display),
    alteredText(items, display),
  ];
  return [...shown, ...updates, planReasons(plan, display), `${planCounts(plan)}\n`].join("");
}

/** The planned actions for the records of the archive, and for records removed from the source. */
function rowsOf({ items, mirror }: Plan): readonly Row[] {
  return [...items, ...(mirror?.removals ?? [])];
}

/** The reasons why records are blocked or left alone, and what is missing. */
export function planReasons(plan: Plan, display: OutputOptions): string {
  const missing = [
    keptText(plan, display),
    blockersText(plan, display),
    unverifiedText(plan, display),
    missingSecretsText(plan.missingSecrets, display),
  ];
  const left = leftAloneText(plannedOutcomes(plan), display);
  return [...missing, left].join("");
}

/** `Plan: 8 to create, 0 to update, 2 unchanged, 1 blocked.` */
export function planCounts(plan: Plan): string {
  const { items } = plan;
  const rows = rowsOf(plan);
  const count = (action: Row["action"]): number => rows.filter((row) => row.action === action).length;
  const left = rows.filter(isLeftAlone).length;
  const deletes = plan.mirror === undefined ? "" : `, ${count("delete")} to delete`;
  const matched = count("skip") - left;
  const alone = left === 0 ? "" : `, ${left} left alone`;
  const known = matched === 0 ? "" : `, ${matched} matched`;
  const open = unverifiedOf(items).size;
  const unverified = open === 0 ? "" : ` ${open} ${open === 1 ? "id is" : "ids are"} not verified.`;
  return `Plan: ${count("create")} to create, ${count("update")} to update${deletes}, ${count("unchanged")} unchanged${alone}${known}, ${count("blocked")} blocked.${unverified}`;
}

/** Ids whose existence only a write can prove, each with the number of records that use it. */
function unverifiedOf(items: readonly PlanItem[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { space, id } of items.flatMap(({ unverified = [] }) => unverified)) {
    uses.set(`${space} ${id}`, (uses.get(`${space} ${id}`) ?? 0) + 1);
  }
  return uses;
}

function unverifiedText({ items, matches }: Plan, display: OutputOptions): string {
  const uses = unverifiedOf(items);
  const lines = matches.flatMap(({ space, to, name, from }) => {
    const count = uses.get(`${space} ${to}`);
    if (count === undefined) return [];
    const what = `${nounOf(space)} "${name === "" ? from : name}" → ${to}`;
    return [`  ${printable(`${what}: not verified; ${count} ${count === 1 ? "record uses" : "records use"} it`)}\n`];
  });
  if (lines.length === 0) return "";
  const why = "the target does not list these ids, so the first record with each is written alone to prove it";
  return `${lines.join("")}${display.theme.heading(why)}\n\n`;
}

function kindText(kind: string, items: readonly Row[], display: OutputOptions): string {
  if (items.length === 0) return "";
  const rank = ({ action }: Row): number => ORDER.indexOf(action);
  const sorted = [...items].sort(
    (a, b) => rank(a) - rank(b) || byCodeUnit(a.name, b.name) || byCodeUnit(a.sourceId, b.sourceId),
  );
  const rows = sorted.map((item) => [
    { text: item.action, paint: display.theme[PAINTS[item.action]] },
    `${nameOrId(item)}${item.targetName === undefined ? "" : ` ("${item.targetName}" there)`}`,
    item.code ?? "",
  ]);
  const table = renderTable({ columns: [{ title: "ACTION" }, { title: "NAME" }, { title: "WHY" }], rows }, display);
  return `${display.theme.heading(pluralOf(kind))}\n${table}\n`;
}

const DONE: Readonly<Record<Exclude<Action, "export">, string>> = {
  create: "created",
  update: "updated",
  unchanged: "unchanged",
  skip: "left alone",
  delete: "deleted",
  blocked: "blocked",
};

/** Renders the end of an import: the failures, the records left alone, then the counts. */
export function importText(outcomes: readonly Outcome[], display: OutputOptions): string {
  const begun = outcomes.filter((outcome) => !isOpen(outcome));
  const end = importCounts(outcomes, display.theme.bad);
  return `${failuresText(outcomes, display)}${leftAloneText(begun, display)}${end}\n`;
}

/** `Done: 8 created, 2 updated, 1 failed.` Zero counts are left out, unless all are zero. */
export function importCounts(outcomes: readonly Outcome[], paint: Paint = (text) => text): string {
  const counts = countOutcomes(outcomes);
  const parts = Object.entries(DONE)
    .filter(([action]) => (counts[action] ?? 0) > 0)
    .map(([action, word]) => `${counts[action] ?? 0} ${word}`);
  const failed = counts["failed"] ?? 0;
  const openBy = (wanted: string): number => outcomes.filter(({ code }) => code === wanted).length;
  const rest = [
    { count: openBy("not-started"), word: "not begun" },
    { count: openBy("not-checked"), word: "not looked for" },
  ].flatMap(({ count, word }) => (count === 0 ? [] : [`${count} ${word}`]));
  const matched = counts["matched"] ?? 0;
  const known = matched === 0 ? "" : ` ${matched} matched with what the target has.`;
  const ends = [...parts, ...(failed === 0 ? [] : [paint(`${failed} failed`)]), ...rest];
  return `Done: ${ends.length === 0 ? "nothing to write" : ends.join(", ")}.${known}`;
}

/** The records that failed, were blocked or may be gone, each with its code and the full reason; empty if there are none. */
export function failuresText(outcomes: readonly Outcome[], display: OutputOptions): string {
  const failures = outcomes.filter((outcome) => isIncomplete(outcome) || outcome.code === "not-checked");
  if (failures.length === 0) return "";
  const rows = inKindOrder(failures, ({ kind }) => kind).map((outcome) => [
    outcome.kind,
    nameOrId(outcome),
    { text: resultWord(outcome), paint: display.theme.bad },
    outcome.code ?? "",
  ]);
  const columns = [{ title: "KIND" }, { title: "NAME" }, { title: "RESULT" }, { title: "CODE" }];
  // A table cuts long cells, so the reasons follow below it, each once.
  return `${renderTable({ columns, rows }, display)}${reasonLines(failures, " ", display)}\n`;
}

function resultWord({ action, status }: Pick<Outcome, "action" | "status">): string {
  if (action === "blocked") return "blocked";
  return status === "failed" ? "failed" : "unknown";
}

const WORDS: Readonly<Record<Probe["status"], string>> = {
  data: "answers with data",
  empty: "answers, but has nothing in the last 24 hours",
  failed: "fails",
  "not-asked": "was not asked: no tile of the target queries a metric of it",
};

/** The state of each probed source; empty if none was probed. */
export function probeText(probes: readonly Probe[], { theme }: OutputOptions): string {
  if (probes.length === 0) return "";
  const lines = probes.map(({ name, targetId, status, message }) => {
    const paint =
      status === "data" ? theme.good : status === "empty" || status === "not-asked" ? theme.notice : theme.bad;
    const why = message === undefined ? "" : `: ${printable(message)}`;
    return `  ${printable(name || targetId)} ${paint(WORDS[status])}${why}\n`;
  });
  return `${theme.heading("sources")}\n${lines.join("")}`;
}

/** The secrets that a secrets file has to supply, each with its surrounding text; empty if there are none. */
function missingSecretsText(missingSecrets: readonly MissingSecret[], { theme }: OutputOptions): string {
  if (missingSecrets.length === 0) return "";
  const lines = missingSecrets.flatMap(({ key, name, pointer, rules, around }) => {
    const [kind = ""] = key.split("/");
    const what = `${nounOf(kind)} "${name === "" ? key : name}" ${pointer}: ${rules.join(", ")}`;
    return [`  ${printable(what)}\n`, ...around.map((text) => `    ${theme.faint(printable(text))}\n`)];
  });
  const next = theme.heading(
    "supply these secrets: --draft-secrets secrets.yaml drafts a file, --secrets secrets.yaml uses it",
  );
  return `${lines.join("")}${next}\n\n`;
}

const WHY = {
  missing: "has no match on the target",
  ambiguous: "has more than one match on the target",
  dead: "is not in the archive either",
} as const;

/** Extracts the missing record from a message: `needs the webhook "pager", which …`. */
const NEEDED = /^needs the (.*?")(?:,| \(|$)/s;

/** The reasons why records are blocked, each once, with the records that a map file could match. */
function blockersText({ items, unresolved }: Plan, display: OutputOptions): string {
  const blocked = items.filter(({ action }) => action === "blocked");
  const reasons = reasonLines(blocked, display.theme.bad("!"), display);
  if (unresolved.length === 0) return reasons;
  const told = new Set(blocked.map(({ message = "" }) => NEEDED.exec(message)?.[1] ?? ""));
  // A record that lacks several records is blocked by the first one; the others are named here.
  const others = unresolved.flatMap(({ space, id, name, reason, neededBy }) => {
    const what = `${nounOf(space)} "${name === "" ? id : name}"`;
    if (told.has(what)) return [];
    return [
      `  ${printable(`${what} ${WHY[reason]}${neededBy === 0 ? "" : `; ${pluralize(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`}`)}\n`,
    ];
  });
  const next = display.theme.heading(
    "name what has no match in a map file: --draft-map map.yaml drafts one, --map map.yaml uses it",
  );
  return `${reasons}${others.join("")}${next}\n\n`;
}

/** Names shown per kind and reason; `--verbose` and `--json` have all of them. */
const MAX_NAMES_SHOWN = 20;

/** The records left alone: a line for each kind and reason, empty if there are none. */
function leftAloneText(outcomes: readonly Outcome[], display: OutputOptions): string {
  const left = inKindOrder(outcomes.filter(isLeftAlone), ({ kind }) => kind);
  const groups = groupBy(left, ({ kind, code, message }) => `${kind}\n${code}\n${message}`);
  return [...groups.values()].map((group) => `${printable(lineOf(group, display.verbose === true))}\n`).join("");
}

function lineOf(group: readonly Outcome[], whole: boolean): string {
  const [{ kind, code, status, message } = {} as Partial<Outcome>] = group;
  const several = group.length > 1;
  const count = pluralize(group.length, nounOf(kind ?? ""));
  const names = joinNames(group, whole ? group.length : MAX_NAMES_SHOWN, nameOf);
  const was = status === "planned" ? (several ? "are" : "is") : several ? "were" : "was";
  const why = message ?? code;
  if (code !== "exists") return `${count} ${was} left alone: ${names}${why === undefined ? "" : ` (${why})`}`;
  const differs = several ? "differ" : "differs";
  return `${count} ${differs} on the target and ${was} left alone: ${names} (--on-conflict update overwrites ${several ? "them" : "it"})`;
}

function nameOf(outcome: Outcome): string {
  const { targetName } = outcome;
  const own = nameOrId(outcome);
  return targetName === undefined ? own : `${own} ("${targetName}" on the target)`;
}
