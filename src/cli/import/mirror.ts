import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import { StackferryError } from "../../core/errors.ts";
import type { Plan } from "../../core/importing/plan.ts";
import { counted } from "../../core/text/plural.ts";
import { deletesOf } from "../../import/remove/max-delete.ts";
import type { ImportRequest } from "../flags/import.ts";
import { changesQuestion } from "../output/plan/question.ts";
import { removalsText } from "../output/plan/removals.ts";
import type { Session } from "../program/session.ts";
import { ask, canAsk, confirm } from "../prompts/confirm.ts";
import { stackTitle } from "../wiring/stack.ts";
import type { ImportTarget } from "./result.ts";

type MirrorRequest = Pick<ImportRequest, "mirror" | "yesDelete" | "dryRun">;

/** @throws StackferryError `usage` where all that the source lacks is to go, and nobody has named or can name the stack */
export function refuseUnconfirmed(
  { mirror, yesDelete, dryRun }: MirrorRequest,
  { label }: StackSettings,
  session: Session,
): void {
  if (mirror?.scope !== "all") return;
  if (yesDelete !== undefined && yesDelete !== label) {
    const hint = "Give the target as --to names it.";
    throw new StackferryError("usage", `--yes-delete names another stack than the target, which is "${label}"`, {
      hint,
    });
  }
  if (dryRun || yesDelete !== undefined || canAsk(session)) return;
  const hint = `Without a terminal, --yes --yes-delete "${label}" says it; --dry-run shows the list.`;
  throw new StackferryError("usage", "--mirror=all asks for the target's name to be typed, and there is no terminal", {
    hint,
  });
}

/** Shows what is deleted, all of it, and has the target's name typed. Where nothing is, the usual question is asked. */
export async function confirmDeletes(
  plan: Plan,
  { settings }: ImportTarget,
  { yesDelete }: MirrorRequest,
  mayAsk: boolean,
  session: Session,
): Promise<void> {
  const { length } = deletesOf(plan);
  if (length === 0 || yesDelete !== undefined) {
    if (mayAsk) await confirm(changesQuestion(plan, stackTitle(settings)), session);
    return;
  }
  session.say(removalsText(plan, { ...session.err, verbose: true }));
  const { label } = settings;
  const answer = await ask(
    `${counted(length, "record")} of ${stackTitle(settings)} will be deleted. Type ${label} to go on: `,
    session,
  );
  if (answer === label) return;
  throw new StackferryError("declined", "stopped before anything was written", {
    hint: "--dry-run shows the list.",
  });
}
