import { counted } from "../../../core/text/plural.ts";
import { nounOf } from "../../../kinds/id-spaces.ts";
import type { RunEvent } from "../../../core/events.ts";
import { printable } from "../../../core/text/printable.ts";
import { fit } from "../terminal/table.ts";
import type { Work } from "./estimate.ts";
import { estimateText, rateText } from "./estimate.ts";
import { seconds, waitText } from "./texts.ts";

/** How far the work on one stack is. */
interface Status {
  phase: string;
  total: number | undefined;
  done: number;
  note: string;
  /** Why nothing is sent at the moment. */
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

/** How far everything is. Events that name no stack are those of a run that has one. */
export interface Statuses {
  follow(event: RunEvent, now: number): void;
  /** All of it in one line of that width; empty where nothing has begun. */
  line(now: number, width: number): string;
  clear(): void;
}

const SEPARATOR = " · ";
/** Narrower than this nothing of a stack can be read. Then only those that moved last are shown. */
const MIN_WIDTH = 24;

/** Statuses of a run that has not begun. */
export function createStatuses(): Statuses {
  // The stack that moved last is the last one.
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
      // What a run does on its own is not shown beside stacks: it goes before their work, or after all of it.
      const moving = [...stacks];
      const own = moving.at(-1)?.[0] === "";
      const shown = moving
        .filter(([stack]) => (stack === "") === own)
        .slice(-most)
        .toSorted(byName);
      const share = Math.floor((width - SEPARATOR.length * (shown.length - 1)) / Math.max(1, shown.length));
      const cells = shown.map(([stack, status]) => fit(withName(stack, statusText(status, now)), share));
      return cells.join(SEPARATOR);
    },
    clear: () => stacks.clear(),
  };
}

/** A line of progress, begun with the stack that it is about. */
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
  if (event.type === "listed") status.note = counted(event.count, nounOf(event.kind));
  if (event.type === "wait") status.waiting = waitText(event, now);
  if (event.type === "retry") status.waiting = `waiting ${seconds(event.inMs)}: ${event.reason}`;
  if (event.type === "request") {
    status.sent += 1;
    status.waiting = "";
  }
}

/** What is known comes first: a long reason to wait is cut, and pushes nothing off the screen. */
function statusText({ phase, total, done, note, waiting, since, sent, work }: Status, now: number): string {
  const count = total === undefined ? "" : ` ${done}/${total}`;
  const elapsedMs = now - since;
  const left = work === undefined ? "" : estimateText({ ...work, sent, elapsedMs });
  const parts = [note, left, rateText(sent, elapsedMs), waiting].filter((part) => part !== "");
  return printable([`${phase}${count}`, ...parts].join(", "));
}
