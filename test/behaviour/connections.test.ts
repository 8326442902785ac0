import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { certificatePath, startListener } from "../support/listener.ts";
import { documentOf, runCli } from "../support/run-cli.ts";

const env = {
  NODE_TLS_REJECT_UNAUTHORIZED: "0",
  STACKFERRY_API_KEY: "canary-key-0123456789",
  AWS_ACCESS_KEY_ID: "AKIAEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "example",
  AWS_REGION: "us-east-1",
};

describe("NODE_TLS_REJECT_UNAUTHORIZED=0", () => {
  it.each([
    ["a stack", (url: string) => ["doctor", url, "--timeout", "2s"]],
    ["a service that is pinged", (url: string) => ["completion", "bash", "--notify", url]],
    ["a collector", (url: string) => ["completion", "bash", "--otlp", url]],
    ["an object store", (url: string) => ["list", "s3://backups/x", "--endpoint", url]],
  ])("does not switch the check of the certificate of %s off", async (_, line) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    await using server = await startListener(200, { tls: true });
    const [args, endpoint] = split(line(server.url));
    const run = documentOf(await runCli([...args, "--json"], { env: { ...env, ...endpoint } }));
    expect(server.heard).toEqual([]);
    expect(run["warnings"]).toContainEqual(expect.objectContaining({ code: "variable-ignored" }));
  });

  it("is not needed where the authority is named", async () => {
    await using server = await startListener(200, { tls: true });
    const args = ["doctor", server.url, "--timeout", "2s", "--ca", fileURLToPath(certificatePath)];
    await runCli(args, { env });
    expect(server.heard.length).toBeGreaterThan(0);
  });
});

describe("a credential over plain http", () => {
  it.each(["http://a.localhost:1", "http://localhost.:1"])(
    "is not sent to %s, which is not this machine",
    async (url) => {
      const run = documentOf(await runCli(["export", "--from", url, "--timeout", "1s", "--json"], { env }));
      expect(run).toMatchObject({ exitCode: 2, error: { code: "config" }, requests: { total: 0 } });
    },
  );
});

/** The endpoint of an object store is a variable and no flag. */
function split(words: readonly string[]): readonly [readonly string[], Readonly<Record<string, string>>] {
  const at = words.indexOf("--endpoint");
  if (at < 0) return [words, {}];
  return [words.slice(0, at), { AWS_ENDPOINT_URL: words[at + 1] ?? "" }];
}
