import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseCommandLine } from "../../src/cli/program/parse.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { programWithBackups } from "../support/program-with-backups.ts";
import { commandWords, stackferryCommands } from "../support/command-words.ts";
import { root } from "../support/documents.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { programFor } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const text = (path: string): Promise<string> => readFile(join(root, path), "utf8");

/** Expects that the program can parse each of these command lines. Runs none of them. */
async function expectToParse(commands: readonly (readonly string[])[]): Promise<void> {
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) expect(await parseCommandLine(command, 80)).toHaveProperty("parsedCommand");
}

interface Container {
  readonly command?: readonly string[];
  readonly args: readonly string[];
}
interface CronJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly schedule: string; readonly jobTemplate: { readonly spec: JobSpec } };
}
interface JobSpec {
  readonly completionMode?: string;
  readonly completions?: number;
  readonly template: { readonly spec: { readonly restartPolicy: string; readonly containers: readonly Container[] } };
}

describe("samples/schedules/stackferry.cron", () => {
  const read = async (): Promise<string[][]> => {
    const lines = (await text("samples/schedules/stackferry.cron")).split("\n").filter((line) => /^[\d*]/.test(line));
    return lines.map((line) => {
      const [, time = "", user, command = ""] = /^((?:\S+ ){5})(\S+) (.*)$/.exec(line) ?? [];
      expect(time.trim()).toMatch(/^(?:(?:\*|\d+)(?: |$)){5}$/);
      expect(user).toBe("stackferry");
      // cron ends a command at a % that is not escaped.
      expect(command).not.toMatch(/(?<!\\)%/);
      return commandWords(command).slice(1);
    });
  };

  it("parses", async () => {
    await expectToParse(await read());
  });

  it("backs up, checks and drills", async () => {
    await using production = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const { cwd, env } = await programWithBackups({ production });
    const repositories = { "/etc/stackferry": cwd, "/var/backups/stackferry": join(cwd, "place") };
    for (const command of await read()) {
      const local = command.map((word) =>
        Object.entries(repositories).reduce((changed, [from, to]) => changed.replace(from, to), word),
      );
      const run = await runCli(local, { cwd, env });
      const { exitCode, stdout, stderr } = run;
      // cron mails all output of a command.
      expect([local.join(" "), exitCode, stdout, stderr]).toEqual([local.join(" "), 0, "", ""]);
    }
    expect((await readdir(join(cwd, "place", "production"))).filter((name) => name.endsWith(".zip"))).toHaveLength(1);
  });
});

it.each([
  [
    "stackferry.cron",
    [
      "PATH=/usr/local/bin:",
      "--create-home",
      "belongs to root",
      "${file:/etc/stackferry/",
      "install -m 600 -o stackferry",
    ],
  ],
  ["stackferry-backup.service", ["belongs to root", "install -m 600 -o root"]],
])("samples/schedules/%s says whose it is, and where the keys come from", async (name, said) => {
  const sample = await text(`samples/schedules/${name}`);
  for (const words of said) expect(sample).toContain(words);
});

describe("samples/schedules for systemd", () => {
  it("parses", async () => {
    const service = await text("samples/schedules/stackferry-backup.service");
    const commands = [...service.matchAll(/^ExecStart(?:Post)?=(.*)$/gm)].map(([, command = ""]) => command);
    expect(commands).toHaveLength(2);
    for (const command of commands) expect(command).toMatch(/^\/usr\/local\/bin\/stackferry /);
    await expectToParse(commands.map((command) => commandWords(command).slice(1)));
    const timer = await text("samples/schedules/stackferry-backup.timer");
    expect(timer).toMatch(/^OnCalendar=hourly$/m);
    expect(timer).toMatch(/^WantedBy=timers\.target$/m);
  });

  it.skipIf(!existsSync("/usr/bin/systemd-analyze"))("is what systemd itself accepts", async () => {
    const cwd = temporaryFolder();
    const service = await text("samples/schedules/stackferry-backup.service");
    await writeFile(
      join(cwd, "stackferry-backup.service"),
      service.replaceAll("/usr/local/bin/stackferry", "/bin/true"),
    );
    await writeFile(join(cwd, "stackferry-backup.timer"), await text("samples/schedules/stackferry-backup.timer"));
    const files = ["stackferry-backup.service", "stackferry-backup.timer"].map((name) => join(cwd, name));
    const words = ["verify", "--man=no", "--recursive-errors=no", ...files];
    const { stderr } = await promisify(execFile)("systemd-analyze", words);
    expect(stderr.split("\n").filter((line) => line.includes("stackferry"))).toEqual([]);
  });
});

