import { beforeAll, describe, expect, it, vi } from "vitest";
import { createRecordEncoder } from "../../../../src/archive/encode-record.ts";
import type * as Sources from "../../../../src/cli/threads/press-in-threads.ts";
import type { PressSettings } from "../../../../src/cli/threads/press-of.ts";
import type { JsonValue } from "../../../../src/domain/json.ts";
import type { ListedRecord } from "../../../../src/domain/ports.ts";
import { createRedactor } from "../../../../src/redaction/redactor.ts";
import { createPress } from "../../../../src/jobs/press-records.ts";
import { dashboards } from "../../../../src/kinds/dashboards.ts";
import { createSecretScanner } from "../../../../src/redaction/scanner.ts";

// Threads load the built program, so this is it too.
const built = "../../../../dist/cli/threads/press-in-threads.js";
let pressInThreads: typeof Sources.pressInThreads;
beforeAll(async () => {
  ({ pressInThreads } = (await import(built)) as typeof Sources);
});

const CREDENTIAL = "key-of-this-run-1234";
const settings: PressSettings = {
  redaction: {
    level: "standard",
    names: ["team pin"],
    patterns: [{ rule: "ours", pattern: "PIN-\\d+" }],
    literals: ["horse"],
  },
  encoding: { format: "zip" },
  filter: { include: [], exclude: ["left*"] },
  credentials: [CREDENTIAL],
};
const here = () =>
  createPress({
    redact: createRedactor({ ...settings.redaction, scanner: createSecretScanner() }),
    encode: createRecordEncoder(settings.encoding),
    filter: settings.filter,
    credentials: settings.credentials,
  });

const listed = (id: string, more: Readonly<Record<string, JsonValue>> = {}): ListedRecord => ({
  value: { id, name: `n ${id} — ü 🙂`, tiles: [], ...more },
});
const large = listed("large", { text: "word ".repeat(1_000_000) });
const odd: readonly ListedRecord[] = [
  listed("plain"),
  listed("secret", { password: "x-1", teamPin: 4711, note: "PIN-4711 and a horse, xoxb-123456789012-abcdefghijkl" }),
  listed("left", { name: "left out" }),
  { value: { id: "broken", tiles: "none" } },
  { value: null },
  ...[listed("texts")].map(({ value }) => ({ value, json: Buffer.from(JSON.stringify(value, undefined, 1)) })),
];

describe("pressing in threads", () => {
  it("comes to the same as in this one, byte for byte", async () => {
    await using threads = pressInThreads(here(), settings, 2);
    await threads.press(dashboards, [large]);
    const [inThreads, expected] = await Promise.all([threads.press(dashboards, odd), here()(dashboards, odd)]);
    expect(inThreads).toEqual(expected);
    const states = expected.map(({ status }) => status);
    expect(states).toEqual(["ready", "ready", "left-out", "unreadable", "unreadable", "ready"]);
  });

  it("refuses the same", async () => {
    await using threads = pressInThreads(here(), settings, 2);
    const holder = listed("holder", { note: CREDENTIAL });
    const error = await threads.press(dashboards, [large, holder]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "secret-in-output", message: expect.stringContaining("dashboards/holder") });
    expect(JSON.stringify(error)).not.toContain(CREDENTIAL);
  });

  it("is done here after all where a thread cannot be had", async () => {
    const inThisThread = vi.fn(here());
    // Nothing that the configuration lets pass: it makes the threads fail when they begin.
    const broken = { ...settings, redaction: { patterns: [{ rule: "broken", pattern: "(" }] } };
    await using threads = pressInThreads(inThisThread, broken, 2);
    const [record] = await threads.press(dashboards, [large]);
    expect(record?.status).toBe("ready");
    expect(inThisThread).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["there is little to do", 2, [listed("small")], 1],
    ["there is one core", 1, [large], 1],
    ["there is much to do", 2, [large], 0],
  ])("is done here, or not, where %s", async (_, cores, records, calls) => {
    const inThisThread = vi.fn(here());
    await using threads = pressInThreads(inThisThread, settings, cores);
    await threads.press(dashboards, records);
    expect(inThisThread).toHaveBeenCalledTimes(calls);
  });
});
