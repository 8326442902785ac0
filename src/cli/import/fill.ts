import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { FillAnswer, FillLines } from "../../core/plan/fill.ts";
import type { Plan } from "../../core/plan/plan.ts";
import { counted } from "../../core/text/plural.ts";
import { writePrivateFile } from "../../files/atomic-write.ts";
import { fillsOf } from "../../library/steps/fills.ts";
import type { Session } from "../program/session.ts";

/** The variable that names a fill file if `--fill` does not. */
const VARIABLE = "STACKFERRY_FILL";

/**
 * Loads the fill file of a run; without a file there are no answers. From here on its values are removed from everything printed.
 */
export async function loadFills(file: string | undefined, session: Session): Promise<FillLines> {
  const path = fillPath(file, session);
  if (path === undefined) return {};
  const { expandFillLines } = await import("../../config/secrets/fill-file.ts");
  const { fills, values } = fillsOf(await expandFillLines(await read(path), path, session.io.env));
  session.secretFilter.add(...values);
  return fills;
}

/** Drafts a fill file. Completed lines, in the run's file or in an existing one, are kept, because somebody wrote them. */
export async function writeFillDraft(
  target: string,
  plan: Plan,
  file: string | undefined,
  session: Session,
): Promise<void> {
  const path = resolve(session.io.cwd, target);
  if (plan.toFill.length === 0) {
    session.note(`nothing to fill in: ${path} is not written\n`);
    return;
  }
  const used = fillPath(file, session);
  const present = [(await exists(path)) ? path : undefined, used].filter((each) => each !== undefined);
  const layers = await Promise.all([...new Set(present)].map(read));
  const { formatFillDraft } = await import("../../config/secrets/fill-draft.ts");
  await writePrivateFile(path, formatFillDraft(plan.toFill, layers.reduce(withAnswers, {})));
  session.note(`wrote ${path}: ${counted(plan.toFill.length, "line")} to fill in\n`);
}

/** Merges two sets of answers. For the same context, the second answer wins. */
function withAnswers(lines: FillLines, others: FillLines): FillLines {
  const keys = [...new Set([...Object.keys(lines), ...Object.keys(others)])];
  return Object.fromEntries(
    keys.map((key) => {
      const [first = {}, second = {}] = [lines[key], others[key]];
      const pointers = [...new Set([...Object.keys(first), ...Object.keys(second)])];
      return [
        key,
        Object.fromEntries(pointers.map((at) => [at, distinct([...(first[at] ?? []), ...(second[at] ?? [])])])),
      ];
    }),
  );
}

function distinct(answers: readonly FillAnswer[]): FillAnswer[] {
  return [...new Map(answers.map((each) => [each.context, each])).values()];
}

/** The YAML reader is loaded only here, because it takes longer to load than most commands take to run. */
async function read(path: string): Promise<FillLines> {
  const { loadFillFile } = await import("../../config/secrets/fill-file.ts");
  return loadFillFile(path);
}

function fillPath(file: string | undefined, { io }: Session): string | undefined {
  const named = file ?? (io.env[VARIABLE] || undefined);
  return named === undefined ? undefined : resolve(io.cwd, named);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
