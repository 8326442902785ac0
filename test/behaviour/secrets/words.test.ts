import { describe, expect, it } from "vitest";
import { redactedRecord } from "../../support/redacted-record.ts";

describe("a value behind a name", () => {
  it.each([
    ["password", "hunter2x"],
    ["password", "S3cret!x"],
    ["password", "123456"],
    ["token", "q8Zr2Lw0Xy7Kd5Tn"],
    ["token", "QwErTyUiOpAsDfGhJkLzXcVb"],
  ])("is taken out where it may be a password, or a token drawn by lot: %s: %s", async (name, value) => {
    const { text } = await redactedRecord("dashboards", { text: `the ${name}: ${value}` });
    expect(text).toBe(`the ${name}: «redacted:assigned-secret»`);
  });

  it.each([
    ["password", "2026-01-02"],
    ["password", "2026-01-02T03:04:05Z"],
    ["password", "12:30"],
    ["password", "1234.5ms"],
    ["password", "10.25%"],
    ["password", "30s"],
    ["password", "settings.database.password"],
    ["password", "os.getenv(x)"],
    ["password", "true"],
    ["password", "$1"],
    ["password", "<your-password>"],
    ["token", "123456"],
    ["token", "aBcDeFgHiJkLmN"],
    ["token", "someVeryLongCamelCaseNameForThings"],
    ["token", "service_name_2"],
    ["token", "aAaAaAaAaAaAaAaAaAaAaAaAaA"],
  ])("is left where it is a date, a measure, a column, a call, a stand-in or a word: %s: %s", async (name, value) => {
    const { text } = await redactedRecord("dashboards", { text: `the ${name}: ${value}` });
    expect(text).toBe(`the ${name}: ${value}`);
  });
});
