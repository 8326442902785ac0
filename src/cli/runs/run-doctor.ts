import { exitCodeOf } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { reported, resolveFor } from "../open-stack.ts";
import { doctorText } from "../render/doctor-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { examineStack } from "./examine-stack.ts";
import type { Examination } from "./examine-stack.ts";

/** Looks at each stack in turn. The exit code is that of the first one that is not well. */
export async function runDoctor(references: readonly string[], session: Session): Promise<CommandResult> {
  const stacks = [];
  for (const reference of references) stacks.push(await resolveFor(reference, "any", session));
  const examinations: Examination[] = [];
  for (const settings of stacks) {
    session.events({ type: "phase", phase: `asking ${settings.label}` });
    examinations.push(await examineStack(settings, session));
  }
  return {
    exitCode: exitCodeOfAll(examinations),
    text: (view) => examinations.map((examination) => doctorText(examination, view)).join("\n"),
    extra: { stacks: examinations.map(described) },
  };
}

function exitCodeOfAll(examinations: readonly Examination[]): ExitCode {
  const sick = examinations.find(({ error }) => error !== undefined);
  return sick === undefined ? 0 : exitCodeOf(sick.error);
}

function described({ settings, kinds, requests, limit, error }: Examination): Readonly<Record<string, unknown>> {
  const failed = error === undefined ? undefined : { code: error.code, message: error.message, hint: error.hint };
  const code = error?.code;
  const answers = kinds.some(({ status }) => status === "listed" || status === "not-offered") || kinds.length === 0;
  const reachable = code === undefined || code === "unauthorized" || code === "forbidden" || answers;
  return {
    ...reported(settings),
    reachable,
    accepted: reachable && code !== "unauthorized",
    kinds,
    requests,
    limit,
    error: failed,
  };
}
