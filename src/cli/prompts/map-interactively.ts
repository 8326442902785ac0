import type { ManualMapping, Plan, UnresolvedId } from "../../core/plan/plan.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { isId } from "../../references/known-ids.ts";
import type { Session } from "../program/session.ts";
import type { Choice } from "./prompts.ts";
import { rankCandidates } from "../../core/text/similarity.ts";

export interface MappingQuestions {
  readonly planWith: (mapping: ManualMapping) => Promise<Plan>;
  /** The entries of the map file. */
  readonly mapping: ManualMapping;
}

export interface AnsweredMapping {
  readonly plan: Plan;
  readonly mapping: ManualMapping;
}

/** Asks about every record that could not be matched. */
export async function mapInteractively(questions: MappingQuestions, session: Session): Promise<AnsweredMapping> {
  const askedKeys = new Set<string>();
  let { mapping } = questions;
  let plan = await questions.planWith(mapping);
  // An answer can raise new questions, because several missing matches can block one record.
  for (;;) {
    const pending = plan.unresolved.filter(({ space, id }) => !askedKeys.has(`${space} ${id}`));
    if (pending.length === 0) return { plan, mapping };
    session.say(`${pluralize(pending.length, "record")} could not be matched.\n`);
    for (const [index, entry] of pending.entries()) {
      askedKeys.add(`${entry.space} ${entry.id}`);
      const answer = await askFor(entry, `${index + 1}/${pending.length}`, session);
      if (answer === STOP) return { plan: await questions.planWith(mapping), mapping };
      const { space, id } = entry;
      if (answer !== LEAVE) mapping = { ...mapping, [space]: { ...mapping[space], [id]: answer } };
    }
    plan = await questions.planWith(mapping);
  }
}

const LEAVE = Symbol("leave it");
const STOP = Symbol("stop");
const TYPE_ID = Symbol("type an id");
type Answer = string | typeof LEAVE | typeof STOP;

/** The number of candidates above the other choices: the likeliest ones. */
const MAX_LIKELY = 9;

const WHY = {
  missing: "the target has nothing like it",
  ambiguous: "several records of the target could match",
  dead: "the archive does not have it either",
} as const;

/** Shows the candidates for a record, the likeliest first. */
async function askFor(entry: UnresolvedId, position: string, { prompts, signal }: Session): Promise<Answer> {
  const { space, id, name, reason, neededBy, unlisted = false } = entry;
  const noun = nounOf(space);
  const needs = `${pluralize(neededBy, "record")} ${neededBy === 1 ? "needs" : "need"} it`;
  const message = printableText(`${position} ${noun} "${name === "" ? id : name}": ${WHY[reason]}; ${needs}`);
  const candidates = rankCandidates(name, entry.candidates).map((candidate): Choice<Answer> => {
    const { id: candidateId, name: called } = candidate;
    const label = printableText(called || candidateId);
    return { value: candidateId, label, hint: called === "" ? "" : printableText(candidateId) };
  });
  const problemOf = (typed: string): string | undefined => (isId(typed) ? undefined : `this is no id of a ${noun}`);
  if (candidates.length === 0) {
    const typed = await prompts.text(
      {
        message: `${message}\nthe target has no list of them: type its id (Enter leaves it, stop ends the questions)`,
        otherwise: "",
        problemOf: (text) => (text === "" || text === "stop" ? undefined : problemOf(text)),
      },
      signal,
    );
    return typed === "" ? LEAVE : typed === "stop" ? STOP : typed;
  }
  const choices: Choice<Answer | typeof TYPE_ID>[] = [
    ...candidates.slice(0, MAX_LIKELY),
    ...(unlisted ? [{ value: TYPE_ID, label: "type its id", hint: "the target has no list of them" } as const] : []),
    { value: LEAVE, label: "leave it" },
    { value: STOP, label: "stop", hint: "ask about no other record" },
    ...candidates.slice(MAX_LIKELY),
  ];
  const answer = await prompts.choose({ message, choices, otherwise: LEAVE }, signal);
  if (answer !== TYPE_ID) return answer;
  return prompts.text({ message: `Id of the ${noun} on the target`, problemOf }, signal);
}
