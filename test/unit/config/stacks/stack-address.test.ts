import { describe, expect, it } from "vitest";
import { isStackUrl, parseBaseUrl, parseStackUrl } from "../../../../src/config/stacks/stack-address.ts";

const service = "v1/organizations/5f0c2c1e-org/services/0b7d4a52-svc";
const ids = { organizationId: "5f0c2c1e-org", serviceId: "0b7d4a52-svc" };

describe("parseStackUrl", () => {
  it.each([
    ["http://localhost:8000", "http://localhost:8000"],
    ["http://localhost:8000/", "http://localhost:8000"],
    ["http://localhost:8000/api/v2", "http://localhost:8000"],
    ["https://host/base/api/v2/", "https://host/base"],
    ["https://host/base", "https://host/base"],
    ["https://[::1]:8000", "https://[::1]:8000"],
  ])("takes %s as self-hosted", (address, baseUrl) => {
    expect(parseStackUrl(address, "--from")).toEqual({ variant: "self-hosted", baseUrl });
  });

  it.each([
    [`https://api.example.com/${service}`, "https://api.example.com"],
    [`https://api.example.com/${service}/`, "https://api.example.com"],
    [`https://api.example.com/${service}/obsstack`, "https://api.example.com"],
    [`https://gateway.example.com/cloud/${service}`, "https://gateway.example.com/cloud"],
  ])("takes %s as managed", (address, baseUrl) => {
    expect(parseStackUrl(address, "--from")).toEqual({ variant: "managed", baseUrl, ...ids });
  });

  it.each([
    "ftp://host",
    "http://",
    "https://host/?key=S3CRET",
    "https://host/#S3CRET",
    "https://admin:S3CRET@host",
    "https://S3CRET@host",
    "https://host/v1/organizations/S3CRET",
    `https://host/${service}/S3CRET`,
  ])("refuses %s without repeating it in the error", (address) => {
    expect(() => parseStackUrl(address, "--from")).toThrow(
      expect.objectContaining({ code: "config", message: expect.stringMatching(/^--from: (?!.*S3CRET)/) }),
    );
  });

  it("distinguishes addresses from stack names", () => {
    expect(["http://a", "ftp://a", "production", "a.b"].map(isStackUrl)).toEqual([true, true, false, false]);
  });

  it("refuses the path of a managed stack as a base address", () =>
    expect(() => parseBaseUrl("https://host/v1/organizations/o/services/s", "baseUrl")).toThrow(
      expect.objectContaining({ code: "config" }),
    ));
  it("accepts a gateway's path that only begins like the path of a managed stack", () =>
    expect(parseBaseUrl("https://gw/v1/organizations/acme/stack", "baseUrl")).toBe(
      "https://gw/v1/organizations/acme/stack",
    ));
  it("trims a base address", () => expect(parseBaseUrl("https://host/x/api/v2/", "baseUrl")).toBe("https://host/x"));
});
