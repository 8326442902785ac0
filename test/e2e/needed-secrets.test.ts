import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../support/start-sandbox.ts";
import { secretsFoundIn, writtenBelow, type Canary, type Written } from "../support/canary.ts";
import { commandWords } from "../support/command-words.ts";
import { documentOf, runCli, type CliRun } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { webhook } from "../support/stack-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Secrets that no response of a stack contains. */
const SECRETS = {
  PASSWORD: "db-password-4711-sesame",
  HEADER: "header-token-0815-sesame",
  QUERY: "query-token-2342-sesame",
  BODY: "body-token-1337-sesame",
};
const canaries: Canary[] = Object.entries(SECRETS).map(([name, secret]) => ({ name, secret }));
const connection = {
  id: "c".repeat(24),
  name: "Main",
  host: "http://db.old:8123",
  username: "reader",
  password: SECRETS.PASSWORD,
};
const headers = { Authorization: SECRETS.HEADER, "X-Team": "ops-team-of-nine" };
const webhooks = [
  {
    ...webhook("a1".repeat(12), "pager"),
    url: "https://hooks.example.com/pager",
    headers,
    queryParams: { key: SECRETS.QUERY },
    body: "{{title}}",
  },
  {
    ...webhook("a2".repeat(12), "incidents", "incidentio"),
    url: "https://api.incident.io/v2/alert_events/http/x",
    body: SECRETS.BODY,
  },
];

const written: Written[] = [];
let cwd: string;
let old: Sandbox;

/** Runs a command in which $TO stands for the sandbox, and keeps its output for the search for secrets. */
async function run(sandbox: Sandbox, command: string): Promise<CliRun> {
  const words = commandWords(command, { FROM: old.stack, TO: sandbox.stack });
  const from = words[0] === "export" ? sandbox : old;
  const result = await runCli(words, { cwd, env: { ...sandboxEnv(from, sandbox), ...SECRETS } });
  written.push({ where: command, bytes: Buffer.from(result.stdout + result.stderr) });
  return result;
}

const importTo = (sandbox: Sandbox, more = ""): Promise<CliRun> =>
  run(sandbox, `import old.zip --to $TO --create connections,webhooks ${more}`);
const jsonOf = async (sandbox: Sandbox, more = "") => documentOf(await importTo(sandbox, `${more} --json`));

const empty = () => startSandbox({ variant: "self-hosted", seed: {} });

/** Fills in the values of a draft, in the order in which the draft asks for them. */
function answered(draft: string): string {
  const url = '"pager"';
  const ofPager = [
    url,
    `\n      Authorization: "\${env:HEADER}"\n      X-Team: ops-team-of-nine`,
    `\n      key: "\${env:QUERY}"`,
  ];
  const ofIncidents = [url, "null", "null", '"${file:../body.txt}"'];
  const values = ['"${env:PASSWORD}"', ...ofPager, ...ofIncidents];
  return draft.replaceAll(/(?<=value: )""/g, () => values.shift() ?? "");
}

beforeAll(async () => {
  const folder = temporaryFolder();
  cwd = join(folder, "work");
  await writeFile(join(folder, "body.txt"), `${SECRETS.BODY}\n`, { mode: 0o600 });
  await mkdir(cwd);
  old = await startSandbox({ variant: "self-hosted", seed: { connections: [connection], webhooks } });
  expect((await run(old, "export --from $FROM --out old.zip")).exitCode).toBe(0);
});

afterAll(() => old.close());

describe("write-only secrets", () => {
  it("are drafted in one file with the redacted ones, and no record is created before they are given", async () => {
    await using fresh = await empty();
    const blocked = await jsonOf(fresh, "--draft-secrets secrets.yaml");
    expect(blocked["exitCode"]).toBe(3);
    const drafted = (blocked["missingSecrets"] as { name: string; pointer: string; around: string[] }[]).map(
      ({ name, pointer }) => `${name} ${pointer}`,
    );
    expect(drafted.sort()).toEqual([
      "Main /password",
      "incidents /body",
      "incidents /headers",
      "incidents /queryParams",
      "incidents /url",
      "pager /headers",
      "pager /queryParams",
      "pager /url",
    ]);
    const { connections, webhooks: created } = fresh.stored();
    expect([...connections, ...created]).toEqual([]);
    const draft = await readFile(join(cwd, "secrets.yaml"), "utf8");
    expect(draft).toContain("# host http://db.old:8123");
    expect(draft).toContain("connection-password: the API never returns it. Write null if there was none");
    expect(draft.match(/Write one line each below value, NAME: secret/g)).toHaveLength(4);
    await writeFile(join(cwd, "secrets.yaml"), answered(draft));
  });

  it("reach the target, and no output, report or journal", async () => {
    await using fresh = await empty();
    const done = await importTo(fresh, "--secrets secrets.yaml --verbose --report page.html");
    expect(`${done.exitCode} ${done.stderr}`).toMatch(/^0 /);
    const { connections, webhooks: created } = fresh.stored();
    expect(connections).toMatchObject([{ name: "Main", password: SECRETS.PASSWORD }]);
    expect(created).toMatchObject([
      { headers, queryParams: { key: SECRETS.QUERY } },
      { name: "incidents", body: SECRETS.BODY },
    ]);
    expect(await jsonOf(fresh)).toMatchObject({ exitCode: 0 });
    expect((await run(fresh, "export --from $TO --out new.zip")).exitCode).toBe(0);
    expect((await run(fresh, "rollback --to $TO --run 1")).exitCode).toBe(0);
  });

  it("are not in any message, even if the target repeats its request", async () => {
    await using echo = await startSandbox({
      variant: "self-hosted",
      seed: {},
      intercept: (request, proceed) => {
        if (request.method !== "POST") return proceed();
        const sent = JSON.stringify(SECRETS);
        const body = { message: `cannot store ${sent} (${btoa(sent)}, ${encodeURIComponent(sent)})` };
        return Response.json(body, { status: 400 });
      },
    });
    for (const [index, more] of ["--json", "--verbose --report echo.html"].entries()) {
      const refused = await importTo(echo, `--secrets secrets.yaml --journals echo${index} ${more}`);
      expect(refused.exitCode).toBe(3);
    }
  });

  it("are in no written file", async () => {
    const files = await writtenBelow(cwd, { identity: "", passphrase: "" });
    expect(files.map(({ where }) => where)).toEqual(
      expect.arrayContaining(["page.html", "old.zip", "new.zip", "secrets.yaml"].map((name) => join(cwd, name))),
    );
    expect(files.some(({ where }) => where.endsWith(".journal"))).toBe(true);
    expect(secretsFoundIn(canaries, [...written, ...files])).toEqual([]);
  });
});
