import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { startSandbox, type SandboxVariant } from "../support/start-sandbox.ts";
import { programWithBackups, oneDashboardStack, type ProgramWithBackups } from "../support/program-with-backups.ts";
import { configuredStacks } from "../support/configured-stacks.ts";

/** The members of a stack in the configuration file. */
type Members = Readonly<Record<string, unknown>>;

let fixture: ProgramWithBackups;
const backups = () => readdir(join(fixture.repository, "production"));

beforeAll(async () => {
  await using production = await oneDashboardStack();
  fixture = await programWithBackups({ production });
  expect(await fixture.json("backup production --to place")).toMatchObject({ exitCode: 0 });
  expect((await fixture.run("export --from production --out good.zip --quiet")).exitCode).toBe(0);
});

it.each<[string, SandboxVariant, (own: Members) => Members, RegExp]>([
  [
    "with a path too many",
    "self-hosted",
    (own) => ({ ...own, baseUrl: `${String(own["baseUrl"])}/api` }),
    /a path and should have none: try http:\/\/127/,
  ],
  [
    "of a managed server, configured as self-hosted",
    "managed",
    ({ baseUrl, keySecret }) => ({ variant: "self-hosted", baseUrl, apiKey: keySecret }),
    /If this is a managed stack/,
  ],
  [
    "of a self-hosted server, configured as managed",
    "self-hosted",
    ({ baseUrl, apiKey: keySecret }) => {
      return { variant: "managed", baseUrl, organizationId: "o", serviceId: "s", keyId: "k", keySecret };
    },
    /If this is a self-hosted stack/,
  ],
  [
    "with another word for the stack's segment",
    "managed",
    (own) => ({ ...own, segments: { stack: "otherstack" } }),
    /segments\.stack/,
  ],
  [
    "of another service",
    "managed",
    (own) => ({ ...own, serviceId: "00000000-0000-4000-8000-000000000000" }),
    /serviceId/,
  ],
])(
  "an address %s is not the API (exit 6): nothing is exported, stored, pruned, planned or called well",
  async (_, variant, membersOf, mistake) => {
    const stored = await backups();
    await using other = await startSandbox({ variant, seed: "bare" });
    const { stacks, env } = configuredStacks({ production: other });
    const config = { stacks: { production: membersOf(stacks["production"] ?? {}) } };
    await writeFile(join(fixture.cwd, "stackferry.yaml"), JSON.stringify(config));
    const json = (line: string) => fixture.json(line, { env });
    // The list of pipes does not depend on the wrong segment, so the stack has still accepted the key.
    const accepted = mistake.source.includes("segments");
    expect(await json("doctor production")).toMatchObject({
      exitCode: 6,
      stacks: [{ accepted, error: { code: "protocol" } }],
    });
    expect(await json("backup production --to place --keep-last 1")).toMatchObject({ exitCode: 6 });
    expect(await backups()).toEqual(stored);
    expect(await json("export --from production --out bad.zip --allow-partial")).toMatchObject({
      exitCode: 6,
      error: {
        code: "protocol",
        message: expect.stringContaining("this is not the API"),
        hint: expect.stringMatching(mistake),
      },
    });
    expect(await readdir(fixture.cwd)).not.toContain("bad.zip");
    expect(await json("import good.zip --to production --dry-run")).toMatchObject({
      exitCode: 6,
      error: { code: "protocol" },
    });
  },
);

it("an export of a stack without dashboards and alerts says so, also with --quiet", async () => {
  await using bare = await startSandbox({ variant: "self-hosted", seed: "bare" });
  const { stacks, env } = configuredStacks({ bare });
  const config = join(fixture.cwd, "bare.yaml");
  await writeFile(config, `stacks: ${JSON.stringify(stacks)}\n`, { mode: 0o600 });
  const run = (more: string) => fixture.run(`export --from bare --config ${config} ${more}`, { env });
  expect((await run("--out bare.zip --quiet")).stderr).toContain("no dashboards and no alerts");
  expect((await run("--out sources.zip --kinds sources --quiet")).stderr).toBe("");
});
