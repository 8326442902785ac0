import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { backupFixture } from "../support/backup-fixture.ts";
import { documentOf } from "../support/run-cli.ts";

const selfHosted = () => startSandbox({ variant: "self-hosted", seed: "sample" });
const managed = () => startSandbox({ variant: "managed", seed: "sample" });

/** The configuration of one stack, `production`. */
function stackYaml(members: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(members).map(([name, value]) => `    ${name}: ${JSON.stringify(value ?? "")}\n`);
  return `stacks:\n  production:\n${lines.join("")}`;
}

const asManaged = ({ url, stack, keyId, keySecret }: Sandbox): Record<string, string | undefined> => {
  const [, organizationId, serviceId] = /organizations\/([^/]+)\/services\/([^/]+)/.exec(stack) ?? [];
  return { variant: "managed", baseUrl: url, organizationId, serviceId, keyId, keySecret };
};

describe.each<[string, () => Promise<Sandbox>, (sandbox: Sandbox) => string, RegExp]>([
  [
    "with a path too many",
    selfHosted,
    ({ url, apiKey }) => stackYaml({ variant: "self-hosted", baseUrl: `${url}/api`, apiKey }),
    /a path and should have none: try http:\/\/127/,
  ],
  [
    "of a managed server, configured as self-hosted",
    managed,
    ({ url, keySecret }) => stackYaml({ variant: "self-hosted", baseUrl: url, apiKey: keySecret }),
    /is it a managed stack/,
  ],
  [
    "of a self-hosted server, configured as managed",
    selfHosted,
    ({ url, apiKey }) =>
      stackYaml({
        variant: "managed",
        baseUrl: url,
        organizationId: "o",
        serviceId: "s",
        keyId: "k",
        keySecret: apiKey,
      }),
    /is it a self-hosted stack/,
  ],
  [
    "with another word for the stack's segment",
    managed,
    (sandbox) => `${stackYaml(asManaged(sandbox))}    segments: { stack: otherstack }\n`,
    /segments\.stack/,
  ],
  [
    "of another service",
    managed,
    (sandbox) => stackYaml({ ...asManaged(sandbox), serviceId: "00000000-0000-4000-8000-000000000000" }),
    /serviceId/,
  ],
])("an address %s", (_, start, yaml, mistake) => {
  it("is not the API (exit 6): nothing is exported, stored, pruned, planned or called well", async () => {
    await using good = await selfHosted();
    await using other = await start();
    const fixture = await backupFixture({ production: good });
    const { cwd, repository, run, json } = fixture;
    expect(await json("backup production --to place")).toMatchObject({ exitCode: 0 });
    expect((await run("export --from production --out good.zip --quiet")).exitCode).toBe(0);
    const stored = await readdir(join(repository, "production"));

    await writeFile(join(cwd, "stackferry.yaml"), yaml(other));
    const doctor = await json("doctor production");
    // The list of pipes, which another segment does not move, proves the key all the same.
    const accepted = mistake.source.includes("segments");
    expect(doctor).toMatchObject({ exitCode: 6, stacks: [{ accepted, error: { code: "protocol" } }] });
    const backup = await run("backup production --to place --keep-last 1");
    expect(backup.exitCode).toBe(6);
    const [archive = ""] = stored.filter((name) => name.endsWith(".zip"));
    expect(await readdir(join(repository, "production"))).toContain(archive);
    expect((await readdir(join(repository, "production"))).filter((name) => name.endsWith(".zip"))).toEqual([archive]);
    const exported = await run("export --from production --out bad.zip --allow-partial --json");
    expect(documentOf(exported)).toMatchObject({
      exitCode: 6,
      error: {
        code: "protocol",
        message: expect.stringContaining("this is not the API"),
        hint: expect.stringMatching(mistake),
      },
    });
    expect(await readdir(cwd)).not.toContain("bad.zip");
    const planned = await run("import good.zip --to production --dry-run --json");
    expect(documentOf(planned)).toMatchObject({ exitCode: 6, error: { code: "protocol" } });
  });
});
