import { describe, expect, it } from "vitest";
import { recordsOn } from "../../support/on-stack.ts";
import {
  withSecrets,
  importStage,
  outcomeOf,
  writesOn,
  type JsonObject,
  type StageRun,
} from "../../support/import-stage.ts";
import { memoryStack, type MemoryStack } from "../../support/memory-stack.ts";
import { dashboard, hexId, records } from "../../support/stack-records.ts";

const MARK = "«redacted:assigned-secret»";
const POINTER = "/tiles/0/config/markdown";
const runbook = (number: number, markdown: string, more: JsonObject = {}): JsonObject =>
  dashboard(hexId("a", number), "Runbook", "", {
    tiles: [{ id: hexId("d", number), name: "Notes", config: { displayType: "markdown", markdown } }],
    ...more,
  });
const there = (number: number, markdown: string, more: JsonObject = {}): JsonObject => ({
  ...runbook(number, markdown, more),
  id: hexId("b", number),
});
const target = (...dashboards: JsonObject[]): MemoryStack =>
  memoryStack({ dashboards, alerts: [], sources: [], webhooks: [] });
const archiveOf = (...dashboards: JsonObject[]) => records({ dashboards });
const key = `dashboards/${hexId("a", 16)}`;

const warningsOf = ({ events }: StageRun) =>
  events.flatMap((event) => (event.type === "warning" ? [event.warning] : []));

describe("values for placeholders", () => {
  it.each([
    ["fewer than there are", ["one"]],
    ["more than there are", ["one", "two", "three"]],
    ["none", []],
  ])(
    "are not used where they are %s: the record stays blocked, and nothing half filled is written",
    async (_, given) => {
      const archive = archiveOf(runbook(16, `user ${MARK}, password ${MARK}`));
      const { secrets } = withSecrets(archive, { [key]: { [POINTER]: given } });
      const stack = target();
      const run = await importStage(stack).run(archive, { secrets });
      expect(warningsOf(run)).toMatchObject([{ code: "unused", pointer: POINTER }]);
      expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "redacted" });
      expect(run.exitCode).toBe(3);
      expect(run.plan.missingSecrets).toMatchObject([
        { pointer: POINTER, rules: ["assigned-secret", "assigned-secret"] },
      ]);
      expect(writesOn(stack)).toEqual([]);
    },
  );

  it("of one place do not unblock a record with another", async () => {
    const archive = archiveOf(runbook(16, `password ${MARK}`, { savedQuery: `token:${MARK}` }));
    const { secrets } = withSecrets(archive, { [key]: { [POINTER]: ["one"] } });
    const run = await importStage(target()).run(archive, { secrets });
    expect(warningsOf(run)).toEqual([]);
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "redacted" });
    expect(run.plan.missingSecrets.map(({ pointer }) => pointer)).toEqual(["/savedQuery"]);
  });

  it("of all places are written, each in its own", async () => {
    const archive = archiveOf(runbook(16, `user ${MARK}, password ${MARK}`, { savedQuery: `token:${MARK}` }));
    const { secrets } = withSecrets(archive, { [key]: { [POINTER]: ["one", "two"], "/savedQuery": ["three"] } });
    const stack = target();
    expect((await importStage(stack).run(archive, { secrets })).exitCode).toBe(0);
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      { savedQuery: "token:three", tiles: [{ config: { markdown: "user one, password two" } }] },
    ]);
  });

  it.each([
    ["leaves the dashboard alone without a journal", false, {}, "wrong", { action: "skip", code: "exists" }],
    ["updates the dashboard if it may", false, { onConflict: "overwrite" }, "right", { action: "update" }],
    ["updates the dashboard with a journal", true, {}, "right", { action: "update" }],
  ] as const)(
    "that are corrected are written: the same import %s",
    async (_, keepsJournal, options, stored, outcome) => {
      const archive = archiveOf(runbook(16, `password ${MARK}`));
      const stack = target();
      const stage = importStage(stack);
      const importWith = (value: string) =>
        stage.run(archive, { ...options, secrets: withSecrets(archive, { [key]: { [POINTER]: value } }).secrets });
      await importWith("wrong");
      if (!keepsJournal) stage.history.length = 0;
      expect(outcomeOf(await importWith("right"), "Runbook")).toMatchObject(outcome);
      expect(JSON.stringify(recordsOn(stack, "dashboards"))).toContain(`password ${stored}`);
    },
  );

  const begun = "curl https://hooks.example/services/«redacted:webhook-path» now";
  it.each([
    ["only its end is used", "https://hooks.example/services/T1/x", "curl https://hooks.example/services/T1/x now"],
    ["the end alone is used as it is", "T1/x", "curl https://hooks.example/services/T1/x now"],
    ["another host is refused", "https://evil.example/services/T1/x", undefined],
    ["another path is refused", "https://hooks.example/other/T1/x", undefined],
  ])("may be the whole address where a text lacks its end: %s", async (_, value, stored) => {
    const archive = archiveOf(runbook(16, begun));
    const { secrets } = withSecrets(archive, { [key]: { [POINTER]: value } });
    const stack = target();
    const run = await importStage(stack).run(archive, { secrets });
    const texts = recordsOn(stack, "dashboards").map((body) => JSON.stringify(body));
    expect(texts).toEqual(stored === undefined ? [] : [expect.stringContaining(`"${stored}"`)]);
    const blocked = { action: "blocked", code: "secret-refused" };
    expect(outcomeOf(run, "Runbook")).toMatchObject(stored === undefined ? blocked : { action: "create" });
  });

  it("for a record that is not in the archive lead to a warning", async () => {
    const { records: archive, secrets } = withSecrets(archiveOf(runbook(16, MARK)), {
      [key]: { [POINTER]: ["x"] },
      "dashboards/none": { [POINTER]: ["x"] },
    });
    const run = await importStage(target()).run(archive, { secrets });
    expect(warningsOf(run).map(({ code }) => code)).toEqual(["unused"]);
  });
});