describe("samples/kubernetes", () => {
  const load = async (name: string): Promise<CronJob> => {
    const job = parse(await text(`samples/kubernetes/${name}`)) as CronJob;
    expect(job).toMatchObject({ apiVersion: "batch/v1", kind: "CronJob", spec: { concurrencyPolicy: "Forbid" } });
    expect(job.spec.schedule.split(" ")).toHaveLength(5);
    expect(job.spec.jobTemplate.spec.template.spec.restartPolicy).toBe("Never");
    return job;
  };
  const only = ({ spec }: CronJob): Container => spec.jobTemplate.spec.template.spec.containers[0] ?? { args: [] };

  it("cronjob.yaml runs a command line that parses", async () => {
    await expectToParse([only(await load("cronjob.yaml")).args]);
  });

  it("fleet-cronjob.yaml backs each stack of a fleet up exactly once", async () => {
    const job = await load("fleet-cronjob.yaml");
    const { completionMode, completions = 0 } = job.spec.jobTemplate.spec;
    expect([completionMode, completions]).toEqual(["Indexed", 10]);
    const { command, args } = only(job);
    expect(command).toEqual(["/bin/sh", "-c"]);
    const seed = { dashboards: [{ id: "a".repeat(24), name: "One", tiles: [], tags: [], filters: [] }] };
    await using one = await startSandbox({ variant: "self-hosted", seed });
    await using two = await startSandbox({ variant: "self-hosted", seed });
    const { cwd, env } = await programWithBackups({ one, two, three: one, four: two, five: one });
    const stored: string[] = [];
    for (let index = completions - 1; index >= 0; index -= 1) {
      const [words = []] = stackferryCommands(args[0] ?? "", { JOB_COMPLETION_INDEX: String(index) });
      expect(words).toContain(`${index}/${completions}`);
      const local = words.map((word) =>
        word.replace("/etc/stackferry/fleet.yaml", "stackferry.yaml").replace(/^offsite$/, "place"),
      );
      const document = documentOf(await runCli([...local, "--json"], { cwd, env }));
      expect(document).toMatchObject({ exitCode: 0 });
      stored.push(...(document["stacks"] as { stack: string }[]).map(({ stack }) => stack));
    }
    expect(stored.sort()).toEqual(["five", "four", "one", "three", "two"]);
  });
});

describe("samples/github-actions/seed-staging.yaml", () => {
  it("is a workflow whose commands parse", async () => {
    interface Workflow {
      readonly on: { readonly schedule: readonly { readonly cron: string }[] };
      readonly jobs: {
        readonly seed: { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] };
      };
    }
    const workflow = parse(await text("samples/github-actions/seed-staging.yaml")) as Workflow;
    expect(workflow.on.schedule[0]?.cron.split(" ")).toHaveLength(5);
    const { steps } = workflow.jobs.seed;
    for (const { run, uses } of steps) expect([run, uses].filter((each) => each !== undefined)).toHaveLength(1);
    const commands = steps.flatMap(({ run = "" }) => stackferryCommands(run));
    expect(commands.map(([name]) => name)).toEqual(["config", "doctor", "export", "migrate", "diff"]);
    await expectToParse(commands);
  });
});

it("samples/Dockerfile runs the program as somebody who is not root", async () => {
  const dockerfile = await text("samples/Dockerfile");
  const lines = dockerfile.replaceAll("\\\n", " ").split("\n");
  expect(lines).toContain("USER node");
  const command = lines.flatMap((line): string[] =>
    /^(?:ENTRYPOINT|CMD) /.test(line) ? JSON.parse(line.replace(/^\w+ /, "")) : [],
  );
  expect(command).toEqual(["stackferry", "--help"]);
  const { version } = JSON.parse(await text("package.json")) as { version: string };
  expect(dockerfile).toContain(`stackferry:${version} .`);
});

it("samples/fleet.yaml is complete once its keys are there", async () => {
  const env = { CLOUD_KEY_ID: "id-of-a-test", LAB_API_KEY: "key-of-a-test" };
  const { cwd, json } = programFor({}, env);
  await mkdir(join(cwd, "secrets"));
  await writeFile(join(cwd, "secrets", "cloud-key-secret"), "secret-of-a-test\n", { mode: 0o600 });
  const sample = await text("samples/fleet.yaml");
  await writeFile(join(cwd, "fleet.yaml"), sample.replace("/run/secrets", "secrets"), { mode: 0o600 });
  const check = "config check --config fleet.yaml";
  const complete = { exitCode: 0, warnings: [], stacks: { length: 4 }, repositories: { length: 1 } };
  expect(await json(check)).toMatchObject(complete);
  expect(await json(check, { env: { ...env, LAB_API_KEY: "" } })).toMatchObject({ exitCode: 2 });
});
