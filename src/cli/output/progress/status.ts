import { pluralize } from "../../../core/text/format.ts";
import { nounOf } from "../../../kinds/names.ts";
import type { RunEvent } from "../../../core/events.ts";
import { printable } from "../../../core/text/printable.ts";
import { fitText } from "../../../core/text/fit-width.ts";
import type { Work } from "./estimate.ts";
import { estimateText, rateText } from "./estimate.ts";
import { seconds, waitText } from "./texts.ts";

/** The progress of the work on one stack. */
interface Status {
  phase: string;
  total: number | undefined;
  done: number;
  note: string;
  /** Why no request is being sent. */
  waiting: string;
  /** Unix milliseconds. */
  since: number;
  sent: number;
  work: Work | undefined;
}

const NOTHING: Status = {
  phase: "",
  total: undefined,
  done: 0,
  note: "",
  waiting: "",
  since: 0,
  sent: 0,
  work: undefined,
};

/** The progress of all stacks. Events without a stack name belong to a run with one stack. */
export interface Statuses {
  follow(event: RunEvent, now: number): void;
  /** The progress of all stacks in one line of that width; empty before the first event. */
  line(now: number, width: number): string;
  clear(): void;
}

const SEPARATOR = " · ";
/**
 * Minimum columns per stack, because narrower text is unreadable. If there is too little room, only the stacks with the latest
 * events are shown.
 */
const MIN_WIDTH = 24;

/** Creates the statuses of a run that has not begun. */
export function createStatuses(): Statuses {
  // Kept in order of the latest event, the most recent last.
  const stacks = new Map<string, Status>();
  return {
    follow(event, now) {
      const stack = event.stack ?? "";
      const status = stacks.get(stack) ?? { ...NOTHING };
      followOne(event, status, now);
      if (status.phase === "") return;
      stacks.delete(stack);
      stacks.set(stack, status);
    },
    line(now, width) {
      const most = Math.max(1, Math.floor((width + SEPARATOR.length) / (MIN_WIDTH + SEPARATOR.length)));
      // Work of the run itself comes before or after all work on stacks, never at the same time.
      const moving = [...stacks];
      const isRunWork = moving.at(-1)?.[0] === "";
      const visibleStatuses = moving
        .filter(([stack]) => (stack === "") === isRunWork)
        .slice(-most)
        .toSorted(byName);
      const share = Math.floor(
        (width - SEPARATOR.length * (visibleStatuses.length - 1)) / Math.max(1, visibleStatuses.length),
      );
      const cells = visibleStatuses.map(([stack, status]) => fitText(withName(stack, statusText(status, now)), share));
      return cells.join(SEPARATOR);
    },
    clear: () => stacks.clear(),
  };
}

/** Prefixes a line of progress with the name of its stack. */
export function withName(stack: string | undefined, text: string): string {
  return stack === undefined || stack === "" ? text : `${printable(stack)}: ${text}`;
}

function byName([left]: readonly [string, Status], [right]: readonly [string, Status]): number {
  return left < right ? -1 : 1;
}

function followOne(event: RunEvent, status: Status, now: number): void {
  if (event.type === "phase") {
    const { phase, total, requests, limit } = event;
    Object.assign(status, { ...NOTHING, phase, total, since: now });
    status.work = requests === undefined ? undefined : { requests, limit };
  }
  if (event.type === "outcome") status.done += 1;
  if (event.type === "listed") status.note = pluralize(event.count, nounOf(event.kind));
  if (event.type === "wait") status.waiting = waitText(event, now);
  if (event.type === "retry") status.waiting = `waiting ${seconds(event.inMs)}: ${event.reason}`;
  if (event.type === "request") {
    status.sent += 1;
    status.waiting = "";
  }
}

/** Figures come first, because a long reason for waiting is cut at the end of the line. */
function statusText({ phase, total, done, note, waiting, since, sent, work }: Status, now: number): string {
  const count = total === undefined ? "" : ` ${done}/${total}`;
  const elapsedMs = now - since;
  const estimate = work === undefined ? "" : estimateText({ ...work, sent, elapsedMs });
  const parts = [note, estimate, rateText(sent, elapsedMs), waiting].filter((part) => part !== "");
  return printable([`${phase}${count}`, ...parts].join(", "));
}
