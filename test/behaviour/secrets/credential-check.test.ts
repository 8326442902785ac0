import { describe, expect, it } from "vitest";
import { createRecordEncoder } from "../../../src/archive/record.ts";
import { exportOf, createCredentialCheck } from "../../support/export-into.ts";
import { memoryStack, refusalError, failOperation } from "../../support/memory-stack.ts";
import { dashboard, hexId, source, webhook, archiveIds, targetIds } from "../../support/stack-records.ts";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { documentOf } from "../../support/run-cli.ts";
import {
  emptySeed,
  isWrite,
  outcomesOf,
  programWithArchive,
  type ProgramWithArchive,
} from "../../support/program-with-archive.ts";

const KEY = "kEy0fTh1sRun+4711/x";
const refusal = { code: "secret-in-output" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const forms: readonly (readonly [string, string])[] = [
  ["plain", KEY],
  ["percent-encoded", encodeURIComponent(KEY)],
  ["percent-encoded in lower case", encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase())],
  ["in hex", Buffer.from(KEY).toString("hex")],
  ["in base64", base64(KEY)],
  ["in base64 after one byte", base64(`:${KEY}`)],
  ["in base64 after two bytes", base64(`a:${KEY}`)],
  ["in base64url", base64(`me:${KEY}`).replaceAll("+", "-").replaceAll("/", "_")],
];
const body = (more: object = {}): ReturnType<typeof dashboard> => ({
  ...dashboard(hexId("a", 16), "Overview", archiveIds.source),
  ...more,
});
const exported = (dashboards: ReturnType<typeof dashboard>[], more: object = {}) =>
  exportOf(memoryStack({ dashboards, sources: [], alerts: [], webhooks: [], ...more }), {
    credentials: ["another-credential", KEY],
  });

describe("the last gate of an export", () => {
  it("lets records pass that hold no credential, or only a part of one", async () => {
    const { records } = await exported([body({ note: KEY.slice(0, -1), other: KEY.slice(1) })]);
    expect(records).toHaveLength(1);
  });

  it.each(forms)("refuses a value that holds one %s, and leaves nothing", async (_, text) => {
    await expect(exported([body({ note: `before ${text} after` })])).rejects.toMatchObject(refusal);
  });

  it.each(forms)("refuses a member's name that holds one %s", async (_, text) => {
    await expect(exported([body({ options: { [`x-${text}`]: 1 } })])).rejects.toMatchObject(refusal);
  });

  it("refuses a record whose name or id holds one", async () => {
    await expect(exported([body({ name: `by ${KEY}` })])).rejects.toMatchObject(refusal);
    await expect(exported([body({ id: KEY.replace("/", "") })])).resolves.toBeDefined();
    const plain = "kEy0fTh1sRun4711x";
    const stack = memoryStack({ dashboards: [body({ id: `x-${plain}` })], sources: [], alerts: [], webhooks: [] });
    await expect(exportOf(stack, { credentials: [plain] })).rejects.toMatchObject(refusal);
  });

  it("refuses one in a kind that is only archived, and in the last record of many", async () => {
    const many = Array.from({ length: 120 }, (_, index) => dashboard(hexId("a", index), `D ${index}`, ""));
    await expect(exported([...many, body({ id: hexId("a", 999), note: KEY })])).rejects.toMatchObject(refusal);
    const sources = [{ ...source(archiveIds.source, "Logs", ""), querySettings: { header: KEY } }];
    await expect(exported([body()], { sources })).rejects.toMatchObject(refusal);
  });

  it("refuses one in what the archive says of its making", async () => {
    const stack = memoryStack({ dashboards: [body()], sources: [], alerts: [], webhooks: [] });
    await expect(
      exportOf(stack, { credentials: [KEY], createdBy: { name: `stackferry ${KEY}`, version: "1" } }),
    ).rejects.toMatchObject(refusal);
    const failing = memoryStack({ dashboards: [body()], sources: [], alerts: [], webhooks: [] });
    failing.intercept = (operation) => {
      if (operation === "list alerts") throw refusalError("rejected", `no alerts for ${KEY}`);
    };
    await expect(exportOf(failing, { credentials: [KEY], allowPartial: true })).rejects.toMatchObject(refusal);
  });

  it("is never told by the error, whose words name the record and not the credential", async () => {
    const guard = createCredentialCheck([KEY]);
    const encode = createRecordEncoder();
    const messages = [
      () => guard.checkRecord(encode({ kind: "dashboards", id: "one", name: "n", body: { id: "one", a: KEY } })),
      () => guard.checkRecord(encode({ kind: "dashboards", id: KEY, name: "n", body: { id: KEY } })),
      () => guard.checkRecord(encode({ kind: "dashboards", id: "one", name: KEY, body: { id: "one" } })),
      () => guard.checkRest({ [KEY]: 1 }),
    ].map((act) => {
      try {
        act();
        return "let through";
      } catch (error) {
        return String(error);
      }
    });
    for (const message of messages) expect([message === "let through", message.includes(KEY)]).toEqual([false, false]);
    expect(messages[0]).toContain("dashboards/one");
  });

  it("looks for each credential of the run, and for none that is too short to mean anything", async () => {
    for (const credentials of [
      ["first-one", "second-one"],
      ["second-one", "first-one"],
    ]) {
      for (const held of credentials) {
        const stack = memoryStack({ dashboards: [body({ note: held })], sources: [], alerts: [], webhooks: [] });
        await expect(exportOf(stack, { credentials })).rejects.toMatchObject(refusal);
      }
    }
    const short = memoryStack({ dashboards: [body({ note: "abcde" })], sources: [], alerts: [], webhooks: [] });
    expect((await exportOf(short, { credentials: ["abcde"] })).records).toHaveLength(1);
    const six = memoryStack({ dashboards: [body({ note: "abcdef" })], sources: [], alerts: [], webhooks: [] });
    await expect(exportOf(six, { credentials: ["abcdef"] })).rejects.toMatchObject(refusal);
  });
});

