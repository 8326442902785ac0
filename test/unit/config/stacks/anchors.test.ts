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
stacks:
  one: &cloud
    variant: managed
    baseUrl: https://api.example.com
    organizationId: org
    serviceId: svc-1
    keyId: \${env:KEY_ID}
    keySecret: \${env:KEY_SECRET}
    rate: 10/10s
    segments: { stack: otherstack }
  two: { <<: *cloud, serviceId: svc-2, concurrency: 3, rate: 5/1m }
  local: { variant: self-hosted, baseUrl: "http://localhost:8000", apiKey: "\${env:KEY_ID}" }
`;
const env = { KEY_ID: "id-12345", KEY_SECRET: "secret-12345" };

describe("an anchor", () => {
  it("supplies the members that another stack lacks", async () => {
    const shared = {
      credential: { keyId: "id-12345", keySecret: "secret-12345" },
      segments: { stack: "otherstack", pipes: "pipes" },
      timeoutMs: 7000,
    };
    expect(await resolved(FLEET, "one", env)).toMatchObject({
      ...shared,
      identity: { variant: "managed", baseUrl: "https://api.example.com", organizationId: "org", serviceId: "svc-1" },
      rate: { requests: 10, perMs: 10_000 },
      concurrency: 2,
    });
    expect(await resolved(FLEET, "two", env)).toMatchObject({
      ...shared,
      identity: { variant: "managed", baseUrl: "https://api.example.com", organizationId: "org", serviceId: "svc-2" },
      rate: { requests: 5, perMs: 60_000 },
      concurrency: 3,
    });
  });

  it("can be shared by hundreds of stacks", async () => {
    const more = Array.from({ length: 500 }, (_, index) => `  s${index}: { <<: *cloud, serviceId: s${index} }\n`);
    expect((await resolved(FLEET + more.join(""), "s499", env)).identity).toMatchObject({ serviceId: "s499" });
  });

  it.each([
    ["one that does not exist", "stacks:\n  a: { <<: *S3CRET, variant: self-hosted }\n", "YAML", undefined],
    ["one that is no mapping", "stacks:\n  a: { variant: &v S3CRET }\n  b: { <<: *v }\n", "", undefined],
    [
      "a member of the other variant from it",
      "stacks:\n  a: &a { keyId: S3CRET }\n  b:\n    <<: *a\n    variant: self-hosted\n    baseUrl: http://h\n",
      "stacks.b",
      3,
    ],
    [
      "a stack that is incomplete even with it",
      "stacks:\n  a: &a { variant: managed, serviceId: s }\n  b: { <<: *a, baseUrl: http://h }\n",
      "stacks.b.organizationId",
      3,
    ],
  ])("is checked: %s is refused by member and line, without its value", async (_, text, member, line) => {
    const error: unknown = await configOf(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "config" });
    const told = JSON.stringify([String(error), Object(error).faults]);
    expect(told).toContain(member);
    if (line !== undefined) expect(told).toContain(`yaml:${line}:`);
    expect(told).not.toContain("S3CRET");
  });

  it("cannot set the prototype of a stack", async () => {
    const text = "stacks:\n  a: &a { __proto__: { variant: self-hosted } }\n  b: { <<: *a, baseUrl: http://h }\n";
    await expect(configOf(text)).rejects.toMatchObject({ code: "config" });
  });
});

it("a rate or a duration is no variable", async () => {
  const text = FLEET.replace("rate: 5/1m", 'rate: "${env:SLOW_RATE}"');
  await expect(resolved(text, "two", { ...env, SLOW_RATE: "5/1m" })).rejects.toMatchObject({
    code: "config",
    message: expect.stringContaining("stacks.two.rate: expected a rate"),
  });
});
