import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../src/cli/output/progress.ts";
import { createTheme } from "../../../../src/cli/output/terminal.ts";
import type { RunEvent } from "../../../../src/core/events.ts";

const outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" } as const;
const events: readonly RunEvent[] = [
  { type: "phase", phase: "importing", total: 2, counts: "writes" },
  { type: "outcome", outcome: { ...outcome, action: "skip", code: "matched" } },
  { type: "outcome", outcome },
  { type: "request", method: "POST", path: "/api/v2/alerts", status: 200, ms: 12.4 },
  { type: "wait", reason: "the stack allows 100 requests per 60 s", waitMs: 34_000 },
  { type: "wait", reason: "short", waitMs: 1500 },
  { type: "warning", warning: { code: "rejected", message: "odd\u001bname" } },
  { type: "retry", method: "GET", path: "/x", reason: "reset", inMs: 250 },
  { type: "listed", kind: "alerts", count: 7 },
];

interface Shown {
  readonly isTTY?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly columns?: number | undefined;
  readonly now?: () => number;
}

/** Creates a progress whose output is collected. Its clock stands still, by default at 1000 ms. */
function progressOf({ isTTY = false, quiet = false, verbose = false, columns, now = () => 1000 }: Shown) {
  const written: string[] = [];
  const output = { write: (text: string) => void written.push(text), isTTY, columns };
  const display = { theme: createTheme(false), columns, verbose };
  return { written, progress: createProgress({ output, display, now, quiet }) };
}

function show(shown: Shown): string[] {
  const { written, progress } = progressOf(shown);
  for (const event of events) progress.show(event);
  progress.say("done\n");
  progress.end();
  return written;
}

