import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../support/start-sandbox.ts";
import { programWithBackups } from "../support/program-with-backups.ts";
import { startS3Server } from "../support/s3-server.ts";
import { programForOneStack, programFor } from "../support/program.ts";

describe("doctor", () => {
  it("examines the stacks of the configuration file", async () => {
    await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
    await using cloud = await startSandbox({ variant: "managed", seed: "sample", api: "contract" });
    const { run, json } = await programWithBackups({ office, cloud });
    expect(await json("doctor office cloud")).toMatchObject({
      command: "doctor",
      ok: true,
      exitCode: 0,
      stacks: [
        {
          label: "office",
          reachable: true,
          accepted: true,
          kinds: expect.arrayContaining([{ kind: "alerts", status: "listed", count: 14 }]),
        },
        {
          label: "cloud",
          kinds: expect.arrayContaining([
            { kind: "webhooks", status: "not-offered" },
            { kind: "pipes", status: "not-offered" },
          ]),
        },
      ],
    });
    const text = await run("doctor office cloud");
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toContain("reachable, credential accepted");
    expect((await run("doctor offce")).stderr).toContain("it has office");
    const all = { exitCode: 0, stacks: [{ label: "office" }, { label: "cloud" }], repositories: [] };
    expect(await json("doctor")).toMatchObject(all);
  });

  it("asks each source of a self-hosted stack for data, and exits 3 if one has none", async () => {
    const empty = new Set<string>();
    await using office = await startSandbox({
      variant: "self-hosted",
      seed: "sample",
      intercept: async ({ route }, proceed) => {
        if (route === "POST charts/series" && empty.size === 0) {
          empty.add(route);
          return Response.json({ data: [] });
        }
        return proceed();
      },
    });
    await using cloud = await startSandbox({ variant: "managed", seed: "sample" });
    const { run, json, cwd } = await programWithBackups({ office, cloud });
    expect(await json("doctor office")).not.toHaveProperty("stacks.0.data");
    expect(office.stats().byRoute["POST charts/series"]).toBeUndefined();
    const document = await json("doctor office --data");
    expect(document).toMatchObject({ exitCode: 3 });
    const [stack] = document["stacks"] as { data: { name: string; status: string }[] }[];
    const names = ["Audit log", "Logs", "Metrics", "Sessions", "Traces"];
    expect(stack?.data.map(({ name }) => name).toSorted()).toEqual(names);
    expect(stack?.data.filter(({ status }) => status === "empty")).toHaveLength(1);
    const address = { variant: "self-hosted", baseUrl: office.url, apiKey: office.apiKey };
    const stacks = { office: { ...address, kinds: ["dashboards", "alerts"] } };
    await writeFile(join(cwd, "few.yaml"), JSON.stringify({ stacks }));
    expect((await run("doctor office --data --config few.yaml")).stdout).toContain(
      "`kinds` leave sources out, so none was",
    );
    const text = await run("doctor office --data");
    expect([text.exitCode, text.stdout.match(/has data/g)?.length]).toEqual([0, 4]);
    expect(text.stdout).toMatch(/Metrics +not asked/);
    const managed = await json("doctor cloud --data");
    expect(managed).toMatchObject({ exitCode: 0, stacks: [{ data: [] }] });
  });

  it("shows no stack frames from an answer", async () => {
    await using program = await programForOneStack({ variant: "self-hosted" });
    const env = { STACKFERRY_FROM_API_KEY: "another" };
    const run = await program.run("export --from $STACK --verbose", { env });
    expect([run.exitCode, run.stderr]).toEqual([5, expect.stringContaining("401")]);
    expect(run.stderr).not.toMatch(/\.[jt]s:\d+/);
  });

  it("ends with 2 and points to init if no stack is given or configured", async () => {
    expect(await programFor().run("doctor")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("init") });
  });

  it("lists the pipes of a managed stack", async () => {
    await using cloud = await startSandbox({ variant: "managed", seed: "sample" });
    const { json } = await programWithBackups({ cloud });
    expect(await json("doctor cloud")).toMatchObject({
      exitCode: 0,
      stacks: [{ kinds: expect.arrayContaining([{ kind: "pipes", status: "listed", count: 4 }]) }],
    });
  });
});

describe("doctor on repositories", () => {
  it("lists, writes, reads and removes a file, and leaves nothing behind", async () => {
    await using server = await startS3Server();
    const offsite = `s3://${server.bucket}/stacks`;
    const { json, repository } = await programWithBackups(
      {},
      `repositories: { here: { url: place }, offsite: { url: "${offsite}" } }`,
    );
    const run = (names = "") => json(`doctor ${names}`.trim(), { env: server.env });
    expect(await run()).toMatchObject({
      exitCode: 0,
      stacks: [],
      repositories: [
        { name: "here", ok: true },
        { name: "offsite", address: offsite, ok: true },
      ],
    });
    const verbs = server.requests.map((line) => line.split(" ")[0]);
    expect(verbs).toEqual(["GET", "PUT", "GET", "DELETE", "GET"]);
    expect(await readdir(repository)).toEqual([]);

    server.intercept = (line) => (line.startsWith("PUT ") ? { status: 403, code: "AccessDenied" } : undefined);
    expect(await run("offsite")).toMatchObject({
      exitCode: 5,
      repositories: [{ name: "offsite", ok: false, error: { code: "forbidden" } }],
    });
    server.intercept = (line) => (line.startsWith("DELETE ") ? { status: 403, code: "AccessDenied" } : undefined);
    expect(await run("offsite")).toMatchObject({ exitCode: 5 });
  });

  it("examines all of them with a configured stack, and none with an address", async () => {
    await using office = await startSandbox({ variant: "self-hosted", seed: "sample" });
    const repositories = "repositories: { here: { url: place }, away: { url: nowhere } }";
    const { json } = await programWithBackups({ office }, repositories);
    const env = { STACKFERRY_API_KEY: office.apiKey ?? "" };
    const run = (names: string) => json(`doctor ${names}`, { env });
    expect(await run("office")).toMatchObject({
      exitCode: 2,
      stacks: [{ label: "office", accepted: true }],
      repositories: [
        { name: "here", ok: true },
        { name: "away", ok: false, error: { code: "usage" } },
      ],
    });
    const only = { exitCode: 0, stacks: [{ label: "office" }], repositories: [{ name: "here", ok: true }] };
    expect(await run("office here")).toMatchObject(only);
    expect((await run("office here"))["repositories"]).toHaveLength(1);
    expect(await run(office.url)).toMatchObject({ exitCode: 0, repositories: [] });
  });

  it("names the missing setting of a repository, whatever else is configured", async () => {
    const repositories = `repositories:
  away: { url: nowhere }
  elsewhere: { url: "s3://backups", accessKeyId: a, secretAccessKey: "\${env:NO_SUCH}" }
  regionless: { url: "s3://backups", accessKeyId: a, secretAccessKey: b }
`;
    const { json } = await programWithBackups({}, repositories);
    expect(await json("doctor")).toMatchObject({
      exitCode: 2,
      repositories: [
        { error: { code: "usage", message: expect.stringContaining("no folder") } },
        { error: { code: "config", message: expect.stringContaining("NO_SUCH") } },
        { error: { code: "config", message: expect.stringContaining("no region") } },
      ],
    });
  });
});
