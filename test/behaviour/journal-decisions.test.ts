import { describe, expect, it } from "vitest";
import { instantClock } from "../support/instant-clock.ts";
import { CONSISTENCY_WAIT_MS } from "../support/import-stage.ts";
import type { JournalEntry } from "../support/import-stage.ts";
import { memoryStack } from "../support/memory-stack.ts";
import { readAfter, stateOf } from "../support/resume-into.ts";
import { dashboard, hexId } from "../support/stack-records.ts";

const at = "2026-01-01T00:00:00.000Z";
const begin: JournalEntry = {
  type: "begin",
  at,
  format: "stackferry-journal",
  version: 1,
  subject: { contentDigest: "00", target: { variant: "self-hosted", baseUrl: "http://memory.test" }, tags: [] },
};
const key = `dashboards/${hexId("a", 16)}` as const;
const intent: JournalEntry = { type: "intent", at, key, name: "One", write: "create", content: "00" };
const done: JournalEntry = { type: "done", at, key, write: "create", targetId: hexId("b", 16), content: "00" };
const ends = (result: "complete" | "incomplete" | "stopped"): JournalEntry => ({ type: "end", at, result });

describe("the wait before a target's lists are read", () => {
  it.each<[string, JournalEntry[], number]>([
    ["nothing was written before", [], 0],
    ["a run was killed before its first write", [begin], 0],
    ["a run came to its end", [begin, intent, done, ends("complete")], 0],
    ["a run came to its end with something left", [begin, intent, done, ends("incomplete")], 0],
    ["a run was stopped", [begin, intent, done, ends("stopped")], CONSISTENCY_WAIT_MS],
    ["a run was killed in a write", [begin, intent], CONSISTENCY_WAIT_MS],
    ["a run was killed after a write", [begin, intent, done], CONSISTENCY_WAIT_MS],
  ])("is as long as the lists may lag, or none, where %s", async (_, entries, expected) => {
    const stack = memoryStack({
      dashboards: [dashboard(hexId("b", 16), "One", "")],
      alerts: [],
      sources: [],
      webhooks: [],
    });
    const clock = instantClock(Date.parse(at));
    expect((await readAfter(stack, entries, clock, { consistencyWaitMs: CONSISTENCY_WAIT_MS })).waitedMs).toBe(
      expected,
    );
  });
});

describe("a record that the journal knows", () => {
  const linking: JournalEntry = { type: "intent", at, key, name: "One", write: "link", targetId: hexId("b", 16) };
  const link: JournalEntry = { type: "done", at, key, write: "link", targetId: hexId("b", 16), content: "11" };

  it("was created by the import where its create has ended, or was found again by a later write", () => {
    for (const entries of [
      [begin, intent, done],
      [begin, intent, linking, link],
    ]) {
      const state = stateOf(entries);
      expect(state.records.get(key)).toMatchObject({ created: true, targetId: hexId("b", 16), name: "One" });
      expect(state.pendingWrites).toEqual([]);
    }
  });

  it("has nothing left to be linked after its link, or after a run that was complete", () => {
    expect(stateOf([begin, intent, done]).records.get(key)?.linked).toBe(false);
    expect(stateOf([begin, intent, done, ends("incomplete")]).records.get(key)?.linked).toBe(false);
    expect(stateOf([begin, intent, done, link]).records.get(key)?.linked).toBe(true);
    expect(stateOf([begin, intent, done, ends("complete")]).records.get(key)?.linked).toBe(true);
  });
});