/** Returns the time of day in the time zone of this machine. */
function clock(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

describe("progress", () => {
  it("tells a journal that knows nothing from none", () => {
    const { written, progress } = progressOf({});
    const path = "/j/a--b.journal";
    for (const records of [undefined, 0, 3]) progress.show({ type: "journal", path, records });
    progress.show({ type: "phase", phase: "undoing", total: 0 });
    expect(written).toEqual([
      "no journal yet\n",
      `journal ${path} knows no records\n`,
      `journal ${path} knows 3 records\n`,
    ]);
  });

  it("clears its line before a question", () => {
    const begin = { type: "phase", phase: "importing", total: 1000, counts: "writes" } as const;
    for (const [isTTY, expected] of [
      [false, ["importing (1000)\n", "Sure? "]],
      [true, ["\r\u001b[2Kimporting 0/1000", "\r\u001b[2K", "Sure? "]],
    ] as const) {
      const { written, progress } = progressOf({ isTTY, columns: 80 });
      progress.show(begin);
      progress.say("Sure? ");
      expect(written).toEqual(expected);
    }
  });

  it("prints a line for each phase, long wait and warning if there is no terminal", () => {
    expect(show({})).toEqual([
      "importing (2)\n",
      `importing 1/2, waiting 34 s: the stack allows 100 requests per 60 s, next at ${clock(35_000)}\n`,
      "warning: odd\\u{1b}name\n",
      "done\n",
    ]);
  });

  it("also prints requests and retries if verbose", () => {
    const text = show({ verbose: true }).join("");
    expect(text).toContain("POST /api/v2/alerts 200 12 ms\n");
    expect(text).toContain("reset; again in 250 ms\n");
  });

  it("prints only warnings and explicit messages if quiet", () => {
    const loud = ["warning: odd\\u{1b}name\n", "done\n"];
    expect(show({ quiet: true })).toEqual(loud);
    expect(show({ quiet: true, isTTY: true })).toEqual(loud);
  });

  it("rewrites one line on a terminal and clears it at the end", () => {
    const written = show({ isTTY: true, columns: 30 });
    expect(written).toContain("\r\u001b[2Kimporting 1/2, waiting 34 s:…");
    expect(written.filter((text) => text.includes("\n"))).toEqual(["warning: odd\\u{1b}name\n", "done\n"]);
    expect(written.at(-1)).toBe("\r\u001b[2K");
  });

  /** Returns the log lines that these events leave or, on a terminal, the last progress line. */
  function shownOf(given: readonly (RunEvent | number)[], columns?: number): string[] {
    const isTTY = columns !== undefined;
    let time = 0;
    const { written, progress } = progressOf({ isTTY, columns, now: () => time });
    for (const event of given) {
      if (typeof event === "number") time = event;
      else progress.show(event);
    }
    return isTTY ? [written.at(-1)?.replace("\r\u001b[2K", "") ?? ""] : written;
  }
  const wait = (stack: string | undefined, waitMs: number): RunEvent => {
    const reason = "the stack allows 100 requests per 60 s, and somebody else uses it as well";
    return { type: "wait", reason, waitMs, ...(stack !== undefined && { stack }) };
  };

  it("names the stack in each log line if there are several stacks", () => {
    expect(
      shownOf([
        { type: "phase", phase: "reading", stack: "production" },
        { type: "warning", warning: { code: "rejected", message: "odd", pointer: "/tiles/0" }, stack: "staging" },
        wait("production", 30_000),
        { type: "phase", phase: "stored", stack: "production" },
      ]),
    ).toEqual([
      "production: reading\n",
      "staging: warning: odd (/tiles/0)\n",
      expect.stringMatching(/^production: waiting 30 s: the stack allows/),
      "production: stored\n",
    ]);
  });

  it("tells a pause once, and at most one line in 30 seconds, but each pause as long as that", () => {
    const requests = Array.from({ length: 12 }, (_, index) => [index * 10_000, wait("a", 9000)]).flat();
    expect(shownOf(requests)).toHaveLength(4);
    expect(shownOf([wait("a", 9000), wait("b", 9000), wait("a", 9000)])).toHaveLength(2);
    expect(shownOf([wait("a", 1999)])).toEqual([]);
    const long = [wait("a", 40_000), 1000, wait("a", 39_000), 41_000, wait("a", 40_000)];
    expect(shownOf(long)).toHaveLength(2);
  });

  it("counts the writes that were tried, and not what was matched, blocked before or not begun", () => {
    const begin: RunEvent = { type: "phase", phase: "importing", total: 4, counts: "writes" };
    const ended = (more: object): RunEvent => ({ type: "outcome", outcome: { ...outcome, ...more } });
    const rest = [
      ended({ action: "skip", code: "matched" }),
      ended({ action: "unchanged" }),
      ended({ action: "blocked", status: "failed", code: "missing-reference" }),
      ended({ status: "planned", code: "not-started" }),
    ];
    expect(shownOf([begin, ...rest], 60)).toEqual(["importing 0/4"]);
    const tried = [
      ended({}),
      ended({ status: "failed", code: "rejected" }),
      ended({ action: "blocked", status: "failed", code: "dependency-failed" }),
    ];
    expect(shownOf([begin, ...rest, ...tried], 60)).toEqual(["importing 3/4"]);
  });

  it("leaves its last line if a signal ended the run", () => {
    const { written, progress } = progressOf({ isTTY: true, columns: 60 });
    progress.show({ type: "phase", phase: "importing", total: 4, counts: "writes" });
    progress.end(true);
    expect(written).toEqual(["\r\u001b[2Kimporting 0/4", "\n"]);
  });

  /**
   * Simulates 700 writes against 60 requests in 10 s. @returns the lines off a terminal, each with its time, and the time of the end
   */
  function paced() {
    let time = 0;
    const { written, progress } = progressOf({ now: () => time });
    const lines: { at: number; text: string }[] = [];
    const show = (event: RunEvent): void => {
      progress.show(event);
      for (const text of written.splice(0)) lines.push({ at: time, text: text.trim() });
    };
    show({ type: "phase", phase: "importing", total: 700, counts: "writes" });
    for (let write = 0; write < 700; write += 1) {
      if (write > 0 && write % 60 === 0) {
        const waitMs = (write / 60) * 10_000 - time;
        show({ type: "wait", reason: "the limit", waitMs });
        time += waitMs;
      }
      time += 20;
      show({ type: "request", method: "POST", path: "/x", status: 200, ms: 20 });
      show({ type: "outcome", outcome });
    }
    return { lines, end: time };
  }

  it("tells the time left of a run against a limit, wrong by at most a quarter after the first tenth", () => {
    const { lines, end } = paced();
    const told = lines.filter(({ at, text }) => at > end / 10 && text.startsWith("importing"));
    expect(told.length).toBeGreaterThanOrEqual(2);
    for (const { at, text } of told) {
      const [, left, unit] = /about (\d+) (s|min) left/.exec(text) ?? [];
      const ms = Number(left) * (unit === "min" ? 60_000 : 1000);
      expect(Math.abs(ms - (end - at)), text).toBeLessThan(Math.max(5000, (end - at) / 4));
    }
  });

  it("shows the stack with the latest event on the terminal line, and one that counts before others", () => {
    const [a, b]: RunEvent[] = ["a", "b"].map((stack) => ({ type: "phase", phase: "reading", stack }));
    const counts: RunEvent = { type: "phase", phase: "importing", total: 9, counts: "writes", stack: "a" };
    if (a === undefined || b === undefined) throw new Error("no events");
    expect(shownOf([a, b], 80)).toEqual(["b: reading"]);
    expect(shownOf([counts, b], 80)).toEqual(["a: importing 0/9"]);
    expect(shownOf([a, counts, { type: "phase", phase: "comparing" }], 80)).toEqual(["comparing"]);
  });
});
