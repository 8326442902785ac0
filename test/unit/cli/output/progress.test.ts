import { describe, expect, it } from "vitest";
import { createProgress } from "../../../../src/cli/output/progress.ts";
import { createTheme } from "../../../../src/cli/output/terminal.ts";
import type { RunEvent } from "../../../../src/core/events.ts";

const outcome = { kind: "alerts", name: "a", sourceId: "1", action: "create", status: "done" } as const;
const events: readonly RunEvent[] = [
  { type: "phase", phase: "importing", total: 2 },
  { type: "outcome", outcome },
  { type: "request", method: "POST", path: "/api/v2/alerts", status: 200, ms: 12.4 },
  { type: "wait", reason: "the stack allows 100 requests per 60 s", waitMs: 34_000 },
  { type: "wait", reason: "short", waitMs: 1500 },
  { type: "warning", warning: { code: "c", message: "odd\u001bname" } },
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
  const display = { theme: createTheme(false), columns };
  return { written, progress: createProgress({ output, display, now, quiet, verbose }) };
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
  it("shows an estimate from the limit at once, and clears its line before a question", () => {
    const begin = { type: "phase", phase: "importing", total: 1000, requests: 1000 } as const;
    const limit = { requests: 100, perMs: 60_000 };
    for (const [isTTY, expected] of [
      [false, ["importing (1000), about 9 min left at 100 requests per 60 s\n", "Sure? "]],
      [true, ["\r\u001b[2Kimporting 0/1000, about 9 min left", "\r\u001b[2K", "Sure? "]],
    ] as const) {
      const { written, progress } = progressOf({ isTTY, columns: 80 });
      progress.show({ ...begin, limit });
      progress.say("Sure? ");
      expect(written).toEqual(expected);
    }
  });

  it("prints a line for each phase, long wait, warning and list if there is no terminal", () => {
    expect(show({})).toEqual([
      "importing (2)\n",
      `waiting 34 s: the stack allows 100 requests per 60 s, next at ${clock(35_000)}\n`,
      "warning: odd\\u{1b}name\n",
      "  7 alerts\n",
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
        { type: "listed", kind: "alerts", count: 7, stack: "staging" },
        { type: "warning", warning: { code: "c", message: "odd", pointer: "/tiles/0" }, stack: "staging" },
        wait("production", 30_000),
        { type: "phase", phase: "stored", stack: "production" },
      ]),
    ).toEqual([
      "production: reading\n",
      "staging: 7 alerts\n",
      "staging: warning: odd (/tiles/0)\n",
      expect.stringMatching(/^production: waiting 30 s: the stack allows/),
      "production: stored\n",
    ]);
  });

  it("logs the waits for a stack at most once a minute", () => {
    const waits = Array.from({ length: 18 }, (_, index) => [index * 10_000, wait("a", 9000)]).flat();
    expect(shownOf(waits)).toHaveLength(3);
    expect(shownOf([wait("a", 9000), wait("b", 9000), wait("a", 9000)])).toHaveLength(2);
  });

  it("divides the terminal line among the stacks, however long the text of one is", () => {
    const stacks: RunEvent[] = ["a", "b", "c"].map((stack) => ({ type: "phase", phase: "reading", total: 9, stack }));
    const [line = ""] = shownOf([...stacks, wait("a", 30_000)], 100);
    expect(line.split(" · ").map((cell) => cell.slice(0, 14))).toEqual([
      "a: reading 0/9",
      "b: reading 0/9",
      "c: reading 0/9",
    ]);
    expect(line.length).toBeLessThan(100);
    const [narrow = ""] = shownOf([...stacks, wait("a", 30_000)], 60);
    expect(narrow).toContain("a: reading");
    expect(narrow).toContain("c: reading");
    expect(narrow).not.toContain("b: reading");
  });

  it("shows the phases of the run after those of the stacks, and not beside them", () => {
    const stacks: RunEvent[] = ["a", "b"].map((stack) => ({ type: "phase", phase: "reading", stack }));
    expect(shownOf([{ type: "phase", phase: "trying" }, ...stacks], 80)).toEqual(["a: reading · b: reading"]);
    expect(shownOf([...stacks, { type: "phase", phase: "comparing" }], 80)).toEqual(["comparing"]);
  });

  it("shows the estimate before a long reason for a wait", () => {
    const limit = { requests: 100, perMs: 60_000 };
    const begin: RunEvent = { type: "phase", phase: "importing", total: 1000, requests: 1000, limit };
    expect(shownOf([begin, wait(undefined, 30_000)], 60)[0]).toBe(
      "importing 0/1000, about 9 min left, waiting 30 s: the stac…",
    );
  });
});
