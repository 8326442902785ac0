import type { Mint } from "./mint.ts";
import { isUuid } from "./mint.ts";
import type { SandboxOptions, SandboxVariant } from "./options.ts";
import { sandboxError } from "./sandbox-error.ts";

/** Who the stack is and which credential it accepts. */
export interface Identity {
  readonly teamId: string;
  readonly organizationId: string;
  readonly serviceId: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly keySecret: string;
}

/** An option wins over the data file, and that over chance. Throws `sandbox-usage`. */
export function resolveIdentity(options: SandboxOptions, kept: Identity | undefined, mint: Mint): Identity {
  const { credentials = {} } = options;
  const identity: Identity = {
    teamId: kept?.teamId ?? mint.id(),
    organizationId: options.organizationId ?? kept?.organizationId ?? mint.uuid(),
    serviceId: options.serviceId ?? kept?.serviceId ?? mint.uuid(),
    apiKey: credentials.apiKey ?? kept?.apiKey ?? mint.secret(20),
    keyId: credentials.keyId ?? kept?.keyId ?? mint.secret(10),
    keySecret: credentials.keySecret ?? kept?.keySecret ?? mint.secret(20),
  };
  if (!isUuid(identity.organizationId) || !isUuid(identity.serviceId)) {
    throw sandboxError("sandbox-usage", "sandbox option refused: organizationId and serviceId are uuids");
  }
  if (identity.apiKey === "" || identity.keyId === "" || identity.keyId.includes(":") || identity.keySecret === "") {
    throw sandboxError("sandbox-usage", "sandbox option refused: a credential is not empty, a key id holds no colon");
  }
  return identity;
}

/** The path under which the stack's own resources live. */
export function stackPath(variant: SandboxVariant, identity: Identity): string {
  return variant === "managed" ? `/v1/organizations/${identity.organizationId}/services/${identity.serviceId}` : "";
}
