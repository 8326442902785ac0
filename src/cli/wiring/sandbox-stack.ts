import type { StackOptions } from "../../library/options/connect.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";

/** A sandbox in this process, as a stack of the library. */
export function sandboxStack(sandbox: Sandbox): StackOptions {
  const { variant, url: baseUrl, apiKey = "", keyId = "", keySecret = "", pipeIds } = sandbox;
  if (variant === "self-hosted") return { variant, baseUrl, apiKey };
  const { organizationId = "", serviceId = "" } = sandbox;
  return { variant, baseUrl, organizationId, serviceId, keyId, keySecret, pipeIds };
}
