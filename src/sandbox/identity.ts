import type { IdGenerator } from "./store.ts";
import type { SandboxOptions, SandboxVariant } from "./options.ts";

export interface Identity {
  readonly teamId: string;
  readonly organizationId: string;
  readonly serviceId: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly keySecret: string;
}

export function resolveIdentity({ credentials = {}, ...options }: SandboxOptions, ids: IdGenerator): Identity {
  return {
    teamId: ids.id(),
    organizationId: options.organizationId ?? ids.uuid(),
    serviceId: options.serviceId ?? ids.uuid(),
    apiKey: credentials.apiKey ?? ids.secret(20),
    keyId: credentials.keyId ?? ids.secret(10),
    keySecret: credentials.keySecret ?? ids.secret(20),
  };
}

export function stackPath(variant: SandboxVariant, identity: Identity): string {
  return variant === "managed" ? `/v1/organizations/${identity.organizationId}/services/${identity.serviceId}` : "";
}

export type Guard = ReturnType<typeof createGuard>;

// Self-hosted stacks compare the word `Bearer` case-sensitively.
const BEARER = /^Bearer (\S+)$/;
const BASIC = /^Basic ([A-Za-z0-9+/]+=*)$/i;

export function createGuard(variant: SandboxVariant, identity: Identity) {
  const credentialOf = (authorization: string | undefined): string | undefined => {
    if (variant === "self-hosted") return BEARER.exec(authorization ?? "")?.[1];
    const encodedPair = BASIC.exec(authorization ?? "")?.[1];
    return encodedPair === undefined ? undefined : Buffer.from(encodedPair, "base64").toString("utf8");
  };
  const credential = variant === "self-hosted" ? identity.apiKey : `${identity.keyId}:${identity.keySecret}`;
  return {
    accepts: (authorization: string | undefined) => credentialOf(authorization) === credential,
    /** Requests without a credential of the variant's scheme share one budget. */
    budgetOf: (authorization: string | undefined) => credentialOf(authorization) ?? "",
  };
}