describe("a kind or record that an export cannot read", () => {
  const stack = () => {
    const made = memoryStack({
      dashboards: [body()],
      alerts: [],
      sources: [],
      webhooks: [webhook(archiveIds.webhook, "w")],
    });
    failOperation(made, "list webhooks", () => refusalError("rejected", "no webhooks today"));
    return made;
  };

  it("ends it with the stack's error, or stands in the manifest where partial archives are allowed", async () => {
    await expect(exportOf(stack())).rejects.toMatchObject({ code: "rejected" });
    const { manifest } = await exportOf(stack(), { allowPartial: true });
    expect(manifest.kinds).toMatchObject({
      webhooks: { status: "failed", count: 0, error: "no webhooks today" },
      dashboards: { status: "complete", count: 1 },
      pipes: { status: "not-requested", count: 0 },
    });
  });

  it("counts as failed for a record that does not fit the schema of its kind", async () => {
    const odd = memoryStack({ dashboards: [body(), { id: hexId("a", 17), name: 7 }], alerts: [] });
    await expect(exportOf(odd)).rejects.toMatchObject({ code: "incomplete" });
    const { manifest, result } = await exportOf(odd, { allowPartial: true });
    expect(manifest.kinds["dashboards"]).toMatchObject({ status: "failed", count: 1 });
    expect(result.outcomes).toContainEqual(
      expect.objectContaining({ sourceId: hexId("a", 17), status: "failed", code: "unreadable-record" }),
    );
  });

  it("does not hide the order: records stand by kind and id, whatever order the stack answers in", async () => {
    const ids = [3, 1, 2].map((number) => hexId("a", number));
    const made = memoryStack({ dashboards: ids.map((id) => dashboard(id, "Same", "")), alerts: [] });
    const { records } = await exportOf(made);
    expect(records.map(({ id }) => id)).toEqual(ids.toSorted());
  });
});

type Body = Record<string, unknown>;

/**
 * Changes the dashboards in the target's responses to this method. Returns a list to which the route of each write is added.
 */
function changeResponses(
  program: ProgramWithArchive,
  method: "GET" | "POST" | "PUT",
  change: (body: Body) => Body,
): string[] {
  const writes: string[] = [];
  program.watch = async (request, proceed) => {
    if (isWrite(request)) writes.push(request.route);
    const response = await proceed();
    if (request.method !== method || !request.route.includes("dashboards") || !response.ok) return response;
    const answer = (await response.json()) as { data: Body | Body[] };
    const data = Array.isArray(answer.data) ? answer.data.map(change) : change(answer.data);
    return Response.json({ ...answer, data });
  };
  return writes;
}

/** Expects that no file and no output of the run holds the target's key. */
async function expectNoKey(program: ProgramWithArchive, run: { stdout: string; stderr: string }): Promise<void> {
  const key = program.to.apiKey ?? "";
  expect(key.length).toBeGreaterThan(8);
  const entries = await readdir(program.cwd, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "a.zip");
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")));
  for (const text of [...texts, run.stdout, run.stderr]) expect(text).not.toContain(key);
}

describe("an id that holds the credential of the run", () => {
  it.each([
    ["in plain", (key: string) => key],
    ["in base64", (key: string) => Buffer.from(`x:${key}`).toString("base64")],
  ])("%s, answered to a create, is written nowhere (secret-in-output)", async (_, form) => {
    await using program = await programWithArchive();
    changeResponses(program, "POST", (body) => ({ ...body, id: form(program.to.apiKey ?? "") }));
    const run = await program.import("--report", "r.html");
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).some(({ code }) => code === "secret-in-output")).toBe(true);
    expect(run.stdout + run.stderr).not.toContain(form(program.to.apiKey ?? ""));
    await expectNoKey(program, run);
  });

  it("answered as that of a tile is written nowhere", async () => {
    await using program = await programWithArchive();
    changeResponses(program, "POST", (body) => ({
      ...body,
      tiles: (body["tiles"] as Body[]).map((tile) => ({ ...tile, id: program.to.apiKey })),
    }));
    const run = await program.import();
    expect(run.exitCode).toBe(3);
    expect(outcomesOf(run).some(({ code }) => code === "secret-in-output")).toBe(true);
    await expectNoKey(program, run);
  });

  it("in a list ends the run before anything is written", async () => {
    const theirs = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
    await using program = await programWithArchive({ ...emptySeed("b"), dashboards: [theirs] });
    const writes = changeResponses(program, "GET", (body) => ({ ...body, id: program.to.apiKey }));
    const run = await program.import("--on-conflict", "overwrite");
    expect(documentOf(run)).toMatchObject({ exitCode: 1, error: { code: "secret-in-output" } });
    expect(writes).toEqual([]);
    await expectNoKey(program, run);
  });
});

it("what an update replaces is kept in the journal without the credential of the run", async () => {
  const theirs = dashboard(hexId("b", 18), "Three", targetIds.source, { tags: ["theirs"] });
  await using program = await programWithArchive({ ...emptySeed("b"), dashboards: [theirs] });
  changeResponses(program, "GET", (body) => ({ ...body, tags: [`see ${program.to.apiKey}`] }));
  const run = await program.import("--on-conflict", "overwrite");
  expect(program.entries().some(({ write }) => write === "update")).toBe(true);
  await expectNoKey(program, run);
});
