import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig, type Config } from "../../../../src/config/load-config.ts";
import type { StackSettings } from "../../../../src/config/stacks/stack-settings.ts";
import { resolveStackSettings } from "../../../../src/config/stacks/stacks.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

async function configOf(text: string): Promise<Config> {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, "stackferry.yaml"), text, { mode: 0o600 });
  return loadConfig({ cwd });
}

async function resolved(text: string, name: string, env: Record<string, string> = {}): Promise<StackSettings> {
  const config = await configOf(text);
  return resolveStackSettings(name, "any", { config, env, flags: {}, cwd: "/" });
}

const FLEET = `
defaults: { concurrency: 2, timeout: 7s }
profiles:
  cloud:
    variant: managed
    baseUrl: https://api.example.com
    organizationId: org
    keyId: \${env:KEY_ID}
    keySecret: \${env:KEY_SECRET}
    rate: 10/10s
    segments: { stack: otherstack }
  slow: { rate: 5/1m, concurrency: 1 }
  spare: { allowHttp: true }
stacks:
  one: { extends: cloud, serviceId: svc-1 }
  two: { extends: [cloud, slow], serviceId: svc-2, concurrency: 3 }
  local: { variant: self-hosted, baseUrl: "http://localhost:8000", apiKey: "\${env:KEY_ID}" }
`;
const env = { KEY_ID: "id-12345", KEY_SECRET: "secret-12345" };

describe("a profile", () => {
  it("supplies the members that a stack lacks, and a later profile overrides an earlier one", async () => {
    expect(await resolved(FLEET, "one", env)).toMatchObject({
      identity: { variant: "managed", baseUrl: "https://api.example.com", organizationId: "org", serviceId: "svc-1" },
      credential: { keyId: "id-12345", keySecret: "secret-12345" },
      segments: { stack: "otherstack", pipes: "pipes" },
      rate: { requests: 10, perMs: 10_000 },
      concurrency: 2,
      timeoutMs: 7000,
    });
    expect(await resolved(FLEET, "two", env)).toMatchObject({
      identity: { serviceId: "svc-2" },
      rate: { requests: 5, perMs: 60_000 },
      concurrency: 3,
    });
  });

  it.each([
    [
      "a profile that does not exist",
      "stacks:\n  a: { extends: S3CRET, variant: self-hosted, baseUrl: http://h }\n",
      "stacks.a.extends",
      2,
    ],
    ["a member that is not in the schema", "profiles:\n  p:\n    apikey: S3CRET\nstacks: {}\n", "profiles.p", 3],
    ["a wrong value in a profile", "profiles:\n  p:\n    rate: S3CRET\nstacks: {}\n", "profiles.p.rate", 3],
    [
      "a member of the other variant from a profile",
      "profiles:\n  p: { keyId: S3CRET }\nstacks:\n  a:\n    extends: p\n    variant: self-hosted\n    baseUrl: http://h\n",
      "stacks.a",
      4,
    ],
    [
      "a stack that is incomplete even with its profiles",
      "profiles:\n  p: { variant: managed, serviceId: s }\nstacks:\n  a: { extends: p, baseUrl: http://h }\n",
      "stacks.a.organizationId",
      4,
    ],
    [
      "an extends that is a number",
      "stacks:\n  a: { extends: 5, variant: self-hosted, baseUrl: http://h }\n",
      "stacks.a.extends",
      2,
    ],
  ])("is checked: %s is refused by member and line, without its value", async (_, text, member, line) => {
    const error: unknown = await configOf(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "config" });
    expect(String(error)).toContain(member);
    expect(String(error)).toContain(`yaml:${line}:`);
    expect(String(error)).not.toContain("S3CRET");
  });

  it("cannot set the prototype of a stack", async () => {
    const text =
      "profiles:\n  p: { __proto__: { variant: self-hosted } }\nstacks:\n  a: { extends: p, baseUrl: http://h }\n";
    await expect(configOf(text)).rejects.toMatchObject({ code: "config" });
  });
});

it("a rate or a duration is no variable", async () => {
  const text = FLEET.replace("rate: 5/1m", 'rate: "${env:SLOW_RATE}"');
  await expect(resolved(text, "two", { ...env, SLOW_RATE: "5/1m" })).rejects.toMatchObject({
    code: "config",
    faults: [
      expect.stringContaining("profiles.slow.rate: expected a rate"),
      expect.stringContaining("stacks.two.rate: expected a rate"),
    ],
  });
});
