import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../src/archive/reader.ts";
import { commandWords } from "../support/command-words.ts";
import { HOSTILE, terminalControlIn } from "../support/hostile-text.ts";
import { certificatePath, startFakeServer } from "../support/fake-server.ts";
import { runCli, type CliRun } from "../support/run-cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const env = { STACKFERRY_API_KEY: "canary-key-0123456789" };
const cwd = temporaryFolder();

async function run(command: string): Promise<CliRun> {
  const result = await runCli(commandWords(command), { env, cwd });
  expect(terminalControlIn(result.stdout + result.stderr)).toBeUndefined();
  expect(result.stdout + result.stderr).not.toContain(env.STACKFERRY_API_KEY);
  return result;
}

const IDS = ["../../admin", "a/b", "..", "%2e%2e", "?x#y", "__proto__", HOSTILE];

/** Returns the response of a stack in which every name and id is hostile. */
function hostileAnswer(path: string): string {
  const common = (id: string): object => ({ id, name: HOSTILE, [HOSTILE]: HOSTILE, __proto__: null });
  const records = IDS.map((id) =>
    path.includes("sources") ? { ...common(id), kind: "log", connection: HOSTILE } : { ...common(id), tiles: [] },
  );
  const alerts = path.includes("alerts") || path.includes("webhooks");
  return JSON.stringify({
    data: alerts ? [] : records,
    meta: { total: alerts ? 0 : IDS.length, limit: 1000, offset: 0 },
  });
}

describe("a stack that answers with terminal control sequences", () => {
  it.each([
    ["no flag", ""],
    ["--verbose", "--verbose"],
    ["--json", "--json"],
  ])("in names and ids has none of them printed by a command with %s", async (_, more) => {
    const urls: string[] = [];
    await using stack = await startFakeServer((request, response) => {
      urls.push(request.url ?? "");
      response.setHeader("content-type", "application/json").setHeader("set-cookie", "session=1; Path=/");
      response.end(hostileAnswer(request.url ?? ""));
    });
    const out = `names${more}.zip`;
    const { exitCode, stderr } = await run(`export --from ${stack.url} --out ${out} --kinds dashboards ${more}`);
    expect(`${exitCode} ${stderr}`).toMatch(/^0 /);
    await using reader = await openArchive(join(cwd, out));
    const ids = reader.manifest.entries.filter(({ kind }) => kind === "dashboards").map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...IDS].toSorted());
    expect((await run(`doctor ${stack.url} ${more}`)).exitCode).toBe(0);
    expect(urls.every((url) => url.startsWith("/api/v2/") && !url.includes("admin"))).toBe(true);
  });

  it.each([400, 401, 403, 404, 409, 422, 500, 503])(
    "in an error of status %i has none of them printed",
    async (status) => {
      await using stack = await startFakeServer((_, response) => {
        response.writeHead(status, { "content-type": "application/json", "x-request-id": "a\tb" });
        response.end(JSON.stringify({ message: HOSTILE, error: HOSTILE, requestId: HOSTILE }));
      });
      for (const more of ["", "--verbose", "--json"]) {
        const refused = await run(`doctor ${stack.url} --timeout 100ms ${more}`);
        expect([3, 5, 6]).toContain(refused.exitCode);
      }
    },
  );
});

describe("an answer without an end", () => {
  it("is given up, and no file is left behind", async () => {
    await using stack = await startFakeServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":[');
      const flood = (): void => {
        if (!response.destroyed) response.write("[1],".repeat(10_000), () => setTimeout(flood, 1));
      };
      flood();
    });
    const refused = await run(`export --from ${stack.url} --out endless.zip --timeout 300ms`);
    expect(refused.exitCode).toBe(6);
    expect((await readdir(cwd)).filter((name) => name.includes("endless"))).toEqual([]);
  });
});

it("an export names the record with a number beyond the precision of JavaScript, and writes nothing", async () => {
  const dashboards = '{"data":[{"id":"d1","name":"one","limit":9007199254740993},{"id":"d2","name":"two"}]}';
  await using stack = await startFakeServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(request.url?.includes("dashboards") === true ? dashboards : '{"data":[]}');
  });
  const line = `export --from ${stack.url} --out number.zip`;
  const refused = await run(line);
  expect(refused.exitCode).toBe(3);
  expect(refused.stderr).toContain("dashboards/d1");
  expect(await readdir(cwd)).not.toContain("number.zip");
  expect((await run(`${line} --allow-partial`)).exitCode).toBe(3);
  await using reader = await openArchive(join(cwd, "number.zip"));
  expect(reader.manifest.entries.map(({ id }) => id)).toEqual(["d2"]);
  expect((await run(`export --from ${stack.url} --out without.zip --exclude one`)).exitCode).toBe(0);
});

it("the program verifies a stack over TLS, and --ca trusts one more authority", async () => {
  await using stack = await startFakeServer((request, response) => response.end(hostileAnswer(request.url ?? "")), {
    tls: true,
  });
  const ca = fileURLToPath(certificatePath);
  expect((await run(`doctor ${stack.url} --timeout 2s`)).exitCode).toBe(6);
  expect((await run(`doctor ${stack.url} --timeout 2s --ca ${ca}`)).exitCode).toBe(0);
  expect((await run(`doctor ${stack.url} --ca none.pem`)).exitCode).toBe(2);
});
