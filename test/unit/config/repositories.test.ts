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
  stacks: new Map(),
  repositories: new Map(Object.entries({ offsite, local: { url: "backups" } })),
};
const env = { ID: "id", SECRET: "secret", AWS_REGION: "eu-central-1" };
const credentials = { accessKeyId: "id", secretAccessKey: "secret" };

describe("a REPO argument", () => {
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
  ])("%s resolves to the settings of its repository", async (reference, expected) => {
    const settings = await resolveRepositorySettings(reference, { config, env, cwd: "/work" });
    expect(settings).toMatchObject(expected);
    if (reference === "s3://backups/stacks-2") expect(settings.endpoint).toBeUndefined();
  });

  it.each(["./backups", "/etc/backups/"])(
    "%s is refused if two repositories have this path and only one encrypts",
    async (reference) => {
      const encrypted = { url: "backups", recipients: ["age1abc"] };
      const twice = {
        ...config,
        repositories: new Map(Object.entries({ local: { url: "backups" }, safe: encrypted })),
      };
      const resolved = (name: string) => resolveRepositorySettings(name, { config: twice, env, cwd: "/etc" });
      await expect(resolved(reference)).rejects.toMatchObject({
        code: "config",
        message: expect.stringContaining("safe"),
      });
      expect(await resolved("safe")).toEqual(expect.objectContaining({ recipients: ["age1abc"] }));
      expect((await resolved("local")).recipients).toBeUndefined();
    },
  );

  it("inside two repositories takes the settings of the nearest, and ignores duplicates with the same settings", async () => {
    const inner = { url: "s3://backups/stacks/inner", recipients: ["age1abc"] };
    const nested = { ...config, repositories: new Map(Object.entries({ offsite, again: offsite, inner })) };
    const resolved = (name: string) => resolveRepositorySettings(name, { config: nested, env, cwd: "/" });
    expect((await resolved("s3://backups/stacks/inner/a")).recipients).toEqual(["age1abc"]);
    expect((await resolved("s3://backups/stacks/outer")).recipients).toBeUndefined();
  });

  it("needs no variable of a configured repository in another bucket", async () => {
    const elsewhere = { url: "s3://elsewhere", accessKeyId: "${env:NO_SUCH}", secretAccessKey: "${env:NO_SUCH}" };
    const both = { ...config, repositories: new Map(Object.entries({ elsewhere, offsite })) };
    const settings = await resolveRepositorySettings("s3://backups/stacks/a", { config: both, env, cwd: "/" });
    expect(settings).toMatchObject({ address: "s3://backups/stacks/a", credentials });
  });

  it.each(["./backups", "/work/backups"])(
    "%s needs no variable of a repository in another folder",
    async (reference) => {
      const other = { url: "${env:ELSEWHERE}/backups", recipients: ["${env:RECIPIENT}"] };
      const beside = { url: "/work/other", recipients: ["${env:RECIPIENT}"] };
      const repositories = new Map(Object.entries({ other, beside }));
      const settings = await resolveRepositorySettings(reference, {
        config: { ...config, repositories },
        env,
        cwd: "/work",
      });
      expect(settings).toEqual({ address: "/work/backups" });
    },
  );

  it("by its path takes the settings of the repository whose address is filled in from a variable", async () => {
    const repositories = new Map(Object.entries({ home: { url: "${env:HOME}/backups", recipients: ["age1x"] } }));
    const sources = { config: { ...config, repositories }, env: { HOME: "/work" }, cwd: "/work" };
    expect(await resolveRepositorySettings("backups", sources)).toMatchObject({ recipients: ["age1x"] });
  });

  it("takes the AWS variables without the line break at their end", async () => {
    const aws = { ...env, AWS_ACCESS_KEY_ID: "a\n", AWS_SECRET_ACCESS_KEY: "b\r\n", AWS_SESSION_TOKEN: "\n" };
    const settings = await resolveRepositorySettings("s3://other", { config, env: aws, cwd: "/" });
    expect(settings.credentials).toEqual({ accessKeyId: "a", secretAccessKey: "b" });
  });

  it("takes its settings from the config before the AWS variables", async () => {
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

  it("for a folder has no object store settings, whether it is a name or a path", async () => {
    const aws = { AWS_ENDPOINT_URL: "http://all", AWS_REGION: "eu-central-1" };
    for (const reference of ["local", "/etc/backups"]) {
      expect(await resolveRepositorySettings(reference, { config, env: aws, cwd: "/" })).toEqual({
        address: "/etc/backups",
        keyFiles: {},
      });
    }
  });

  it("names the config member whose variable is not set", async () => {
    const error: unknown = await resolveRepositorySettings("offsite", { config, env: {}, cwd: "/" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: "config",
      message: expect.stringContaining("repositories.offsite.accessKeyId"),
    });
  });

  it("names the first of two members whose variables are not set, without an unhandled rejection", async () => {
    const keyless = { url: "/b", recipients: ["${env:R}", "${env:Q}"], sign: "${env:S}" };
    const both = { ...config, repositories: new Map(Object.entries({ keyless })) };
    const refused = resolveRepositorySettings("keyless", { config: both, env: {}, cwd: "/" });
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining("keyless.recipients.0") });
  });
});
