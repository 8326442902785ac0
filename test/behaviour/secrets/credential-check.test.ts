import { describe, expect, it } from "vitest";
import { createRecordEncoder } from "../../../src/archive/record.ts";
import { createCredentialCheck, exportOf } from "../../support/export-into.ts";
import { memoryStack, refusalError, type MemoryStack } from "../../support/memory-stack.ts";
import { archiveIds, dashboard, hexId, source } from "../../support/stack-records.ts";

// Its base64 has a plus sign, which base64url writes as a dash.
const KEY = "kEy0f>Th1sRun+4711/x";
const refusal = { code: "secret-in-output" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const body = (more: object = {}): ReturnType<typeof dashboard> => ({
  ...dashboard(hexId("a", 16), "Overview", archiveIds.source),
  ...more,
});
const stackWith = (more: object = {}): MemoryStack =>
  memoryStack({ dashboards: [body()], sources: [], alerts: [], webhooks: [], ...more });
/** Exports dashboards in a run with these credentials. */
const exported = (dashboards: ReturnType<typeof dashboard>[], credentials = ["another-credential", KEY]) =>
  exportOf(stackWith({ dashboards }), { credentials });

describe("the credential check of an export", () => {
  it("lets records pass that hold no credential, or only a part of one", async () => {
    const { records } = await exported([body({ note: KEY.slice(0, -1), other: KEY.slice(1) })]);
    expect(records).toHaveLength(1);
    await expect(exported([body({ id: KEY.replace("/", "") })])).resolves.toBeDefined();
  });

  it.each([
    ["plain", KEY],
    ["percent-encoded", encodeURIComponent(KEY)],
    ["percent-encoded in lower case", encodeURIComponent(KEY).replaceAll(/%../g, (code) => code.toLowerCase())],
    ["in hex", Buffer.from(KEY).toString("hex")],
    ["in base64", base64(KEY)],
    ["in base64 after one byte", base64(`:${KEY}`)],
    ["in base64 after two bytes", base64(`a:${KEY}`)],
    ["in base64url", base64(`me:${KEY}`).replaceAll("+", "-").replaceAll("/", "_")],
  ])("refuses a value or a member's name that holds one %s, and leaves nothing", async (_, text) => {
    await expect(exported([body({ note: `before ${text} after` })])).rejects.toMatchObject(refusal);
    await expect(exported([body({ options: { [`x-${text}`]: 1 } })])).rejects.toMatchObject(refusal);
  });

  const plain = "kEy0fTh1sRun4711x";
  const many = Array.from({ length: 120 }, (_, index) => dashboard(hexId("a", index), `D ${index}`, ""));
  const withKey = { ...source(archiveIds.source, "Logs", ""), querySettings: { header: KEY } };
  const failing = stackWith();
  failing.intercept = (operation) => {
    if (operation === "list alerts") throw refusalError("rejected", `no alerts for ${KEY}`);
  };

  it.each<[string, MemoryStack, Parameters<typeof exportOf>[1]?]>([
    ["the name of a record", stackWith({ dashboards: [body({ name: `by ${KEY}` })] })],
    ["the id of a record", stackWith({ dashboards: [body({ id: `x-${plain}` })] }), { credentials: [plain] }],
    ["the last record of many", stackWith({ dashboards: [...many, body({ id: hexId("a", 999), note: KEY })] })],
    ["a kind that is only archived", stackWith({ sources: [withKey] })],
    ["the name of the program", stackWith(), { createdBy: { name: `stackferry ${KEY}`, version: "1" } }],
    ["the error for a kind that is not read", failing, { allowPartial: true }],
  ])("refuses one in %s", async (_, stack, options) => {
    await expect(exportOf(stack, { credentials: [KEY], ...options })).rejects.toMatchObject(refusal);
  });

  it.each([
    [["first-one", "second-one"], "first-one"],
    [["first-one", "second-one"], "second-one"],
    [["second-one", "first-one"], "first-one"],
    [["second-one", "first-one"], "second-one"],
    [["abcdef"], "abcdef"],
  ])("of %j finds %s", async (credentials, held) => {
    await expect(exported([body({ note: held })], credentials)).rejects.toMatchObject(refusal);
  });

  it("looks for no credential that is too short to mean anything", async () => {
    expect((await exported([body({ note: "abcde" })], ["abcde"])).records).toHaveLength(1);
  });

  it("names in its error the record, and not the credential", () => {
    const check = createCredentialCheck([KEY]);
    const encode = createRecordEncoder();
    const record =
      (id: string, name: string, more: object = {}) =>
      () =>
        check.checkRecord(encode({ kind: "dashboards", id, name, body: { id, ...more } }));
    const withoutKey = /^(?!.*kEy0fTh1sRun)/s;
    expect(record("one", "n", { a: KEY })).toThrow(/dashboards\/one(?!.*kEy0fTh1sRun)/s);
    for (const act of [record(KEY, "n"), record("one", KEY), () => check.checkRest({ [KEY]: 1 })]) {
      expect(act).toThrow(withoutKey);
    }
  });
});
