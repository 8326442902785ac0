import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCredentialTest } from "../../../src/redaction/credentials.ts";
import { propertyRuns } from "../../support/tries.ts";

const KEY = 'k3y "ß/+&=%\\ end~';
const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

describe("the credential check", () => {
  it.each([
    ["plain", KEY],
    ["inside JSON", JSON.stringify({ a: KEY })],
    ["inside JSON inside JSON", JSON.stringify({ a: JSON.stringify({ b: KEY }) })],
    ["in an address", `https://h/?k=${encodeURIComponent(KEY)}`],
    ["in a form", new URLSearchParams({ k: KEY }).toString().replaceAll("%7E", "~")],
    ["in base64", base64(KEY)],
    ["in a Basic header", `Basic ${base64(`user:${KEY}`)}`],
    ["in hex", Buffer.from(KEY).toString("hex")],
  ])("finds a credential %s", (_, text) => {
    expect(createCredentialTest([KEY])(`before ${text} after`)).toBe(true);
  });

  it("finds a credential in base64, whatever text is around it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(createCredentialTest(["0123456789abcdef"])(base64(`${before}0123456789abcdef${after}`))).toBe(true);
      }),
      propertyRuns(),
    );
  });

  it("finds a credential of eight characters in base64, at the beginning of a longer text", () => {
    expect(createCredentialTest(["k3y.eNd7"])(base64("k3y.eNd7 and more"))).toBe(true);
  });

  it("ignores a credential of three characters in every encoding", () => {
    for (const form of ["k3y", base64("k3y"), Buffer.from("k3y").toString("hex")]) {
      expect(createCredentialTest(["k3y"])(`before ${form} after`)).toBe(false);
    }
  });

  it("accepts other text, and an empty or missing credential matches nothing", () => {
    expect(createCredentialTest([KEY])("k3y and other words")).toBe(false);
    expect(createCredentialTest([""])("anything")).toBe(false);
    expect(createCredentialTest([])("anything")).toBe(false);
  });
});
