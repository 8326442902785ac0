import { resolve } from "node:path";
import { expandValues } from "../../config/expand-values.ts";
import type { MapFileLine } from "../../config/map-file.ts";
import { StackferryError } from "../../core/errors.ts";
import type { ManualMapping, Plan, UnresolvedId } from "../../core/plan/plan.ts";
import type { SecretAnswers } from "../../core/secrets.ts";
import { pluralize } from "../../core/text/format.ts";
import { printableText } from "../../core/text/printable.ts";
import { rankCandidates } from "../../core/text/similarity.ts";
import { nounOf } from "../../kinds/nouns.ts";
import { isId } from "../../references/known-ids.ts";
import { writePrivateFile } from "../../files/atomic-write.ts";
import { fileExists } from "../../files/regular-file.ts";
import type { ImportRun } from "../../library/import.ts";
import { loadMapping, normaliseSecrets } from "../../library/options/option-values.ts";
import type { ImportRequest } from "./flags.ts";
import { canAsk, type Session } from "../program/session.ts";
import type { Choice } from "../program/prompts.ts";

interface AnsweredMapping {
  readonly plan: Plan;
  readonly mapping: ManualMapping;
}

/**
 * The draft keeps completed lines of an existing file, because somebody wrote them.
 * @param first the plan before any answer
 */
async function writeMapDraft(
  file: string,
  { plan, mapping }: AnsweredMapping,
  first: Plan,
  session: Session,
): Promise<void> {
  const path = resolve(session.io.cwd, file);
  if (first.unresolved.length === 0) {
    session.note(`every record was recognised, so no map file is needed: ${path} is not written\n`);
    return;
  }
  const present = (await fileExists(path)) ? await loadMapping(path) : {};
  const spaces = new Set([...Object.keys(present), ...Object.keys(mapping)]);
  const merged = Object.fromEntries([...spaces].map((space) => [space, { ...present[space], ...mapping[space] }]));
  const { formatMapDraft } = await import("../../config/map-file.ts");
  await writePrivateFile(path, formatMapDraft(plan.unresolved, merged, namesOf(plan, first, merged)));
  session.note(`wrote ${path}: ${pluralize(plan.unresolved.length, "line")} to fill in\n`);
}

function namesOf({ matches }: Plan, { unresolved }: Plan, mapping: ManualMapping): MapFileLine[] {
  const questions = new Map(unresolved.map((entry) => [`${entry.space} ${entry.id}`, entry]));
  return matches.flatMap(({ space, from, to, name, targetName }) => {
    const question = questions.get(`${space} ${from}`);
    const names = {
      space,
      name: name === from ? (question?.name ?? "") : name,
      targetName: targetName === to ? (question?.candidates.find(({ id }) => id === to)?.name ?? "") : targetName,
    };
    // A line can refer to the archive's record by its id or by its name.
    return [from, name].flatMap((key) => (mapping[space]?.[key] === undefined ? [] : [{ ...names, from: key }]));
  });
}

const KEEP_ANSWERS = {
  message: "To keep these answers for --map, name a file, such as map.yaml (Enter keeps none)",
  otherwise: "",
  problemOf: () => undefined,
};

export async function askMapping(
  { draft }: Pick<ImportRun, "draft">,
  mapping: ManualMapping,
  { yes, dryRun, plan: approved, draftMap }: ImportRequest,
  session: Session,
): Promise<ManualMapping> {
  const asks = canAsk(session) && !yes && !dryRun && approved === undefined;
  if (!asks && draftMap === undefined) return mapping;
  const first = await draft(mapping);
  const unanswered = { plan: first, mapping };
  const answered = asks ? await mapInteractively(unanswered, draft, session) : unanswered;
  const isUnchanged = answered.mapping === mapping;
  const file = draftMap ?? (isUnchanged ? "" : await session.prompts.text(KEEP_ANSWERS, session.signal));
  if (file !== "") await writeMapDraft(file, answered, first, session);
  return answered.mapping;
}

export async function mapInteractively(
  unanswered: AnsweredMapping,
  draft: ImportRun["draft"],
  session: Session,
): Promise<AnsweredMapping> {
  const askedKeys = new Set<string>();
  let { plan, mapping } = unanswered;
  // An answer can raise new questions, because several missing matches can block one record.
  for (;;) {
    // Does not ask if the target's list has no record of the kind: no answer could help.
    const pending = plan.unresolved.filter(
      ({ space, id, candidates, unlisted }) =>
        !askedKeys.has(`${space} ${id}`) && (candidates.length > 0 || unlisted === true),
    );
    if (pending.length === 0) return { plan, mapping };
    session.say(`${pluralize(pending.length, "record")} could not be matched.\n`);
    for (const [index, entry] of pending.entries()) {
      askedKeys.add(`${entry.space} ${entry.id}`);
      const answer = await askFor(entry, `${index + 1}/${pending.length}`, session);
      if (answer === STOP) return { plan: await draft(mapping), mapping };
      const { space, id } = entry;
      if (answer !== LEAVE) mapping = { ...mapping, [space]: { ...mapping[space], [id]: answer } };
    }
    plan = await draft(mapping);
  }
}

const LEAVE = Symbol("leave it");
const STOP = Symbol("stop");
const TYPE_ID = Symbol("type an id");
type Answer = string | typeof LEAVE | typeof STOP;

/** Less likely candidates follow the choices `leave it` and `stop`. */
const MAX_LIKELY = 9;

const WHY = {
  missing: "the target has nothing like it",
  ambiguous: "several records of the target could match",
  dead: "the archive does not have it either",
} as const;

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

const VARIABLE = "STACKFERRY_SECRETS";

/** The scrubber then removes the file's values from the output. */
export async function loadSecrets(file: string | undefined, session: Session): Promise<SecretAnswers> {
  const path = secretsPath(file, session);
  if (path === undefined) return {};
  const sources = { env: session.io.env, configPath: path };
  const { secretAnswers, values } = normaliseSecrets(await expandValues(await read(path), "", sources));
  session.outputScrubber.add(...values);
  return secretAnswers;
}

/** The draft keeps the answers in this run's secrets file, because somebody wrote them. */
export async function writeSecretsDraft(
  target: string,
  plan: Plan,
  file: string | undefined,
  session: Session,
): Promise<void> {
  const path = resolve(session.io.cwd, target);
  if (plan.missingSecrets.length === 0) {
    session.note(`no secret is missing, so no secrets file is needed: ${path} is not written\n`);
    return;
  }
  const used = secretsPath(file, session);
  if (path !== used && (await fileExists(path))) {
    const hint = "name a new file, or give this one to --secrets, too: its answers are kept then";
    throw new StackferryError("usage", `${path} is there already, and is not overwritten`, { hint });
  }
  const { formatSecretsDraft } = await import("../../config/secrets/secrets-file.ts");
  await writePrivateFile(path, formatSecretsDraft(plan.missingSecrets, used === undefined ? {} : await read(used)));
  session.note(`wrote ${path}: ${pluralize(plan.missingSecrets.length, "line")} to fill in\n`);
}

/** The YAML parser loads slowly, so it is imported only for a secrets file. */
async function read(path: string): Promise<SecretAnswers> {
  const { loadSecretsFile } = await import("../../config/secrets/secrets-file.ts");
  return loadSecretsFile(path);
}

function secretsPath(file: string | undefined, { io }: Session): string | undefined {
  const path = file ?? (io.env[VARIABLE] || undefined);
  return path === undefined ? undefined : resolve(io.cwd, path);
}
