import { describe, expect, it } from "vitest";
import { resolveRepositorySettings } from "../../../src/config/repositories.ts";

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
    const settings = await resolveRepositorySettings(reference, { config, env, cwd: "/work" });
    expect(settings).toMatchObject(expected);
    if (reference === "s3://backups/stacks-2") expect(settings.endpoint).toBeUndefined();
  });

  it.each(["./backups", "/etc/backups/"])("%s is refused if two have it and only one encrypts", async (reference) => {
    const encrypted = { url: "backups", recipients: ["age1abc"] };
    const twice = { ...config, repositories: new Map(Object.entries({ local: { url: "backups" }, safe: encrypted })) };
    const resolved = (name: string) => resolveRepositorySettings(name, { config: twice, env, cwd: "/etc" });
    await expect(resolved(reference)).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("safe"),
    });
    expect(await resolved("safe")).toEqual(expect.objectContaining({ recipients: ["age1abc"] }));
    expect((await resolved("local")).recipients).toBeUndefined();
  });

  it("below two of one object store takes the nearest, and one of the same settings twice", async () => {
    const inner = { url: "s3://backups/stacks/inner", recipients: ["age1abc"] };
    const nested = { ...config, repositories: new Map(Object.entries({ offsite, again: offsite, inner })) };
    const resolved = (name: string) => resolveRepositorySettings(name, { config: nested, env, cwd: "/" });
    expect((await resolved("s3://backups/stacks/inner/a")).recipients).toEqual(["age1abc"]);
    expect((await resolved("s3://backups/stacks/outer")).recipients).toBeUndefined();
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
    const bare = await resolveRepositorySettings("s3://other", { config, env: aws, cwd: "/" });
    expect(bare).toMatchObject({
      endpoint: "http://s3",
      credentials: { accessKeyId: "a", secretAccessKey: "b", sessionToken: "c" },
    });
    expect(await resolveRepositorySettings("offsite", { config, env: aws, cwd: "/" })).toMatchObject({
      endpoint: "https://s3.example.net",
      credentials,
    });
  });

  it("that is a folder has nothing of an object store, by its name as by its path", async () => {
    const aws = { AWS_ENDPOINT_URL: "http://all", AWS_REGION: "eu-central-1" };
    for (const reference of ["local", "/etc/backups"]) {
      expect(await resolveRepositorySettings(reference, { config, env: aws, cwd: "/" })).toEqual({
        address: "/etc/backups",
      });
    }
  });

  it("names the variable that is missing", async () => {
    const error: unknown = await resolveRepositorySettings("offsite", { config, env: {}, cwd: "/" }).catch(
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
    const refused = resolveRepositorySettings("keyless", { config: both, env: {}, cwd: "/" });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("keyless.recipients.0") });
  });
});
