import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";

import { recordsOn } from "../support/on-stack.ts";
import { callSandbox } from "../support/read-sandbox.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { z } from "zod";

const root = fileURLToPath(new URL("../../", import.meta.url));
const samples = join(root, "samples");
const execute = promisify(execFile);

interface Shell {
  readonly cwd: string;
  /** Runs a shell script, and returns its exit code and output. `gh` writes its arguments into a file, and answers as GitHub does. */
  readonly sh: (script: string, env?: Readonly<Record<string, string>>) => Promise<{ code: number; stdout: string }>;
}

/** Stands in for `gh`: the commit 3e1 merged the pull request 7. Somebody else has written a comment with another plan. */
const GH = `#!/bin/sh
echo "$@" >> gh.log
comment() { jq -Rs --arg login "$1" '{user: {login: $login}, body: .}'; }
case "$*" in
  "api repos/our/stack/commits/3e1/pulls "*) echo '[{"merge_commit_sha":"3e1","number":7}]' | jq "$4" ;;
  "api --paginate repos/our/stack/issues/7/comments "*)
    { comment "github-actions[bot]" < plan.md; sed '$s/[0-9a-f]/0/g' plan.md | comment somebody; } | jq -s . | jq -r "$5" ;;
  "pr comment 7 "*) ;;
  *) exit 1 ;;
esac
`;

/**
 * Creates a repository with the sample's files in `stack` and a configuration with two stacks. The built program is on the
 * PATH.
 */
