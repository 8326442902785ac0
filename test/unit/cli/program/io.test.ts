import { describe, expect, it } from "vitest";
import { readProxyEnv } from "../../../../src/cli/program/io.ts";
import { runCli } from "../../../support/run-cli.ts";

it("an output beyond the maximum string length ends with exit code 1 and without a stack trace", async () => {
  const onStdout = (): never => {
    throw new RangeError("Invalid string length");
  };
  const { exitCode, stderr } = await runCli(["completion", "bash"], { onStdout });
  expect(exitCode).toBe(1);
  expect(stderr).toContain("Invalid string length");
  expect(stderr).not.toContain("at ");
});

describe("proxyEnv", () => {
  it("reads the proxy variables in lower case before those in upper case", () => {
    const env = { HTTPS_PROXY: "http://upper", https_proxy: "http://lower", NO_PROXY: "localhost" };
    expect(readProxyEnv(env)).toEqual({ https_proxy: "http://lower", no_proxy: "localhost" });
    expect(readProxyEnv({ no_proxy: "localhost" })).toBeUndefined();
  });
});
