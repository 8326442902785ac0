import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Interceptor } from "../../src/sandbox/http/interceptor.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { documentOf, runCli } from "../support/run-cli.ts";
import { sandboxEnv } from "../support/sandbox-pair.ts";

const hex = (index: number): string => index.toString(16).padStart(24, "0");

/** A managed stack with so many alerts, behind a gateway. */
async function stackOf(count: number, gateway?: (own: () => Sandbox) => Interceptor) {
  const asked: string[] = [];
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
  let sandbox: Sandbox | undefined;
  const own = (): Sandbox => {
    if (sandbox === undefined) throw new Error("not started");
    return sandbox;
  };
  const intercept: Interceptor = (request, proceed) => {
    if (request.route === "GET alerts") asked.push(new URL(request.target, "http://x").search);
    return gateway === undefined ? proceed() : gateway(own)(request, proceed);
  };
  sandbox = await startSandbox({ variant: "managed", seed: { alerts }, intercept });
  return { sandbox, asked };
}

const refusesParameters = (): Interceptor => (request, proceed) =>
  request.target.includes("?")
    ? Response.json({ status: 400, error: "Unknown query parameter" }, { status: 400 })
    : proceed();

const ignoresParameters =
  (own: () => Sandbox): Interceptor =>
  (request, proceed) => {
    const [path, query] = request.target.split("?");
    if (query === undefined) return proceed();
    return fetch(`${own().url}${path}`, { headers: { authorization: request.headers.authorization ?? "" } });
  };

/** The whole list in each answer, and nothing said of its length. */
const hasNoPages =
  (own: () => Sandbox): Interceptor =>
  (request, proceed) => {
    if (request.route !== "GET alerts") return proceed();
    return Response.json({ status: 200, requestId: "r", result: own().stored().alerts });
  };

async function exportOf({ sandbox }: { readonly sandbox: Sandbox }) {
  const cwd = mkdtempSync(join(tmpdir(), "stackferry-lists-"));
  const args = ["export", "--from", sandbox.stack, "--out", "a.zip", "--json"];
  const run = await runCli(args, { env: sandboxEnv(sandbox), cwd });
  await sandbox.close();
  const exported = run.exitCode === 0 ? documentOf(await runCli(["inspect", "a.zip", "--json"], { cwd })) : undefined;
  return { ...run, exported: JSON.stringify(exported) };
}

describe("the alerts of a managed stack", () => {
  test.each([
    [999, [""]],
    [1000, ["", "?limit=1000&offset=1000"]],
    [1001, ["", "?limit=1000&offset=1000"]],
    [2500, ["", "?limit=1000&offset=1000", "?limit=1000&offset=2000"]],
  ])("%i are all exported, and pages are asked for only where they are needed", async (count, asked) => {
    const stack = await stackOf(count);
    const { exitCode, exported } = await exportOf(stack);
    expect(exitCode).toBe(0);
    expect(exported).toContain(`"alerts":{"status":"complete","count":${count}}`);
    expect(stack.asked).toEqual(asked);
  });

  test("are exported from a gateway that refuses parameters, where one answer holds them", async () => {
    const { exitCode, exported } = await exportOf(await stackOf(999, refusesParameters));
    expect(exitCode).toBe(0);
    expect(exported).toContain('"alerts":{"status":"complete","count":999}');
  });

  test.each([1000, 1001, 2500])(
    "%i behind a gateway that refuses parameters: exit 6, with the reason",
    async (count) => {
      const { exitCode, stdout } = await exportOf(await stackOf(count, refusesParameters));
      expect(exitCode).toBe(6);
      expect(stdout).toMatch(/1,?000 records.*Unknown query parameter/);
    },
  );

  // Exactly 1,000 may be all, or the first of more: that such a gateway ends with an error is told below.
  test.each([999, 1001, 2500])("%i are all exported from a gateway that has no pages", async (count) => {
    const { exitCode, exported } = await exportOf(await stackOf(count, hasNoPages));
    expect(exitCode).toBe(0);
    expect(exported).toContain(`"alerts":{"status":"complete","count":${count}}`);
  });

  test.each([
    [1000, hasNoPages],
    [1001, ignoresParameters],
    [2500, ignoresParameters],
  ])("%i behind a gateway that ignores parameters: no archive, and an error", async (count, gateway) => {
    const { exitCode, stdout } = await exportOf(await stackOf(count, gateway));
    expect(exitCode).toBe(3);
    expect(stdout).toContain("list-incomplete");
  });
});
