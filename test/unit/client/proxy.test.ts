import { describe, expect, test } from "vitest";
import { proxyFor } from "../../../src/client/proxy.ts";

const PROXY = "http://proxy.test:3128";
const isDirect = (address: string, noProxy: string): boolean =>
  proxyFor(new URL(address), { http_proxy: PROXY, https_proxy: PROXY, no_proxy: noProxy }) === undefined;

describe("NO_PROXY", () => {
  test.each([
    ["https://10.1.2.3", "10.0.0.0/8"],
    ["http://10.1.2.3:8000", "192.168.0.0/16, 10.9.9.9/8"],
    ["https://[fd12::1]", "fd00::/8"],
    ["https://[fd12::1]", "[fd00::]/8"],
    ["https://[fd12:0::1]", "fd12::1"],
    ["https://[fd12::1]", "FD12:0:0:0:0:0:0:1"],
    ["https://[fd12::1]", "[fd12::1]"],
    ["https://[fd12::1]:8443", "[fd12::1]:8443"],
    ["https://10.1.2.3", "10.1.2.3"],
    ["https://10.1.2.3", "10.1.2.3:443"],
    ["http://10.1.2.3", "10.1.2.3:80"],
    ["https://10.1.2.3", "0.0.0.0/0"],
    ["https://stack.example.com", "example.com"],
    ["https://stack.example.com", ".EXAMPLE.com"],
    ["https://stack.example.com", "other.test *.example.com"],
    ["https://stack.example.com.", "stack.example.com"],
    ["https://stack.example.com", "localhost,*"],
    ["https://stack.example.com:8443", "stack.example.com:8443"],
  ])("lets %s be reached directly if it is %j", (address, noProxy) => {
    expect(isDirect(address, noProxy)).toBe(true);
  });

  test.each([
    ["https://11.1.2.3", "10.0.0.0/8"],
    ["https://10.1.2.3", "10.0.0.0/33"],
    ["https://10.1.2.3", "10.0.0.0/x"],
    ["https://10.1.2.3", "1.2.3"],
    ["https://stack.example.com", "10.0.0.0/8,fd00::/8,::1"],
    ["https://[fe12::1]", "fd00::/8"],
    ["https://[fd12::1]", "fd12::2"],
    ["https://[fd12::1]:8443", "[fd12::1]:443"],
    ["https://[fd12::1:1]", "fd12::1"],
    ["https://10.1.2.3", "10.1.2.3:80"],
    ["https://notexample.com", "example.com"],
    ["https://stack.example.com", "stack.example.com:8443"],
    ["https://stack.example.com", ""],
  ])("sends a request to %s to the proxy if it is %j", (address, noProxy) => {
    expect(isDirect(address, noProxy)).toBe(false);
  });
});

describe("the proxy's login", () => {
  const tokenOf = (login: string): string | undefined => {
    const { token } = proxyFor(new URL("https://stack.test"), { https_proxy: `http://${login}@proxy.test` }) ?? {};
    return token && Buffer.from(token.replace("Basic ", ""), "base64").toString("utf8");
  };

  test.each([
    ["user:word", "user:word"],
    ["user:pa%word", "user:pa%word"],
    ["user:100%", "user:100%"],
    ["user:a%40b%zz", "user:a@b%zz"],
    ["us%C3%A9r:w%C3%B6rd", "usér:wörd"],
    ["user:wörd", "user:wörd"],
    ["token", "token:"],
  ])("%s is sent as %s", (login, sent) => {
    expect(tokenOf(login)).toBe(sent);
  });

  test("is no part of the address", () => {
    expect(proxyFor(new URL("http://stack.test"), { http_proxy: "user:word@proxy.test:3128" })).toEqual({
      uri: PROXY,
      token: "Basic dXNlcjp3b3Jk",
    });
  });
});

test("https uses https_proxy, or else http_proxy; http never uses https_proxy", () => {
  const [https, http] = [new URL("https://stack.test"), new URL("http://stack.test")];
  expect(proxyFor(https, { http_proxy: "a.test", https_proxy: "b.test" })?.uri).toBe("http://b.test");
  expect(proxyFor(https, { http_proxy: "a.test" })?.uri).toBe("http://a.test");
  expect(proxyFor(http, { https_proxy: "b.test" })).toBeUndefined();
  expect(proxyFor(new URL("http://127.0.0.1"), { http_proxy: "a.test" })).toBeUndefined();
});
