import { describe, expect, it } from "vitest";
import { parseCalendarSpan } from "../../../src/backup/retention.ts";
import { resolveRepository } from "../../../src/config/repositories.ts";
import { parseBackupTime } from "../../../src/config/time.ts";

const offsite = {
  url: "s3://backups/stacks",
  endpoint: "https://s3.example.net",
  accessKeyId: "${env:ID}",
  secretAccessKey: "${env:SECRET}",
};
const config = {
  path: "/etc/stackferry.yaml",
  defaults: {},
  unusedProfiles: [],
  stacks: new Map(),
  repositories: new Map(Object.entries({ offsite, local: { url: "backups" } })),
};
const env = { ID: "id", SECRET: "secret", AWS_REGION: "eu-central-1" };
const credentials = { accessKeyId: "id", secretAccessKey: "secret" };

describe("a REPO", () => {
  it.each([
    [
      "offsite",
      { address: "s3://backups/stacks", endpoint: "https://s3.example.net", region: "eu-central-1", credentials },
    ],
    [
      "s3://backups/stacks/a",
      { address: "s3://backups/stacks/a", endpoint: "https://s3.example.net", region: "eu-central-1", credentials },
    ],
    ["s3://backups/stacks-2", { address: "s3://backups/stacks-2", region: "eu-central-1" }],
    ["local", { address: "/etc/backups" }],
    ["here", { address: "/work/here" }],
    ["/var/backups", { address: "/var/backups" }],
  ])("%s is resolved", async (reference, expected) => {
    const settings = await resolveRepository(reference, { config, env, cwd: "/work" });
    expect(settings).toMatchObject(expected);
    if (reference === "s3://backups/stacks-2") expect(settings.endpoint).toBeUndefined();
  });

  it("takes the usual AWS variables, and the place's own before them", async () => {
    const aws = {
      ...env,
      AWS_ENDPOINT_URL: "http://all",
      AWS_ENDPOINT_URL_S3: "http://s3",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
      AWS_SESSION_TOKEN: "c",
    };
    const bare = await resolveRepository("s3://other", { config, env: aws, cwd: "/" });
    expect(bare).toMatchObject({
      endpoint: "http://s3",
      credentials: { accessKeyId: "a", secretAccessKey: "b", sessionToken: "c" },
    });
    expect(await resolveRepository("offsite", { config, env: aws, cwd: "/" })).toMatchObject({
      endpoint: "https://s3.example.net",
      credentials,
    });
  });

  it("that is a folder has nothing of an object store, by its name as by its path", async () => {
    const aws = { AWS_ENDPOINT_URL: "http://all", AWS_REGION: "eu-central-1" };
    for (const reference of ["local", "/etc/backups"]) {
      expect(await resolveRepository(reference, { config, env: aws, cwd: "/" })).toEqual({ address: "/etc/backups" });
    }
  });

  it("names the variable that is missing", async () => {
    const error: unknown = await resolveRepository("offsite", { config, env: {}, cwd: "/" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: "config",
      message: expect.stringContaining("repositories.offsite.accessKeyId"),
    });
  });

  it("names the first of two variables that are missing, and no rejection is left unhandled", async () => {
    const keyless = { url: "/b", recipients: ["${env:R}", "${env:Q}"], sign: "${env:S}" };
    const both = { ...config, repositories: new Map(Object.entries({ keyless })) };
    const refused = resolveRepository("keyless", { config: both, env: {}, cwd: "/" });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("keyless.recipients.0") });
  });
});

describe("the length of --keep-within", () => {
  it.each([
    ["7d", { days: 7 }],
    ["1y5m7d2h", { years: 1, months: 5, days: 7, hours: 2 }],
    ["36h", { hours: 36 }],
  ])("%s", (text, expected) => expect(parseCalendarSpan(text)).toMatchObject(expected));
  it.each(["", "7", "d", "0d", "7d1y", "7 d", "1w", "-1d"])("refuses %j", (text) => {
    expect(parseCalendarSpan(text)).toBeUndefined();
  });
});

describe("the time of a backup", () => {
  const NOON = Date.parse("2026-11-25T12:00:00Z");
  it.each([
    ["20261121T045241Z", "2026-11-21T04:52:41.999Z"],
    ["2026-11-21T04:52:41Z", "2026-11-21T04:52:41.999Z"],
    ["2026-11-21T04:52", "2026-11-21T04:52:59.999Z"],
    ["2026-11-21 04", "2026-11-21T04:59:59.999Z"],
    ["2026-11-21", "2026-11-21T23:59:59.999Z"],
    ["today", "2026-11-25T23:59:59.999Z"],
    ["yesterday", "2026-11-24T23:59:59.999Z"],
    ["-7d", "2026-11-18T12:00:00.000Z"],
    ["-36h", "2026-11-24T00:00:00.000Z"],
    ["before:2026-11-21", "2026-11-20T23:59:59.999Z"],
    ["before:2026-11-21T04:52", "2026-11-21T04:51:59.999Z"],
    ["before:yesterday", "2026-11-23T23:59:59.999Z"],
    ["before:-7d", "2026-11-18T11:59:59.999Z"],
  ])("%s", (text, expected) => expect(new Date(parseBackupTime(text, NOON) ?? 0).toISOString()).toBe(expected));
  it.each([
    "",
    "tomorrow",
    "7d",
    "-7",
    "before:",
    "before:before:today",
    "2026",
    "2026-13-01",
    "2026-02-30",
    "2026-11-21T25:00",
  ])("refuses %j", (text) => {
    expect(parseBackupTime(text, NOON)).toBeUndefined();
  });
});
