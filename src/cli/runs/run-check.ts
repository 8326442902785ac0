import { StackferryError } from "../../domain/errors.ts";
import { checkPlace } from "../../jobs/check-place.ts";
import type { StackCheck } from "../../jobs/check-place.ts";
import type { BackupTools } from "../../jobs/backup-tools.ts";
import { backupTools } from "../backup-tools.ts";
import type { ExitCode } from "../exit-codes.ts";
import { openPlaceFor } from "../open-place.ts";
import { checkText } from "../render/check-text.ts";
import type { CommandResult } from "../report.ts";
import type { Session } from "../session.ts";
import { restoreDrill } from "./restore-drill.ts";
import type { Drill } from "./restore-drill.ts";

/** `stackferry check`, normalised. */
export interface CheckRequest {
  readonly place: string;
  /** Empty: every stack that has backups. */
  readonly stacks: readonly string[];
  readonly percent: number;
  readonly maxAgeMs: number | undefined;
  readonly drill: boolean;
}

/** Reads backups, judges their age, and restores the newest ones onto a sandbox if asked. */
export async function runCheck(request: CheckRequest, session: Session): Promise<CommandResult> {
  const { stacks, percent, maxAgeMs } = request;
  const { events, signal } = session;
  await using place = await openPlaceFor(request.place, session);
  const tools = backupTools(place, session);
  const checks = await checkPlace({ stacks, percent, maxAgeMs, random: Math.random }, tools, { events, signal });
  if (checks.length === 0) {
    const hint = "a monitor should hear of that: check the place, and whether backups run";
    throw new StackferryError("incomplete", `there is no backup in ${place.address}`, { hint });
  }
  const drills = request.drill ? await drillAll(checks, tools, session) : [];
  return {
    exitCode: exitCodeOfChecks(checks, drills),
    text: (view) => checkText(checks, drills, view),
    stackEnds: checks.map((check) => ({
      stack: check.stack,
      exitCode: exitCodeOfChecks(
        [check],
        drills.filter(({ stack }) => stack === check.stack),
      ),
    })),
    extra: { place: place.address, stacks: checks, ...(request.drill && { drills }) },
  };
}

async function drillAll(checks: readonly StackCheck[], tools: BackupTools, session: Session): Promise<Drill[]> {
  const drills: Drill[] = [];
  for (const { stack, newestGood } of checks) {
    session.events({ type: "phase", phase: `restoring ${stack} onto a sandbox` });
    if (newestGood !== undefined) drills.push(await restoreDrill(stack, newestGood, tools, session));
  }
  return drills;
}

/** Damage weighs more than age: 4 before 3. */
function exitCodeOfChecks(checks: readonly StackCheck[], drills: readonly Drill[]): ExitCode {
  if (checks.some(({ damaged }) => damaged.length > 0)) return 4;
  const behind = checks.some(({ tooOld }) => tooOld) || drills.some(({ ok }) => !ok);
  return behind ? 3 : 0;
}
