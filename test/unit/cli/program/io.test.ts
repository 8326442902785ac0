import { describe, expect, it, vi } from "vitest";
import { main } from "../../../../src/cli/main.ts";
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

it("a start without a working directory ends with exit code 1 and one sentence", async () => {
  using cwd = vi.spyOn(process, "cwd");
  using stderr = vi.spyOn(process.stderr, "write");
  cwd.mockImplementation(() => {
    throw new Error("ENOENT: no such file or directory, uv_cwd");
  });
  stderr.mockReturnValue(true);
  expect(await main(["list", "repo"])).toBe(1);
  const [[text] = []] = stderr.mock.calls;
  expect(text).toBe("stackferry: cannot start: ENOENT: no such file or directory, uv_cwd\n");
});

describe("proxyEnv", () => {
  it("reads the proxy variables in lower case before those in upper case", () => {
    const env = { HTTPS_PROXY: "http://upper", https_proxy: "http://lower", NO_PROXY: "localhost" };
    expect(readProxyEnv(env)).toEqual({ https_proxy: "http://lower", no_proxy: "localhost" });
    expect(readProxyEnv({ no_proxy: "localhost" })).toBeUndefined();
  });
});
