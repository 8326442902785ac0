import type { StackSettings } from "../../config/stack-settings.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";

/** The settings with which the program's own client reaches a sandbox. */
export function sandboxSettings(sandbox: Sandbox, label: string): StackSettings {
  const { variant, url, organizationId, serviceId, apiKey = "", keyId = "", keySecret = "", pipeIds = [] } = sandbox;
  return {
    label,
    identity: {
      variant,
      baseUrl: url,
      ...(organizationId !== undefined && { organizationId }),
      ...(serviceId !== undefined && { serviceId }),
    },
    credential: variant === "self-hosted" ? { apiKey } : { keyId, keySecret },
    segments: { stack: "obsstack", pipes: "pipes" },
    pipeIds,
    timeoutMs: 30_000,
    concurrency: 4,
    allowHttp: false,
    warnings: [],
  };
}
