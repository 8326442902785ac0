import { execFile } from "node:child_process";
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startSandbox, type SandboxVariant } from "../../src/sandbox/start-sandbox.ts";
import { recordsOn } from "../support/on-stack.ts";
import { programForOneStack, programFor, webhookMap } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const samples = fileURLToPath(new URL("../../samples/", import.meta.url));
// An import writes its journal next to the archive, so the samples are copied out of the repository.
const starter = join(temporaryFolder(), "starter");
await cp(join(samples, "starter"), starter, { recursive: true });

describe("samples/stackferry.yaml", () => {
  it("describes two stacks that can be used as they stand", async () => {
    await using production = await startSandbox({
      variant: "managed",
      organizationId: "5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f",
      serviceId: "0b7d4a52-8e1f-4f0a-9d0e-7a1b2c3d4e5f",
    });
    await using staging = await startSandbox({ variant: "self-hosted" });
    const env = { PROD_KEY_ID: production.keyId ?? "", PROD_KEY_SECRET: production.keySecret ?? "" };
    const { cwd, json } = programFor({}, env);
    const text = await readFile(join(samples, "stackferry.yaml"), "utf8");
    const local = text.replace("https://api.example.com", production.url).replace("http://localhost:8000", staging.url);
    expect(local).not.toContain("example.com");
    await writeFile(join(cwd, "stackferry.yaml"), local);
    await mkdir(join(cwd, "secrets"));
    await writeFile(join(cwd, "secrets", "staging-key"), `${staging.apiKey ?? ""}\n`);
    const stacks = [{ accepted: true }, { accepted: true }];
    expect(await json("doctor production staging")).toMatchObject({ exitCode: 0, warnings: [], stacks });
  });
});

describe("samples/starter", () => {
  it("is a sound archive", async () => {
    expect(await programFor().json(`verify ${starter}`)).toMatchObject({
      exitCode: 0,
      problems: [],
      dangling: [],
      records: 15,
    });
  });

  it.each(["self-hosted", "managed"] satisfies SandboxVariant[])("goes onto a bare %s stack", async (variant) => {
    await using program = await programForOneStack({ variant, seed: "bare" });
    const { stack, cwd, json } = program;
    const webhooks = await readdir(join(starter, "webhooks"));
    const bodies = await Promise.all(webhooks.map((name) => readFile(join(starter, "webhooks", name), "utf8")));
    const from = { webhooks: bodies.map((body): { id: string; name: string } => JSON.parse(body)) };
    await writeFile(join(cwd, "map.yaml"), webhookMap(from, stack));
    const imported = await json(`import ${starter} --to $STACK --map map.yaml`);
    expect(imported).toMatchObject({ exitCode: 0, counts: { create: 7 } });
  });
});

describe("samples/map.yaml", () => {
  it("sends the pager's alerts to the chat channel", async () => {
    await using program = await programForOneStack({ variant: "self-hosted", seed: "bare" });
    const { stack, run } = program;
    expect((await run(`import ${starter} --to $STACK --map ${samples}map.yaml --quiet`)).exitCode).toBe(0);
    const alerts = JSON.stringify(await recordsOn(stack, "alerts"));
    const idOf = (name: string): string => stack.webhooks.find((webhook) => webhook.name === name)?.id ?? name;
    expect(alerts).toContain(idOf("oncall-slack"));
    expect(alerts).not.toContain(idOf("pager"));
  });
});

it("samples/library.mjs exports a stack, imports it into another and prints the records", async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(samples, "library.mjs")]);
  expect(stdout).toMatch(/^[0-9a-f]{12}: 25 records created on the managed stack\n$/);
  expect(stderr).toBe("");
});

it("every sample is executed by a test", async () => {
  // A new sample needs a test, here or in a file of its own, before it is added to this list.
  expect((await readdir(samples)).sort()).toEqual([
    "Dockerfile",
    "dashboards-as-code",
    "fleet.yaml",
    "github-actions",
    "kubernetes",
    "library.mjs",
    "map.yaml",
    "promotion",
    "schedules",
    "shell",
    "stackferry.yaml",
    "starter",
  ]);
  const nested = ["github-actions", "kubernetes", "schedules", "shell"].map((folder) => readdir(join(samples, folder)));
  expect((await Promise.all(nested)).flat().sort()).toEqual([
    "apply-cronjob.yaml",
    "apply.sh",
    "copy-service.sh",
    "cronjob.yaml",
    "dashboards-configmap.yaml",
    "dashboards.yaml",
    "drift.sh",
    "drift.yaml",
    "fleet-cronjob.yaml",
    "plan.sh",
    "seed-staging.sh",
    "seed-staging.yaml",
    "stackferry-backup.service",
    "stackferry-backup.timer",
    "stackferry.cron",
  ]);
});

describe("samples/dashboards-as-code", () => {
  it("goes onto a stack kind by kind, once, and a changed threshold after it", async () => {
    await using program = await programForOneStack({ variant: "self-hosted", seed: "bare" });
    const { stack, cwd, json } = program;
    await cp(join(samples, "dashboards-as-code"), join(cwd, "payments"), { recursive: true });
    const apply = (flags = "") => json(`apply payments --to $STACK ${flags}`);
    expect(await apply("--kinds dashboards")).toMatchObject({ exitCode: 0, counts: { create: 2 } });
    expect(await apply()).toMatchObject({ exitCode: 0, counts: { create: 2, unchanged: 2 } });
    expect(stack.stored().dashboards).toHaveLength(2);
    expect(await apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 4 } });
    const alert = join(cwd, "payments/alerts/payments-fail.yaml");
    await writeFile(alert, (await readFile(alert, "utf8")).replace("threshold: 20", "threshold: 30"));
    expect(await apply()).toMatchObject({ exitCode: 0, counts: { unchanged: 3, update: 1 } });
    const [board] = stack.stored().dashboards.filter(({ name }) => name === "Payments providers");
    expect(JSON.stringify(stack.stored().dashboards)).toContain(`See ${board?.id} for the others`);
    expect(new Set(stack.stored().alerts.map(({ threshold }) => threshold))).toEqual(new Set([30, 900]));
  });
});
