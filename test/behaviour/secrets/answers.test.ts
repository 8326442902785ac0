import { describe, expect, it } from "vitest";
import { draftedFor } from "../../support/drafted-secrets.ts";
import { bodiesSentTo, importStage, outcomeOf, type StageRun } from "../../support/import-stage.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { hexId, records } from "../../support/stack-records.ts";
import { archiveOf, importWith, MARK, resultOf, runbook, RUNBOOK, targetWith, TEXT } from "./runbook.ts";

const warningsOf = ({ events }: StageRun) =>
  events.flatMap((event) => (event.type === "warning" ? [event.warning] : []));

describe("the answers of a secrets file", () => {
  const login = `user ${MARK}, password ${MARK}`;

  it.each([
    ["fewer than there are", ["one"]],
    ["more than there are", ["one", "two", "three"]],
    ["none", []],
  ])("are not used where they are %s: nothing half filled is written", async (_, given) => {
    const filled = await importWith(archiveOf(runbook(login)), { [RUNBOOK]: { [TEXT]: given } });
    expect(warningsOf(filled.run)).toMatchObject([{ code: "unused", pointer: TEXT }]);
    expect(resultOf(filled)).toEqual(["blocked redacted", 3, []]);
    const rules = ["assigned-secret", "assigned-secret"];
    expect(filled.run.plan.missingSecrets).toMatchObject([{ pointer: TEXT, rules }]);
  });

  it("for one place do not unblock a record with another", async () => {
    const archive = archiveOf(runbook(`password ${MARK}`, { savedQuery: `token:${MARK}` }));
    const filled = await importWith(archive, { [RUNBOOK]: { [TEXT]: ["one"] } });
    expect(warningsOf(filled.run)).toEqual([]);
    expect(resultOf(filled)).toEqual(["blocked redacted", 3, []]);
    expect(filled.run.plan.missingSecrets.map(({ pointer }) => pointer)).toEqual(["/savedQuery"]);
  });

  it("for all places are written, each in its own", async () => {
    const archive = archiveOf(runbook(login, { savedQuery: `token:${MARK}` }));
    const values = { [RUNBOOK]: { [TEXT]: ["one", "two"], "/savedQuery": ["three"] } };
    const { run, stack } = await importWith(archive, values);
    expect(run.exitCode).toBe(0);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      { savedQuery: "token:three", tiles: [{ config: { markdown: "user one, password two" } }] },
    ]);
  });

  it.each([
    ["leaves the dashboard alone without a journal", false, {}, "wrong", { action: "skip", code: "exists" }],
    ["updates the dashboard if it may", false, { onConflict: "overwrite" }, "right", { action: "update" }],
    ["updates the dashboard with a journal", true, {}, "right", { action: "update" }],
  ] as const)("can be corrected: the same import %s", async (_, keepsJournal, options, stored, outcome) => {
    const archive = archiveOf(runbook(`password ${MARK}`));
    const stack = targetWith();
    const stage = importStage(stack);
    const importAgain = (value: string) =>
      stage.run(archive, { ...options, secrets: draftedFor(archive, { [RUNBOOK]: { [TEXT]: value } }) });
    await importAgain("wrong");
    if (!keepsJournal) stage.history.length = 0;
    expect(outcomeOf(await importAgain("right"), "Runbook")).toMatchObject(outcome);
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(`password ${stored}`);
  });

  it("for a record that is not in the archive lead to a warning", async () => {
    const values = { [RUNBOOK]: { [TEXT]: ["x"] }, "dashboards/none": { [TEXT]: ["x"] } };
    const { run } = await importWith(archiveOf(runbook(MARK)), values);
    expect(warningsOf(run).map(({ code }) => code)).toEqual(["unused"]);
  });

  it.each([
    ["a number again", "42", 42],
    ["a text where it is none", "forty-two", "forty-two"],
    ["a text where it is blank", " ", " "],
    ["a text where it is too large for a number", "1e999", "1e999"],
  ])("fill in a number that was taken out as %s", async (_, value, expected) => {
    const archive = archiveOf(runbook("plain", { pin: "«redacted:credential-number»" }));
    const { stack } = await importWith(archive, { [RUNBOOK]: { "/pin": [value] } });
    expect(bodiesSentTo(stack, "create dashboards")).toMatchObject([{ pin: expected }]);
  });
});

describe("a whole address as the answer for its end", () => {
  const hook = (url: string) => records({ webhooks: [{ id: hexId("c", 1), name: "pager", service: "slack", url }] });
  const cut = hook("https://hooks.example/«redacted:webhook-url»");
  const longer = hook("https://hooks.example/T0/«redacted:webhook-path»");
  const command = archiveOf(runbook("curl https://hooks.example/T0/«redacted:webhook-path» now"));

  const plain = archiveOf(runbook(`see ${MARK}`));

  /** Fills in the only placeholder of the archive. A webhook has no headers and no query. */
  const fillAddress = (archive: typeof cut, answer: string) =>
    importWith(archive, {
      [RUNBOOK]: { [TEXT]: answer },
      [`webhooks/${hexId("c", 1)}`]: { "/headers": null, "/queryParams": null, "/url": answer },
    });

  it.each([
    ["the end alone", cut, "T0/s3cret", "https://hooks.example/T0/s3cret"],
    ["the address", cut, "https://hooks.example/T0/s3cret", "https://hooks.example/T0/s3cret"],
    ["it with port and capitals", cut, "HTTPS://Hooks.Example:443/T0/s3cret", "https://hooks.example/T0/s3cret"],
    ["a longer address", longer, "https://hooks.example/T0/s3cret", "https://hooks.example/T0/s3cret"],
    ["the end alone in a text", command, "s3cret", "curl https://hooks.example/T0/s3cret now"],
    ["the address in a text", command, "https://hooks.example/T0/s3cret", "curl https://hooks.example/T0/s3cret now"],
    ["an address where none was cut", plain, "https://wiki.example/s3cret", "see https://wiki.example/s3cret"],
  ])("is written once: %s", async (_, archive, answer, stored) => {
    const filled = await fillAddress(archive, answer);
    expect(filled.run.exitCode).toBe(0);
    const kind = archive[0]?.kind ?? "";
    expect(recordsOn(filled.stack, kind).map((body) => JSON.stringify(body))).toEqual([
      expect.stringContaining(`"${stored}"`),
    ]);
  });

  it.each([
    [cut, "https://elsewhere.example/T0/s3cret"],
    [cut, "http://hooks.example/T0/s3cret"],
    [cut, "https://hooks.example:8443/T0/s3cret"],
    [cut, "https://hooks.example@elsewhere.example/T0/s3cret"],
    [command, "https://elsewhere.example/T0/s3cret"],
    [command, "https://hooks.example/other/s3cret"],
  ])("is refused on another host or path, case %#", async (archive, answer) => {
    const filled = await fillAddress(archive, answer);
    expect(resultOf(filled)).toEqual(["blocked secret-refused", 3, []]);
    expect(filled.run.plan.missingSecrets).toMatchObject([{ pointer: archive === command ? TEXT : "/url" }]);
    expect(filled.shown).not.toContain("s3cret");
  });
});
