import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Interceptor } from "../../src/sandbox/options.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const hex = (index: number): string => index.toString(16).padStart(24, "0");

/** Responds to a request for the list of alerts; `proceed` asks the stack behind the gateway. */
type Gateway = (own: Sandbox, ...request: Parameters<Interceptor>) => ReturnType<Interceptor>;

const GATEWAYS = {
  "has pages": (_own, _request, proceed) => proceed(),
  "ignores parameters": (own, { target, headers }, proceed) => {
    const [path, query] = target.split("?");
    if (query === undefined) return proceed();
    return fetch(`${own.url}${path}`, { headers: { authorization: headers.authorization ?? "" } });
  },
  "refuses parameters": (_own, { target }, proceed) =>
    target.includes("?")
      ? Response.json({ status: 400, error: "Unknown query parameter" }, { status: 400 })
      : proceed(),
  "answers all at once": (own) => Response.json({ status: 200, requestId: "r", result: own.stored().alerts }),
} as const satisfies Record<string, Gateway>;

/** Returns the response with the number of all records added. */
async function withTotal(answer: Response | undefined, total: number): Promise<Response | undefined> {
  if (answer?.status !== 200) return answer;
  return Response.json({ ...((await answer.json()) as object), meta: { total } });
}

/**
 * Starts a managed stack with two dashboards and this many alerts, behind a gateway.
 * @param counts whether the gateway adds the number of alerts to its responses
 */
async function stackOf(count: number, gateway: keyof typeof GATEWAYS, counts = false) {
  const queries: string[] = [];
  const alerts = Array.from({ length: count }, (_, index) => ({
    id: hex(index + 1),
    name: `alert ${index}`,
    threshold: 1,
    thresholdType: "above",
    interval: "5m",
    source: "saved_search",
    savedSearchId: hex(1_000_001),
    channel: { type: "email", emailRecipients: ["team@example.com"] },
  }));
  const dashboards = [hex(2_000_001), hex(2_000_002)].map((id) => ({ id, name: id, tiles: [] }));
  const intercept: Interceptor = async (request, proceed) => {
    if (request.route !== "GET alerts") return proceed();
    const { search } = new URL(request.target, "http://x");
    queries.push(search);
    const answer = await GATEWAYS[gateway](sandbox, request, proceed);
    return counts ? withTotal(answer, count) : answer;
  };
  const sandbox: Sandbox = await startSandbox({ variant: "managed", seed: { alerts, dashboards }, intercept });
  return { sandbox, queries };
}

async function exportOf({ sandbox }: { readonly sandbox: Sandbox }, ...more: string[]) {
  const cwd = temporaryFolder();
  const args = ["export", "--from", sandbox.stack, "--out", "a.zip", "--json", ...more];
  const run = await runCli(args, { env: sandboxEnv(sandbox), cwd });
  await sandbox.close();
  const isWritten = existsSync(join(cwd, "a.zip"));
  const exported = isWritten ? documentOf(await runCli(["inspect", "a.zip", "--json"], { cwd })) : undefined;
  return { ...run, isWritten, exported: JSON.stringify(exported) };
}

const COUNTS = [999, 1000, 1001, 2500];
type Ending = "all" | "exit 6";
/**
 * What must happen for each number of alerts in COUNTS. A list of exactly 1,000 may be complete or the first of more pages:
 * only a total or an empty page tells.
 */
const ENDINGS: Readonly<Record<keyof typeof GATEWAYS, readonly Ending[]>> = {
  "has pages": ["all", "all", "all", "all"],
  "ignores parameters": ["all", "exit 6", "exit 6", "exit 6"],
  "refuses parameters": ["all", "exit 6", "exit 6", "exit 6"],
  "answers all at once": ["all", "exit 6", "all", "all"],
};
const CASES = (Object.keys(GATEWAYS) as (keyof typeof GATEWAYS)[]).flatMap((gateway) =>
  COUNTS.flatMap((count, index) =>
    [false, true].map((counts) => ({
      gateway,
      count,
      counts,
      ending: counts && count === 1000 ? "all" : ENDINGS[gateway][index],
    })),
  ),
);

describe("the alerts of a managed stack", () => {
  test.each(CASES)("$count behind a gateway that $gateway (total: $counts): $ending", async (each) => {
    const { exitCode, stdout, isWritten, exported } = await exportOf(
      await stackOf(each.count, each.gateway, each.counts),
    );
    if (each.ending === "all") {
      expect(exitCode).toBe(0);
      expect(exported).toContain(`"alerts":{"status":"complete","count":${each.count}}`);
      return;
    }
    expect({ exitCode, isWritten }).toEqual({ exitCode: 6, isWritten: false });
    expect(stdout).toMatch(/the same 1000 records for two pages|1000 records, and the stack refused the request/);
    expect(stdout).toContain("cannot list more records of this kind");
  });

  test.each([
    [999, [""]],
    [1000, ["", "?limit=1000&offset=1000"]],
    [1001, ["", "?limit=1000&offset=1000"]],
    [2500, ["", "?limit=1000&offset=1000", "?limit=1000&offset=2000"]],
  ])("%i are requested by page only if one answer cannot hold them", async (count, queries) => {
    const stack = await stackOf(count, "has pages");
    await exportOf(stack);
    expect(stack.queries).toEqual(queries);
  });

  test("are marked in the manifest as not read, and the other kinds are kept, with --allow-partial", async () => {
    const partial = await exportOf(await stackOf(1001, "ignores parameters"), "--allow-partial");
    expect({ exitCode: partial.exitCode, isWritten: partial.isWritten }).toEqual({ exitCode: 3, isWritten: true });
    expect(partial.exported).toContain('"alerts":{"status":"failed"');
    expect(partial.exported).toContain('"dashboards":{"status":"complete","count":2}');
  });
});
