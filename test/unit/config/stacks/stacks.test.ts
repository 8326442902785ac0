import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { resolveStackSettings, type StackSources } from "../../../../src/config/stacks/stacks.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const FILE = `
defaults: { concurrency: 2, timeout: 9s }
stacks:
  production:
    variant: managed
    baseUrl: \${env:PROD_URL}/
    organizationId: org
    serviceId: svc
    keyId: \${env:PROD_KEY_ID}
    keySecret: \${file:secret.txt}
    segments: { stack: otherstack }
    rate: 10/10s
    consistencyWait: 3s
  staging:
    variant: self-hosted
    baseUrl: http://localhost:8000/api/v2
    apiKey: \${env:STAGING_KEY}
    concurrency: 8
    caFile: ca.pem
    allowHttp: true
  bare: { variant: self-hosted, baseUrl: http://localhost:9 }
  literal: { variant: self-hosted, baseUrl: http://localhost:9, apiKey: plain-text-key }
  crooked: { variant: managed, baseUrl: https://a.example, organizationId: o, serviceId: s, segments: { stack: a/b } }
  lost: { variant: self-hosted, baseUrl: http://localhost:9, apiKey: "\${file:nowhere.txt}" }
`;
const prodEnv = { PROD_URL: "https://api.example.com", PROD_KEY_ID: "id-1" };
let sources: StackSources;

beforeAll(async () => {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, "stackferry.yaml"), FILE, { mode: 0o600 });
  await writeFile(join(cwd, "secret.txt"), "from-file\n");
  await writeFile(join(cwd, "ca.pem"), "PEM");
  sources = { config: await loadConfig({ cwd }), env: {}, flags: {}, cwd };
});

describe("a named stack", () => {
  it("takes values from the environment and from files", async () => {
    expect(await resolveStackSettings("production", "from", { ...sources, env: prodEnv })).toEqual({
      stackName: "production",
      identity: { variant: "managed", baseUrl: "https://api.example.com", organizationId: "org", serviceId: "svc" },
      credential: { keyId: "id-1", keySecret: "from-file" },
      segments: { stack: "otherstack", pipes: "pipes" },
      rate: { requests: 10, perMs: 10_000 },
      timeoutMs: 9000,
      consistencyWaitMs: 3000,
      concurrency: 2,
      allowHttp: false,
      warnings: [],
    });
  });

  it("is refused if a segment of its paths is more than one", async () => {
    const env = { STACKFERRY_KEY_ID: "id", STACKFERRY_KEY_SECRET: "s" };
    await expect(resolveStackSettings("crooked", "to", { ...sources, env })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("stacks.crooked.segments.stack must be one path segment"),
    });
  });

  it("needs only the variables of its own entry, and the error names a missing variable", async () => {
    const env = { STAGING_KEY: "k" };
    const staging = await resolveStackSettings("staging", "to", { ...sources, env });
    expect(staging).toMatchObject({ credential: { apiKey: "k" }, concurrency: 8, ca: "PEM", allowHttp: true });
    expect(staging.identity.baseUrl).toBe("http://localhost:8000");
    await expect(resolveStackSettings("production", "to", { ...sources, env })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("PROD_URL"),
    });
  });

  it("with a missing file is refused by the name of the file", async () => {
    await expect(resolveStackSettings("lost", "to", sources)).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("nowhere.txt"),
    });
  });

  it("with a literal API key gets a warning that does not repeat the key", async () => {
    const { credential, warnings } = await resolveStackSettings("literal", "to", sources);
    expect(credential).toEqual({ apiKey: "plain-text-key" });
    const literal = { code: "literal-credential", message: expect.not.stringContaining("plain-text-key") };
    expect(warnings).toEqual([literal]);
    await chmod(sources.config.path ?? "", 0o640);
    const exposed = await resolveStackSettings("literal", "to", sources);
    await chmod(sources.config.path ?? "", 0o600);
    expect(exposed.warnings).toEqual([literal, { code: "open-permissions", message: expect.any(String) }]);
  });

  it("without a credential takes it from the environment", async () => {
    const env = { STACKFERRY_TO_API_KEY: "to-key", STACKFERRY_API_KEY: "key" };
    expect((await resolveStackSettings("bare", "to", { ...sources, env })).credential).toEqual({ apiKey: "to-key" });
  });

  it.each([
    ["line feed", "\n"],
    ["carriage return and line feed", "\r\n"],
    ["carriage return", "\r"],
  ])("takes a variable without the %s at its end, as a file is taken", async (_, end) => {
    const env = { STAGING_KEY: `key${end}`, STACKFERRY_API_KEY: `other${end}` };
    expect((await resolveStackSettings("staging", "to", { ...sources, env })).credential).toEqual({ apiKey: "key" });
    expect((await resolveStackSettings("bare", "to", { ...sources, env })).credential).toEqual({ apiKey: "other" });
    const empty = resolveStackSettings("staging", "to", { ...sources, env: { STAGING_KEY: end } });
    await expect(empty).rejects.toMatchObject({ code: "config", message: expect.stringContaining("STAGING_KEY") });
  });

  it("that does not exist is refused with the names that there are", async () => {
    await expect(resolveStackSettings("stagin", "to", sources)).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("production, staging"),
    });
  });
});

describe("a stack address", () => {
  const managed = "https://api.example.com/v1/organizations/org/services/svc";

  it("takes the role's variables before the common ones", async () => {
    const env = { STACKFERRY_API_KEY: "common", STACKFERRY_FROM_API_KEY: "from", STACKFERRY_TO_API_KEY: "to" };
    const keys = [];
    for (const role of ["from", "to", "any"] as const) {
      keys.push((await resolveStackSettings("http://localhost:8000", role, { ...sources, env })).credential);
    }
    expect(keys).toEqual([{ apiKey: "from" }, { apiKey: "to" }, { apiKey: "common" }]);
  });

  it("never combines the id of one key with the secret of another", async () => {
    const env = { STACKFERRY_FROM_KEY_ID: "a", STACKFERRY_KEY_ID: "b", STACKFERRY_KEY_SECRET: "s" };
    const { credential, stackName } = await resolveStackSettings(managed, "from", { ...sources, env });
    expect(credential).toEqual({ keyId: "b", keySecret: "s" });
    expect(stackName).toBe("api.example.com-svc");
  });

  it.each([
    ["http://localhost:8000", "from", ["STACKFERRY_FROM_API_KEY", "STACKFERRY_API_KEY"]],
    [managed, "to", ["STACKFERRY_TO_KEY_ID", "STACKFERRY_TO_KEY_SECRET", "STACKFERRY_KEY_ID", "STACKFERRY_KEY_SECRET"]],
  ] as const)("without a credential is refused with the names of the variables (%s)", async (address, role, names) => {
    const error: unknown = await resolveStackSettings(address, role, sources).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "config" });
    for (const name of names) expect(String(error)).toContain(name);
  });

  it("takes settings from flags before those from the environment", async () => {
    const env = { STACKFERRY_API_KEY: "k", STACKFERRY_CONSISTENCY_WAIT: "2s" };
    const flags = { concurrency: 5, timeout: 300, caFile: "ca.pem", allowHttp: true };
    const settings = await resolveStackSettings("http://localhost:8000", "any", { ...sources, env, flags });
    expect(settings).toMatchObject({
      concurrency: 5,
      timeoutMs: 300,
      consistencyWaitMs: 2000,
      ca: "PEM",
      allowHttp: true,
      stackName: "localhost-8000",
    });
  });
});