describe("a record with a placeholder", () => {
  it("is written where it is in a member that is never sent", async () => {
    const stack = target();
    const run = await importStage(stack).run(archiveOf(runbook(16, "plain", { teamId: MARK })));
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "create", status: "done" });
    expect(JSON.stringify(recordsOn(stack, "dashboards"))).not.toContain("redacted");
  });

  it("never replaces what the target has, though an update is asked for", async () => {
    const stack = target(there(16, "password hunter2", { tags: ["theirs"] }));
    const run = await importStage(stack).run(archiveOf(runbook(16, `password ${MARK}`)), { onConflict: "overwrite" });
    expect(outcomeOf(run, "Runbook")).toMatchObject({ action: "blocked", code: "redacted", targetId: hexId("b", 16) });
    expect(writesOn(stack)).toEqual([]);
  });

  it("is ambiguous beside another of its name, on both sides", async () => {
    const stack = target(there(16, "password one"), there(17, "password two"));
    const run = await importStage(stack).run(
      archiveOf(runbook(16, `password ${MARK}`), runbook(17, `password ${MARK}`)),
    );
    expect(run.plan.items.map(({ action, code }) => [action, code])).toEqual([
      ["blocked", "ambiguous"],
      ["blocked", "ambiguous"],
    ]);
  });

  it("blocks records that reference it", async () => {
    const onClick = { type: "dashboard", target: { mode: "id", id: hexId("a", 16) } };
    const tiles = [{ id: hexId("d", 1), name: "T", config: { displayType: "table", onClick } }];
    const run = await importStage(target()).run(
      archiveOf(runbook(16, MARK), dashboard(hexId("a", 17), "Index", "", { tiles })),
    );
    expect(outcomeOf(run, "Index")).toMatchObject({ action: "blocked", code: "dependency-blocked" });
  });
});

describe("a whole address for an address whose path was taken out", () => {
  const hookKey = `webhooks/${hexId("c", 1)}`;
  const hook = (url: string): JsonObject => ({ id: hexId("c", 1), name: "pager", service: "slack", url });
  const cut = "https://hooks.example/«redacted:webhook-url»";
  const none = { "/headers": null, "/queryParams": null };
  const create = async (url: string, given: string) => {
    const archive = records({ webhooks: [hook(url)] });
    const { secrets } = withSecrets(archive, { [hookKey]: { ...none, "/url": given } });
    const stack = memoryStack({ dashboards: [], alerts: [], sources: [], webhooks: [], "saved-searches": [] });
    const run = await importStage(stack).run(archive, { secrets, create: ["webhooks"] });
    return { run, stack, urls: recordsOn(stack, "webhooks").map((each) => each["url"]) };
  };

  it.each([
    ["the end alone", cut, "T0/s3cret"],
    ["the address", cut, "https://hooks.example/T0/s3cret"],
    ["the address with its port and capitals", cut, "HTTPS://Hooks.Example:443/T0/s3cret"],
    [
      "the address of a longer one",
      "https://hooks.example/T0/«redacted:webhook-path»",
      "https://hooks.example/T0/s3cret",
    ],
  ])("is written once: %s", async (_, url, given) => {
    const { run, urls } = await create(url, given);
    expect(run.exitCode).toBe(0);
    expect(urls.map((each) => new URL(String(each)).href)).toEqual(["https://hooks.example/T0/s3cret"]);
  });

  it.each([
    "https://elsewhere.example/T0/s3cret",
    "http://hooks.example/T0/s3cret",
    "https://hooks.example:8443/T0/s3cret",
    "https://hooks.example@elsewhere.example/T0/s3cret",
  ])("is refused on another host: %s", async (given) => {
    const { run, stack } = await create(cut, given);
    expect(outcomeOf(run, "pager")).toMatchObject({ action: "blocked", code: "secret-refused" });
    expect(run.exitCode).toBe(3);
    expect(writesOn(stack)).toEqual([]);
    expect(run.plan.missingSecrets).toMatchObject([{ pointer: "/url" }]);
    expect(JSON.stringify([run.plan.items, run.plan.missingSecrets, run.outcomes])).not.toContain("s3cret");
  });

  it("is text like any other where no address was cut", async () => {
    const archive = archiveOf(runbook(16, `see ${MARK}`));
    const { secrets } = withSecrets(archive, { [key]: { [POINTER]: "https://wiki.example/secret" } });
    const stack = target();
    await importStage(stack).run(archive, { secrets });
    expect(recordsOn(stack, "dashboards")).toMatchObject([
      { tiles: [{ config: { markdown: "see https://wiki.example/secret" } }] },
    ]);
  });
});
