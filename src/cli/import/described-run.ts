import { basename } from "node:path";
import { isLeftDifferent, type Outcome } from "../../core/outcome.ts";
import { plannedOutcomes } from "../../core/plan/plan.ts";
import { isSameStack, type StackIdentity } from "../../core/records/record.ts";
import { quoteShellWord } from "../../core/text/format.ts";
import { isAlwaysWritten } from "../../kinds/registry.ts";
import { stackAddressOf, stackNameFromAddress } from "../../config/stacks/stack-address.ts";
import { countWrites } from "../../library/steps/validate-plan.ts";
import type { PlannedRun } from "../../report/view/plan.ts";
import { addressInWords, minuteText, shortAddressOf, timeText } from "../../report/view/words.ts";
import type { Session } from "../program/session.ts";
import { stackNameAndAddress } from "../wiring/stack.ts";
import type { PlannedImport } from "./planned-import.ts";

/** Says what a plan or a result is about: from where to where, and the next command. */
export function describedImport(
  planned: PlannedImport,
  session: Session,
  outcomes?: readonly Outcome[],
  next: readonly string[] = [],
): Omit<PlannedRun, "whole"> {
  const { plan, records, target, reader } = planned;
  const { source, createdAt } = reader.manifest;
  const { identity } = target.settings;
  const to = stackNameAndAddress(target.settings);
  return {
    plan,
    outcomes,
    records,
    subject: `Import of ${nameOfSource(planned, session)} into ${shortName(target.settings.stackName, identity)}`,
    headline: `${sourceText(planned, session)} → ${isOfOtherStack(planned) ? "another stack, " : ""}${to}`,
    notes: [],
    facts: [
      ["From", addressInWords(source)],
      ["To", addressInWords(identity)],
      ["Archive", session.runState.archive?.path],
      ["Exported", target.files === undefined ? timeText(createdAt) : undefined],
      ["Content digest", { code: reader.summary.contentDigest }],
      ["Time", timeText(new Date(session.startedAt).toISOString())],
    ],
    ...(outcomes === undefined && { digest: plan.digest }),
    next: [...nextOfPlan(planned, session, outcomes), ...next],
  };
}

/** Returns the configured name of a stack; if it has none, its address as short as a heading needs. */
function shortName(name: string, identity: StackIdentity): string {
  return name === stackNameFromAddress(identity) ? shortAddressOf(identity) : name;
}

/** Returns a short name of what is imported: the file of an archive, the folder of files, or the stack. */
function nameOfSource({ target, reader }: PlannedImport, { runState }: Session): string {
  if (target.files !== undefined) return basename(target.files.root);
  if (target.from !== undefined) return shortName(target.from, reader.manifest.source);
  return basename(runState.archive?.path ?? reader.summary.path);
}

/** Returns what is imported, with its address and its time: `a.zip (https://stack.example, 2026-01-02 03:04 UTC)`. */
function sourceText(planned: PlannedImport, session: Session): string {
  const { target, reader } = planned;
  const { source, createdAt } = reader.manifest;
  if (target.from !== undefined) return stackNameAndAddress({ stackName: target.from, identity: source });
  const name = nameOfSource(planned, session);
  return target.files === undefined
    ? `${name} (${stackAddressOf(source)}, ${minuteText(createdAt)})`
    : `${name} (files)`;
}

/** Tells whether an archive is of another stack than the target. */
export function isOfOtherStack({ target, reader }: PlannedImport): boolean {
  const isArchive = target.files === undefined && target.from === undefined;
  return isArchive && !isSameStack(reader.manifest.source, target.settings.identity);
}

/** Returns the commands that carry out a plan, and that write what was kept. */
function nextOfPlan({ plan }: PlannedImport, session: Session, outcomes?: readonly Outcome[]): string[] {
  const { words } = session;
  // No flag writes a record that differs and is of a kind that is never updated.
  const leavesDifferent = (outcomes ?? plannedOutcomes(plan)).some(
    (each) => isLeftDifferent(each) && isAlwaysWritten(each.kind),
  );
  const write = outcomes === undefined && countWrites(plan) > 0 ? [`To do this: ${commandText(words)}`] : [];
  const overwrite = leavesDifferent
    ? [`To write what is kept: ${commandText([...withoutFlag(words, "--on-conflict"), "--on-conflict", "overwrite"])}`]
    : [];
  return [...write, ...overwrite];
}

/** Flags of a dry run, or of its output, that the command which writes does not need. The second value tells whether they take one. */
const DRY_FLAGS: Readonly<Record<string, boolean>> = {
  "--dry-run": false,
  "--exit-code": false,
  "--markdown": false,
  "--json": false,
  "--quiet": false,
  "-q": false,
  "--verbose": false,
  "-v": false,
  "--report": true,
  "--plan": true,
  "--draft-map": true,
  "--draft-secrets": true,
};

function commandText(words: readonly string[]): string {
  const needed = Object.keys(DRY_FLAGS).reduce<readonly string[]>((left, flag) => withoutFlag(left, flag), words);
  return ["stackferry", ...needed.map(quoteShellWord)].join(" ");
}

/** Removes a flag from the words of a line, with its value if it takes one. */
function withoutFlag(words: readonly string[], flag: string): readonly string[] {
  const takesValue = DRY_FLAGS[flag] ?? true;
  return words.filter((word, index) => {
    const isValue = takesValue && words[index - 1] === flag;
    return word !== flag && !word.startsWith(`${flag}=`) && !isValue;
  });
}
