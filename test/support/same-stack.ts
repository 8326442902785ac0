import type { Sandbox, SandboxOptions } from "../../src/sandbox/start-sandbox.ts";

/** Returns the options that start a sandbox as it is now once more: with its address, credentials and records. */
export function sameStack(sandbox: Sandbox): SandboxOptions {
  const { variant, apiKey, keyId, keySecret, organizationId, serviceId } = sandbox;
  return {
    variant,
    port: Number(new URL(sandbox.url).port),
    seed: sandbox.stored(),
    credentials: { ...(apiKey && { apiKey }), ...(keyId && { keyId }), ...(keySecret && { keySecret }) },
    ...(organizationId && { organizationId }),
    ...(serviceId && { serviceId }),
  };
}
