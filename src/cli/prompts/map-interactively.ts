import type { ManualMapping, Plan, Unresolved } from "../../core/plan/plan.ts";
import { pluralize } from "../../core/text/format.ts";
import { printable } from "../../core/text/printable.ts";
import { nounOf } from "../../kinds/names.ts";
import { isId } from "../../references/known-ids.ts";
import type { Session } from "../program/session.ts";
import type { KnownBodies, RankedCandidate } from "./candidates.ts";
import { candidatesText, rankCandidates } from "./candidates.ts";
import { ask } from "./confirm.ts";

/** The inputs of the mapping questions. */
export interface MappingQuestions {
  readonly planWith: (mapping: ManualMapping) => Promise<Plan>;
  /** The entries of the map file. */
  readonly mapping: ManualMapping;
  readonly bodiesOf: (entry: Unresolved) => KnownBodies;
}

/** The mapping with the answers, and the resulting plan. */
export interface Answered {
  readonly plan: Plan;
  readonly mapping: ManualMapping;
}

const HELP = "Answer with a number, or a name or id of the target; Enter leaves it as it is, q stops asking.\n";

/** Asks about every record that could not be matched. */
export async function mapInteractively(questions: MappingQuestions, session: Session): Promise<Answered> {
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
      if (answer !== "leave") mapping = withLine(mapping, entry, answer.id);
    }
    plan = await questions.planWith(mapping);
  }
}

async function askFor(
  entry: Unresolved,
  position: string,
  { bodiesOf }: MappingQuestions,
  session: Session,
): Promise<"stop" | "leave" | { readonly id: string }> {
  const ranked = rankCandidates(entry, bodiesOf(entry));
  session.say(candidatesText(entry, position, ranked, session.err));
  for (;;) {
    const answer = await ask("  > ", session);
    if (answer === "") return "leave";
    if (answer === "q") return "stop";
    const chosen = choiceOf(answer, ranked, entry.unlisted === true);
    if (chosen !== undefined) return chosen;
    session.say(printable(`  "${answer}" is no ${nounOf(entry.space)} of the target, or more than one`) + "\n");
  }
}

/**
 * The candidate for an answer: by number, by id, or by a unique name. If the target cannot list candidates, any text in the form
 * of an id is accepted.
 */
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

function withLine(mapping: ManualMapping, { space, id }: Unresolved, to: string): ManualMapping {
  return { ...mapping, [space]: { ...mapping[space], [id]: to } };
}