async function repository(production: Sandbox, staging: Sandbox = production): Promise<Shell> {
  const cwd = temporaryFolder();
  await cp(join(samples, "dashboards-as-code"), join(cwd, "stack"), { recursive: true });
  await cp(join(samples, "shell"), join(cwd, "ci"), { recursive: true });
  const stack = ({ url }: Sandbox, key: string): object => ({
    variant: "self-hosted",
    baseUrl: url,
    apiKey: `\${env:${key}}`,
  });
  const transforms = { rename: [{ from: "*", to: "[staging] *" }], leaveOut: { alerts: ["Checkout *"] } };
  const stacks = {
    production: stack(production, "PROD_KEY_ID"),
    staging: { ...stack(staging, "STAGING_KEY"), transforms },
  };
  await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks }), { mode: 0o600 });
  await mkdir(join(cwd, "bin"));
  await mkdir(join(cwd, "temp"));
  const program = `exec '${process.execPath}' '${join(root, "bin/stackferry.js")}' "$@"`;
  await writeFile(join(cwd, "bin/stackferry"), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  await writeFile(join(cwd, "bin/gh"), GH, { mode: 0o755 });
  const keys = { PROD_KEY_ID: production.apiKey ?? "", STAGING_KEY: staging.apiKey ?? "" };
  const github = { GITHUB_REPOSITORY: "our/stack", GITHUB_SHA: "3e1", RUNNER_TEMP: join(cwd, "temp") };
  const state = { XDG_STATE_HOME: join(cwd, "home"), GITHUB_STEP_SUMMARY: join(cwd, "summary.md"), ...github };
  const base = { PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`, ...keys, ...state };
  const sh: Shell["sh"] = (script, env = {}) =>
    execute("sh", ["-ec", script], { cwd, env: { ...base, ...env } }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
  return { cwd, sh };
}

async function replaceIn(path: string, from: string, to: string): Promise<void> {
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

const namesOf = async (sandbox: Sandbox, kind: string): Promise<string[]> =>
  // The API gives some alerts no name: null.
  (await recordsOn(sandbox, kind)).map(({ name }) => [name].join("")).toSorted();

/** Renames the first dashboard of a stack, as a user does by hand. */
async function rename(sandbox: Sandbox, name: string): Promise<void> {
  const [board] = await recordsOn(sandbox, "dashboards");
  await callSandbox(sandbox, "PUT", `dashboards/${board?.id}`, { ...board, name });
}

describe("samples/shell", () => {
  it("plans, applies, recognises a renamed dashboard, and finds a change made by hand", async () => {
    await using production = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const { cwd, sh } = await repository(production);
    const plan = await sh("sh ci/plan.sh");
    expect(plan.code).toBe(0);
    expect(plan.stdout).toMatch(/^- `\+` create 2 dashboards: Payments/m);
    expect(await namesOf(production, "dashboards")).toEqual([]);
    expect((await sh("sh ci/apply.sh")).code).toBe(0);
    expect(await namesOf(production, "dashboards")).toEqual(["Payments", "Payments providers"]);
    expect((await sh("sh ci/drift.sh")).code).toBe(0);
    await replaceIn(
      join(cwd, "stack/dashboards/payments-providers.yaml"),
      "name: Payments providers",
      "name: Providers",
    );
    await replaceIn(
      join(cwd, "stack/dashboards/payments.yaml"),
      "dashboards/Payments providers}",
      "dashboards/Providers}",
    );
    expect((await sh("sh ci/plan.sh")).stdout).toMatch(/^- `~` update .*Providers/m);
    expect((await sh("sh ci/apply.sh")).code).toBe(0);
    expect(await namesOf(production, "dashboards")).toEqual(["Payments", "Providers"]);
    await rename(production, "By hand");
    const drift = await sh("sh ci/drift.sh");
    expect([drift.code, drift.stdout.includes("edited")]).toEqual([10, true]);
    const applied = await sh("sh ci/apply.sh");
    expect([applied.code, applied.stdout.includes('"By hand"')]).toEqual([0, true]);
    expect((await sh("sh ci/drift.sh")).code).toBe(0);
    expect(await namesOf(production, "dashboards")).toEqual(["Payments", "Providers"]);
    await replaceIn(join(cwd, "stack/dashboards/payments.yaml"), "source: Logs", "source: Lgos");
    // All other files depend on this one, so nothing is applied.
    expect((await sh("sh ci/plan.sh")).code).toBe(2);
  });

  it("seeds staging under other names, and writes nothing the second night", async () => {
    await using production = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using staging = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const { sh } = await repository(production, staging);
    // There is no journal yet, but nothing that the mirror could delete either.
    expect((await sh("sh ci/seed-staging.sh")).code).toBe(0);
    const boards = await namesOf(staging, "dashboards");
    expect(boards).toEqual((await namesOf(production, "dashboards")).map((name) => `[staging] ${name}`));
    const alerts = await namesOf(staging, "alerts");
    expect([alerts.length > 0, alerts.some((name) => name.startsWith("[staging] Checkout "))]).toEqual([true, false]);
    await rename(production, "Renamed in production");
    expect((await sh("sh ci/seed-staging.sh")).code).toBe(0);
    expect(await namesOf(staging, "dashboards")).toContain("[staging] Renamed in production");
    expect(await namesOf(staging, "dashboards")).toHaveLength(boards.length);
    const { byRoute } = staging.stats();
    expect((await sh("sh ci/seed-staging.sh")).code).toBe(0);
    const writes = (routes: Readonly<Record<string, number>>) =>
      Object.entries(routes).filter(([route]) => /^(?:POST|PUT|DELETE) (?!.*validate)/.test(route));
    expect(writes(staging.stats().byRoute)).toEqual(writes(byRoute));
    const gone = (await recordsOn(production, "dashboards")).find(({ name }) => name === "Database health");
    await callSandbox(production, "DELETE", `dashboards/${gone?.id}`);
    expect((await sh("sh ci/seed-staging.sh")).code).toBe(0);
    expect(await namesOf(staging, "dashboards")).not.toContain("[staging] Database health");
    expect(await namesOf(staging, "dashboards")).toHaveLength(boards.length - 1);
  });
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

describe("samples/github-actions", () => {
  /** Runs the commands of a job, except the installation. */
  async function runJob(file: string, job: string, { sh }: Shell): Promise<number[]> {
    const { jobs } = parse(await readFile(join(samples, "github-actions", file), "utf8")) as Workflow;
    const codes: number[] = [];
    for (const { run, uses, env = {} } of jobs[job]?.steps ?? []) {
      expect([run, uses].filter((each) => each !== undefined)).toHaveLength(1);
      if (run === undefined || run.includes("npm install")) continue;
      const others = Object.keys(env).filter((name) => !name.startsWith("PROD_"));
      const values = Object.fromEntries(others.map((name) => [name, "7"]));
      codes.push((await sh(run, values)).code);
    }
    return codes;
  }

  it("plans on a pull request, applies on a merge, and reports drift", async () => {
    await using production = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const shell = await repository(production);
    expect(await runJob("dashboards.yaml", "plan", shell)).toEqual([0, 0]);
    expect(await readFile(join(shell.cwd, "plan.md"), "utf8")).toMatch(/^- `\+` create 2 alerts: .*Payments fail/m);
    expect(await readFile(join(shell.cwd, "gh.log"), "utf8")).toContain("pr comment 7");
    expect(await namesOf(production, "dashboards")).toEqual([]);
    expect(await runJob("dashboards.yaml", "apply", shell)).toEqual([0, 0]);
    expect(await namesOf(production, "alerts")).toEqual(["Payments are slow", "Payments fail"]);
    const journals = (await readdir(join(shell.cwd, ".stackferry"))).filter((name) => name.endsWith(".journal"));
    expect(journals).toEqual([expect.stringMatching(/^stack--/)]);
    expect(await runJob("drift.yaml", "drift", shell)).toEqual([0]);
    await rename(production, "By hand");
    expect(await runJob("drift.yaml", "drift", shell)).toEqual([10]);
    expect(await readFile(join(shell.cwd, "summary.md"), "utf8")).toContain("edited");
  });
});

describe("samples/kubernetes", () => {
  const load = async (name: string) =>
    kubernetesManifest.parse(parse(await readFile(join(samples, "kubernetes", name), "utf8")));

  it("are manifests that a strict API server accepts", async () => {
    for (const name of await readdir(join(samples, "kubernetes"))) await load(name);
  });

  it.skipIf(!existsSync("/usr/bin/kubectl"))("are read by kubectl", async () => {
    for (const name of await readdir(join(samples, "kubernetes"))) {
      if (!name.endsWith("cronjob.yaml")) continue;
      const args = ["set", "image", "--local", "-f", join(samples, "kubernetes", name), "stackferry=x", "-o", "name"];
      expect((await execute("kubectl", args)).stdout).toMatch(/^cronjob\.batch\/stackferry/);
    }
  });

  it("apply the files from the ConfigMaps of services, once", async () => {
    await using production = await startSandbox({ variant: "self-hosted", seed: "bare" });
    const map = await load("dashboards-configmap.yaml");
    const job = await load("apply-cronjob.yaml");
    if (map.kind !== "ConfigMap" || job.kind !== "CronJob") throw new Error("the samples are something else");
    const { volumes, containers } = job.spec.jobTemplate.spec.template.spec;
    expect(volumes).toContainEqual({ name: "payments", configMap: { name: map.metadata.name, optional: true } });
    const cwd = temporaryFolder();
    await mountConfigMap(join(cwd, "stack/payments"), map.data);
    await mkdir(join(cwd, "stack/checkout"));
    const apiKey = production.apiKey ?? "";
    const stacks = { production: { variant: "self-hosted", baseUrl: production.url, apiKey: "${env:PROD_KEY_ID}" } };
    await writeFile(join(cwd, "stackferry.yaml"), JSON.stringify({ stacks }), { mode: 0o600 });
    const places: Readonly<Record<string, string>> = {
      "/etc/stackferry": cwd,
      "/stack": join(cwd, "stack"),
      "/var/lib/stackferry": join(cwd, "volume"),
    };
    const args = (containers[0]?.args ?? []).map((word) =>
      word.replace(/(?<=^|=)(?:\/etc\/stackferry|\/stack|\/var\/lib\/stackferry)/, (place) => places[place] ?? place),
    );
    const run = async () => runCli(args, { cwd, env: { PROD_KEY_ID: apiKey } });
    const first = await run();
    expect(first.exitCode, first.stderr).toBe(0);
    expect(await namesOf(production, "dashboards")).toEqual(["Payments"]);
    expect(await namesOf(production, "alerts")).toEqual(["Payments fail"]);
    const { byRoute } = production.stats();
    const second = await run();
    expect(second.exitCode, second.stderr).toBe(0);
    expect([production.stats().byRoute["POST dashboards"], byRoute["POST dashboards"]]).toEqual([1, 1]);
    await writeFile(
      join(cwd, "stack/payments/..data/payments-fail.yaml"),
      (map.data["payments-fail.yaml"] ?? "").replace("threshold: 20", "threshold: 30"),
    );
    expect((await run()).exitCode).toBe(0);
    const threshold = async () => (await recordsOn(production, "alerts"))[0]?.["threshold"];
    expect(await threshold()).toBe(30);
    // The next pod finds the journal on the volume.
    const undo = ["rollback", "--to", "production", "--run", "2", "--journals", join(cwd, "volume/journals"), "--yes"];
    const undone = await runCli(undo, { cwd, env: { PROD_KEY_ID: apiKey } });
    expect(undone.exitCode, undone.stderr).toBe(0);
    expect(await threshold()).toBe(20);
    await rm(join(cwd, "volume"), { recursive: true });
    expect((await run()).exitCode).toBe(0);
    expect(await threshold()).toBe(30);
  });
});

/** Mounts a ConfigMap as the kubelet does: files are links into a folder that is itself a link. */
async function mountConfigMap(path: string, data: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(path, "..2026_01_01"), { recursive: true });
  await symlink("..2026_01_01", join(path, "..data"));
  for (const [key, text] of Object.entries(data)) {
    await writeFile(join(path, "..data", key), text);
    await symlink(join("..data", key), join(path, key));
  }
}

/**
 * These schemas refuse unknown members, as an API server does with `--validate=strict`. They describe only what the samples
 * use.
 */
const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const quantity = z.union([z.string().regex(/^\d+(?:m|Ki|Mi|Gi)?$/), z.int()]);
const resources = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() });
const metadata = z.strictObject({ name, labels: z.record(z.string(), z.string()).optional() });
const cron = z.string().regex(/^(?:(?:\*|\d+(?:-\d+)?)(?:\/\d+)?(?: (?=\S)|$)){5}$/);

const container = z.strictObject({
  name,
  image: z.string().min(1),
  command: z.array(z.string()).optional(),
  args: z.array(z.string()),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name }) })).optional(),
  workingDir: z.string().startsWith("/").optional(),
  volumeMounts: z.array(
    z.strictObject({ name, mountPath: z.string().startsWith("/"), readOnly: z.boolean().optional() }),
  ),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.array(z.literal("ALL")) }),
  }),
  resources: z.strictObject({ requests: resources.optional(), limits: resources.optional() }),
});

const volume = z.union([
  z.strictObject({ name, configMap: z.strictObject({ name, optional: z.boolean().optional() }) }),
  z.strictObject({ name, secret: z.strictObject({ secretName: name }) }),
  z.strictObject({ name, emptyDir: z.strictObject({}) }),
  z.strictObject({ name, persistentVolumeClaim: z.strictObject({ claimName: name }) }),
]);

const pod = z
  .strictObject({
    restartPolicy: z.enum(["Never", "OnFailure"]),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.strictObject({
      runAsNonRoot: z.literal(true),
      runAsUser: z.int().min(1),
      fsGroup: z.int().min(1).optional(),
      seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
    }),
    containers: z.array(container).min(1),
    volumes: z.array(volume),
  })
  .refine(
    ({ containers, volumes }) => {
      const mounted = containers.flatMap(({ volumeMounts }) => volumeMounts.map((mount) => mount.name));
      return mounted.every((each) => volumes.some((known) => known.name === each));
    },
    { message: "a mount names no volume" },
  );

const job = z.strictObject({
  completionMode: z.literal("Indexed").optional(),
  completions: z.int().optional(),
  parallelism: z.int().optional(),
  backoffLimit: z.int().optional(),
  backoffLimitPerIndex: z.int().optional(),
  maxFailedIndexes: z.int().optional(),
  activeDeadlineSeconds: z.int().optional(),
  template: z.strictObject({ spec: pod }),
});

const cronJob = z.strictObject({
  apiVersion: z.literal("batch/v1"),
  kind: z.literal("CronJob"),
  metadata,
  spec: z.strictObject({
    schedule: cron,
    timeZone: z.string().optional(),
    concurrencyPolicy: z.literal("Forbid"),
    startingDeadlineSeconds: z.int().optional(),
    jobTemplate: z.strictObject({ spec: job }),
  }),
});

const configMap = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("ConfigMap"),
  metadata,
  data: z.record(z.string().regex(/^[-._a-zA-Z0-9]{1,253}$/), z.string()),
});

/** Accepts the samples' manifests as an API server would. */
const kubernetesManifest = z.discriminatedUnion("kind", [cronJob, configMap]);
