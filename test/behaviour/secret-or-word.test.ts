import { describe, expect, it } from "vitest";
import { redactedRecord } from "../support/redacted-record.ts";
import { hexId, webhook } from "../support/stack-records.ts";

const textAfter = async (text: string): Promise<unknown> => (await redactedRecord("dashboards", { text }))["text"];

describe("a value behind a name that says password", () => {
  it.each(["hunter2x", "S3cret!x", "123456"])("is taken out: %s", async (value) => {
    expect(await textAfter(`the password: ${value}`)).toBe("the password: «redacted:assigned-secret»");
  });

  it.each([
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "12:30",
    "1234.5ms",
    "10.25%",
    "30s",
    "settings.database.password",
    "os.getenv(x)",
    "true",
    "$1",
    "<your-password>",
  ])("is left where it is a date, a measure, a column, a call or a stand-in: %s", async (value) => {
    expect(await textAfter(`the password: ${value}`)).toBe(`the password: ${value}`);
  });
});

describe("a value behind a name that says token", () => {
  it.each(["q8Zr2Lw0Xy7Kd5Tn", "QwErTyUiOpAsDfGhJkLzXcVb"])(
    "is taken out where it was drawn by lot: %s",
    async (value) => {
      expect(await textAfter(`the token: ${value}`)).toBe("the token: «redacted:assigned-secret»");
    },
  );

  it.each([
    "123456",
    "aBcDeFgHiJkLmN",
    "someVeryLongCamelCaseNameForThings",
    "service_name_2",
    "aAaAaAaAaAaAaAaAaAaAaAaAaA",
  ])("is left where it looks like a word or a number: %s", async (value) => {
    expect(await textAfter(`the token: ${value}`)).toBe(`the token: ${value}`);
  });
});

describe("the address of a webhook", () => {
  const urlAfter = async (url: string): Promise<unknown> =>
    (await redactedRecord("webhooks", { ...webhook(hexId("a", 2), "oncall"), url }))["url"];

  it("keeps its origin only, and is the same when it is redacted again", async () => {
    const once = await urlAfter("https://hooks.example.com/in/1?key=x");
    expect(once).toBe("https://hooks.example.com/«redacted:webhook-url»");
    expect(await urlAfter(String(once))).toBe(once);
  });

  it("is left where it is nothing but an origin", async () => {
    expect(await urlAfter("https://hooks.example.com")).toBe("https://hooks.example.com");
  });

  it("is taken out whole where it has no origin", async () => {
    expect(await urlAfter("data:text/plain,secret")).toBe("«redacted:webhook-url»");
  });
});
