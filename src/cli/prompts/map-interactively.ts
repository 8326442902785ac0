import type { ManualMapping, Plan, UnresolvedId } from "../../core/plan/plan.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { isId } from "../../references/known-ids.ts";
import type { Session } from "../program/session.ts";
import { ask } from "./confirm.ts";
import { rankCandidates, type ComparedBodies, type RankedCandidate } from "./rank-candidates.ts";
import { renderTable } from "../output/table.ts";
import type { OutputOptions } from "../output/terminal.ts";

export interface MappingQuestions {
  readonly planWith: (mapping: ManualMapping) => Promise<Plan>;
  /** The entries of the map file. */
  readonly mapping: ManualMapping;
  readonly bodiesOf: (entry: UnresolvedId) => ComparedBodies;
}

export interface AnsweredMapping {
  readonly plan: Plan;
  readonly mapping: ManualMapping;
}

const HELP =
  "Answer with a number, or with a name or id of the target. Enter skips a question, q ends the questions.\n";

/** Asks about every record that could not be matched. */
export async function mapInteractively(questions: MappingQuestions, session: Session): Promise<AnsweredMapping> {
  const askedKeys = new Set<string>();
  let { mapping } = questions;
  let plan = await questions.planWith(mapping);
  // An answer can raise new questions, because several missing matches can block one record.
  for (;;) {
    const pending = plan.unresolved.filter(({ space, id }) => !askedKeys.has(`${space} ${id}`));
    if (pending.length === 0) return { plan, mapping };
    session.say(`${pluralize(pending.length, "thing")} could not be matched. ${HELP}`);
    for (const [index, entry] of pending.entries()) {
      askedKeys.add(`${entry.space} ${entry.id}`);
      const answer = await askFor(entry, `${index + 1}/${pending.length}`, questions, session);
      if (answer === "stop") return { plan: await questions.planWith(mapping), mapping };
      const { space, id } = entry;
      if (answer !== "leave") mapping = { ...mapping, [space]: { ...mapping[space], [id]: answer.id } };
    }
    plan = await questions.planWith(mapping);
  }
}

async function askFor(
  entry: UnresolvedId,
  position: string,
  { bodiesOf }: MappingQuestions,
  session: Session,
): Promise<"stop" | "leave" | { readonly id: string }> {
  const ranked = rankCandidates(entry, bodiesOf(entry));
  session.say(candidatesText(entry, position, ranked, session.messageDisplay));
  for (;;) {
    const answer = await ask("  > ", session);
    if (answer === "") return "leave";
    if (answer === "q") return "stop";
    const chosen = choiceOf(answer, ranked, entry.unlisted === true);
    if (chosen !== undefined) return chosen;
    session.say(printableText(`  "${answer}" is no ${nounOf(entry.space)} of the target, or more than one`) + "\n");
  }
}

/** Returns the candidate with the number, id or unique name that was typed. If the target lists no candidates, accepts any id. */
function choiceOf(
  answer: string,
  ranked: readonly RankedCandidate[],
  unlisted: boolean,
): { readonly id: string } | undefined {
  if ((unlisted || ranked.length === 0) && isId(answer)) return { id: answer };
  const byId = ranked.find(({ id }) => id === answer);
  const byName = ranked.filter(({ name }) => name === answer);
  const numbered = /^\d{1,4}$/.test(answer) ? ranked[Number(answer) - 1] : undefined;
  return byId ?? (byName.length === 1 ? byName[0] : undefined) ?? numbered;
}

/** Maximum number of candidates shown. Names and ids of the others can still be typed. */
const MAX_SHOWN = 9;

/** Renders one question: the record that could not be matched and its candidates, the likeliest first. */
function candidatesText(
  { space, id, name, reason, neededBy }: UnresolvedId,
  position: string,
  ranked: readonly RankedCandidate[],
  display: OutputOptions,
): string {
  const { theme } = display;
  const why = {
    missing: "the target has nothing like it",
    ambiguous: "several records of the target could match",
    dead: "the archive does not have it either",
  }[reason];
  const unmatchedText = `${nounOf(space)} "${name === "" ? id : name}"`;
  const needs = `${pluralize(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`;
  const head = `\n${theme.faint(position)} ${theme.strong(printableText(unmatchedText))}: ${why}; ${needs}\n`;
  if (ranked.length === 0) return `${head}  the target lists none of them: type its id\n`;
  const rows = ranked
    .slice(0, MAX_SHOWN)
    .map((candidate, index) => [
      String(index + 1),
      candidate.name === "" ? candidate.id : candidate.name,
      candidate.name === "" ? "" : candidate.id,
      candidate.reasons.join(", "),
    ]);
  const columns = [{ right: "" }, "NAME", "ID", "WHY"];
  const more = ranked.length - MAX_SHOWN;
  return `${head}${renderTable({ columns, rows }, display)}${more > 0 ? `  and ${more} more\n` : ""}`;
}
