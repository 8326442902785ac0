import { StackferryError } from "../domain/errors.ts";

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True for an address that never leaves the machine. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/**
 * Refuses addresses that a credential should not be sent to.
 * @throws StackferryError `config`; the address is not repeated where it holds a password.
 */
export function checkBaseUrl(baseUrl: string, allowHttp: boolean): URL {
  if (!URL.canParse(baseUrl))
    throw refused("the stack's address is not a URL", "give it as https://host or http://host:port");
  const url = new URL(baseUrl);
  if (url.username !== "" || url.password !== "") {
    throw refused("the stack's address holds a user name or password", "give the credential apart from the address");
  }
  if (url.search !== "" || url.hash !== "")
    throw refused("the stack's address holds a query or a fragment", "leave it out");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refused(`the stack's address has the scheme ${url.protocol}`, "use https, or http on this machine");
  }
  if (url.protocol === "http:" && !isLoopback(url) && !allowHttp) {
    throw refused(
      `${url.host} would be sent the credential over plain http, readable on the way`,
      "use https, or allow plain http for this stack where the network is trusted",
    );
  }
  return url;
}

function refused(problem: string, hint: string): StackferryError {
  return new StackferryError("config", problem, { hint });
}
