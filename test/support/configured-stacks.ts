import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";

/** The `stacks` member of a configuration file for sandboxes, and the variables that hold their keys. */
export interface ConfiguredStacks {
  readonly stacks: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly env: Readonly<Record<string, string>>;
}

export function configuredStacks(sandboxes: Readonly<Record<string, Sandbox>>): ConfiguredStacks {
  const env: Record<string, string> = {};
  const entries = Object.entries(sandboxes).map(([name, sandbox]) => {
    const { variant, url: baseUrl, organizationId, serviceId } = sandbox;
    const variable = (suffix: string, value: string | undefined): string => {
      const variableName = `${name.toUpperCase().replaceAll("-", "_")}_${suffix}`;
      env[variableName] = value ?? "";
      return `\${env:${variableName}}`;
    };
    if (variant === "self-hosted") return [name, { variant, baseUrl, apiKey: variable("API_KEY", sandbox.apiKey) }];
    const keyId = variable("KEY_ID", sandbox.keyId);
    const keySecret = variable("KEY_SECRET", sandbox.keySecret);
    return [name, { variant, baseUrl, organizationId, serviceId, keyId, keySecret }];
  });
  return { stacks: Object.fromEntries(entries) as ConfiguredStacks["stacks"], env };
}
