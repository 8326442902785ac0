import type { Diff } from "../../domain/diff.ts";
import { diffStacks } from "../../jobs/diff-stacks.ts";
import type { Selection } from "../commands/selection-flags.ts";
import type { ExitCode } from "../exit-codes.ts";
import { diffText } from "../render/diff-text.ts";
import { redactorOfRun } from "../redactor-of-run.ts";
import type { CommandResult } from "../report.ts";
import { namedKinds } from "../select-kinds.ts";
import type { Session } from "../session.ts";
import { openDiffSides } from "./diff-sides.ts";
import { loadMapping } from "./load-mapping.ts";
import { reportDiff } from "./report-diff.ts";

/** `stackferry diff`, normalised. */
export interface DiffCommandRequest extends Selection {
  readonly left: string;
  readonly right: string;
  readonly mapFile: string | undefined;
  /** HTML page to write. */
  readonly report: string | undefined;
  /** Exit 10 when there is a difference. */
  readonly exitCode: boolean;
}

/** Compares two archives, an archive and a stack, or two stacks. */
export async function runDiff(request: DiffCommandRequest, session: Session): Promise<CommandResult> {
  const kinds = namedKinds(request.kinds).map(({ name }) => name);
  const mapping = await loadMapping(request.mapFile, session);
  const { left, right } = await openDiffSides(request, await redactorOfRun(session), session);
  session.facts.from = left.shown;
  session.facts.to = right.shown;
  session.events({ type: "phase", phase: "comparing" });
  const diff = diffStacks(left.side, right.side, { kinds, filter: request.filter, mapping });
  if (request.report !== undefined) await reportDiff(request.report, { left, right, diff }, session);
  return {
    exitCode: exitCodeOf(diff, request.exitCode),
    text: (view) => diffText(diff, left.shown, right.shown, view),
    extra: { different: diff.changes.length > 0, diff },
  };
}

/** A kind that could not be read may differ, whatever the others say. */
function exitCodeOf({ changes, notCompared }: Diff, asked: boolean): ExitCode {
  if (notCompared.some(({ reason }) => reason === "failed")) return 3;
  return asked && changes.length > 0 ? 10 : 0;
}
