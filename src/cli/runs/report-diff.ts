import type { Diff } from "../../domain/diff.ts";
import type { Session } from "../session.ts";
import { programVersion } from "../version.ts";
import type { OpenedSide } from "./diff-sides.ts";
import { writeReport } from "./write-report.ts";

/** Writes a comparison as one HTML page. */
export async function reportDiff(
  out: string,
  { left, right, diff }: { readonly left: OpenedSide; readonly right: OpenedSide; readonly diff: Diff },
  session: Session,
): Promise<void> {
  const { diffPage } = await import("../../report/diff-page.ts");
  const sideOf = ({ shown, side }: OpenedSide) => ({
    label: shown.label,
    identity: side.identity,
    records: side.records,
  });
  const at = new Date(session.startedAt).toISOString();
  const page = diffPage({
    left: sideOf(left),
    right: sideOf(right),
    diff,
    at,
    madeBy: `stackferry ${programVersion()}`,
  });
  const { path } = await writeReport(out, page, session);
  if (!session.globals.quiet) session.say(`wrote ${path}\n`);
}
