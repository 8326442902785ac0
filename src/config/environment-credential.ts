import { StackferryError } from "../domain/errors.ts";
import type { Variant } from "../domain/record.ts";
import type { StackCredential, StackRole } from "./stack-settings.ts";

const PREFIXES: Readonly<Record<StackRole, readonly string[]>> = {
  from: ["STACKFERRY_FROM_", "STACKFERRY_"],
  to: ["STACKFERRY_TO_", "STACKFERRY_"],
  any: ["STACKFERRY_"],
};

/**
 * The credential for a stack given by its address: from the role's own variables, else the common ones. The two parts of a
 * managed key are never taken from different sets.
 * @throws StackferryError `config` that names the variables to set.
 */
export function environmentCredential(
  variant: Variant,
  role: StackRole,
  env: Readonly<Record<string, string | undefined>>,
  label: string,
): StackCredential {
  for (const prefix of PREFIXES[role]) {
    const apiKey = env[`${prefix}API_KEY`];
    const keyId = env[`${prefix}KEY_ID`];
    const keySecret = env[`${prefix}KEY_SECRET`];
    if (variant === "self-hosted" && apiKey) return { apiKey };
    if (variant === "managed" && keyId && keySecret) return { keyId, keySecret };
  }
  const parts = variant === "self-hosted" ? ["API_KEY"] : ["KEY_ID", "KEY_SECRET"];
  const choices = PREFIXES[role].map((prefix) => parts.map((part) => prefix + part).join(" and "));
  throw new StackferryError("config", `no credential for ${label}: set ${choices.join(", or ")}`, {
    hint:
      variant === "self-hosted"
        ? "the Personal API Access Key is in the web UI under team settings, API keys (not the ingestion key)"
        : "key ID and secret come from the cloud console's API key management",
  });
}
