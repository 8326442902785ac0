import type { StackSettings } from "../../config/stacks/stack-settings.ts";
import type { ConnectionOptions } from "../../library/options/connect.ts";
import { normaliseStack } from "../../library/options/connect.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";

/** The settings for a client of a sandbox in this process. */
export function sandboxSettings(
  sandbox: Sandbox,
  stackName: string,
  connection: Pick<ConnectionOptions, "concurrency"> = {},
): StackSettings {
  const { variant, url, organizationId = "", serviceId = "", keyId = "", keySecret = "", apiKey = "" } = sandbox;
  const { pipeIds } = sandbox;
  const address = { ...connection, baseUrl: url };
  const options =
    variant === "self-hosted"
      ? { ...address, variant, apiKey }
      : { ...address, variant, organizationId, serviceId, keyId, keySecret, pipeIds };
  return { ...normaliseStack(options, "the sandbox"), stackName };
}
