import { StackferryError } from "../../core/errors.ts";
import { printableText } from "../../core/text/printable.ts";
import type { ImportRequest } from "../import/flags.ts";
import type { Session } from "../program/session.ts";

export function canAsk({ io }: Session): boolean {
  return io.stdin.isTTY && io.stderr.isTTY;
}

/** Refuses a script without `--yes`: it must not write a plan that nobody has reviewed. @throws StackferryError `usage` */
export function refuseUnconfirmed(
  { yes, dryRun, plan }: Pick<ImportRequest, "yes" | "dryRun"> & Partial<Pick<ImportRequest, "plan">>,
  session: Session,
): void {
  if (yes || dryRun || plan !== undefined || canAsk(session)) return;
  throw new StackferryError("usage", "there is no terminal to ask on, so nothing was written or removed", {
    hint: "add --yes to go on without being asked, or --dry-run to see what would be done",
  });
}

/**
 * Asks before anything is written. Only a whole "yes" goes on: what was typed into the terminal while the plan was made, such as the
 * next command, is no answer. @throws StackferryError `declined` for no, or for Enter alone
 */
export async function confirm(question: string, { prompts, signal }: Session): Promise<void> {
  const isAnswer = (typed: string): boolean => ["yes", "no", "n"].includes(typed.toLowerCase());
  const problemOf = (typed: string): string | undefined => (isAnswer(typed) ? undefined : "type yes to go on, or no");
  const message = `${printableText(question)} Only "yes" goes on.`;
  const answer = await prompts.text({ message, otherwise: "no", problemOf }, signal);
  if (answer.toLowerCase() === "yes") return;
  throw new StackferryError("declined", "stopped before anything was written or removed", {
    hint: "--yes does not ask",
  });
}
