import type { Socket } from "node:net";
import type { InterceptedRequest } from "../interceptor.ts";
import type { FaultAnswers } from "./fault-answers.ts";
import type { FaultRule } from "./fault-plan.ts";
import { ANSWER_FAULTS } from "./fault-plan.ts";
import type { Hold } from "./hold.ts";
import type { Schedule } from "./schedule.ts";
import { truncateAnswer } from "./truncate-answer.ts";

type Outcome = Promise<Response | undefined>;

const SLOW_MS = 200;
const OWN_ADDRESS = /^\/__sandbox(?:[/?]|$)/;

/** An interceptor for the faults that befall an answer; the first rule that fires has the request. */
export function answerFaults(schedule: Schedule, answers: FaultAnswers, hold: Hold) {
  return async ({ route, target, socket }: InterceptedRequest, proceed: () => Outcome): Outcome => {
    if (OWN_ADDRESS.test(target)) return proceed();
    const rule = schedule.due(ANSWER_FAULTS, route).find(({ fire }) => fire())?.rule;
    if (rule === undefined) return proceed();
    if (rule.fault === "slow") {
      if (await hold.pause(rule.ms ?? SLOW_MS)) return proceed();
      socket.destroy();
      return undefined;
    }
    const commits = rule.fault === "truncated" || rule.fault.endsWith("-after");
    const answer = commits ? await proceed() : undefined;
    // Another interceptor has dealt with the socket: there is no answer left to spoil.
    if (commits && answer === undefined) return undefined;
    const other = substitute(rule, answers);
    if (other !== undefined) return other;
    if (answer !== undefined && rule.fault === "truncated") await truncateAnswer(answer, socket);
    else await cutOff(rule.fault.startsWith("reset") ? "reset" : "never", socket, hold);
    return undefined;
  };
}

/** Nothing where the fault leaves the request without an answer. */
function substitute(rule: FaultRule, answers: FaultAnswers): Response | undefined {
  switch (rule.fault) {
    case "429":
      return answers.tooMany(rule.headers);
    case "500":
    case "500-after":
      return answers.failure();
    case "html-502":
    case "html-502-after":
      return answers.badGateway();
    default:
      return undefined;
  }
}

async function cutOff(fault: "reset" | "never", socket: Socket, hold: Hold): Promise<void> {
  if (fault === "never") await hold.untilClosed(socket);
  else socket.resetAndDestroy();
}
