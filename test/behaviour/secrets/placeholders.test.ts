import { describe, expect, it } from "vitest";
import { importStage, outcomeOf, writesOn, type JsonObject, type RunOptions } from "../../support/import-stage.ts";
import { recordsOn } from "../../support/on-stack.ts";
import { dashboard, hexId, linkingTable } from "../../support/stack-records.ts";
import { archiveOf, importWith, MARK, note, resultOf, runbook, RUNBOOK, targetWith, TEXT } from "./runbook.ts";

const there = (markdown: unknown, number = 16): JsonObject => ({
  ...runbook(markdown as string, { tags: ["theirs"] }),
  id: hexId("b", number),
});

describe("a record with a placeholder", () => {
  it("is written where it is in a member that is never sent", async () => {
    const { run, stack } = await importWith(archiveOf(runbook("plain", { teamId: MARK })), {});
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "create", status: "done" });
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).not.toContain("redacted");
  });

  it("never replaces what the target has, though an update is asked for", async () => {
    const stack = targetWith(there("password hunter2"));
    const archive = archiveOf(runbook(`password ${MARK}`));
    const { run } = await importWith(archive, {}, { stack, onConflict: "overwrite" });
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "redacted", targetId: hexId("b", 16) });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is ambiguous beside another of its name, on both sides", async () => {
    const stack = targetWith(there("password one"), there("password two", 17));
    const twins = archiveOf(runbook(`password ${MARK}`), { ...runbook(`password ${MARK}`), id: hexId("a", 17) });
    const { plan } = await importStage(stack).run(twins);
    const ambiguous = ["blocked", "ambiguous"];
    expect(plan.items.map(({ action, code }) => [action, code])).toEqual([ambiguous, ambiguous]);
  });

  it("blocks records that reference it", async () => {
    const tiles = [{ id: hexId("d", 1), name: "T", config: linkingTable(hexId("a", 16)) }];
    const index = dashboard(hexId("a", 17), "Index", "", { tiles });
    const { run } = await importWith(archiveOf(runbook(MARK), index), {});
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
  });
});

describe("a record with a placeholder that the manifest does not list", () => {
  const one = archiveOf(runbook(`password: ${MARK}`));
  const two = archiveOf(runbook("", { tiles: [note(`password: ${MARK}`, { note: `password: ${MARK}` })] }));
  const answer = { [TEXT]: "s3cret" };

  it.each<[string, typeof one, NonNullable<RunOptions["isListed"]>, Readonly<Record<string, string>>]>([
    ["none is listed", one, () => false, answer],
    ["only other places are listed", one, (_, pointer) => pointer !== TEXT, answer],
    ["one of two is listed and answered", two, (_, pointer) => pointer === TEXT, answer],
    ["one of two is listed and none answered", two, (_, pointer) => pointer === TEXT, {}],
  ])("is not written, and no answer is asked for: %s", async (_, archive, isListed, answers) => {
    const filled = await importWith(archive, { [RUNBOOK]: answers }, { isListed });
    expect(resultOf(filled)).toEqual(["blocked placeholder-unlisted", 3, []]);
    expect(filled.run.plan.missingSecrets).toEqual([]);
  });
});

describe("a text with a secret taken out", () => {
  it.each<[string, archived: string, there: unknown, action: "unchanged" | "skip"]>([
    ["one secret", `password ${MARK} here`, "password hunter2 here", "unchanged"],
    ["an empty one", `password ${MARK} here`, "password  here", "unchanged"],
    ["several", `a ${MARK} b ${MARK} c`, "a 1 b 2 c", "unchanged"],
    ["several without text between", `${MARK}${MARK}`, "12", "unchanged"],
    ["parts that repeat", `x ${MARK}, x ${MARK}, x`, "x 1, x 2, x", "unchanged"],
    ["nothing but the secret", MARK, "hunter2", "unchanged"],
    ["nothing but a number", "«redacted:credential-number»", 123456, "unchanged"],
    ["another beginning", `password ${MARK} here`, "passwort hunter2 here", "skip"],
    ["another end", `password ${MARK} here`, "password hunter2 there", "skip"],
    ["no part between", `a ${MARK} b ${MARK} c`, "a 1 c", "skip"],
    ["parts in another order", `a ${MARK} b ${MARK} c ${MARK} d`, "a 1 c 2 b 3 d", "skip"],
    ["a part that is also the end, once", `a ${MARK} b${MARK} b`, "a 1 b", "skip"],
    ["a beginning that is also the end, once", `key${MARK}key`, "key", "skip"],
    ["nothing there", MARK, "", "skip"],
    ["an object there", MARK, { some: "thing" }, "skip"],
    ["a number where text stands around it", `1${MARK}`, 123, "skip"],
  ])("is what the target has there, or another, with %s: %j and %j are %s", async (_, archived, present, action) => {
    const stack = targetWith({ ...there(present), tags: [] });
    const { run } = await importWith(archiveOf(runbook(archived)), {}, { stack });
    expect(run.plan.items.map((item) => item.action)).toEqual([action]);
  });
});
