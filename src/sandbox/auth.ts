import { createHash, timingSafeEqual } from "node:crypto";
import type { Identity } from "./identity.ts";
import type { SandboxVariant } from "./options.ts";

export interface Guard {
  /** Whether the Authorization header carries the stack's credential. */
  accepts(authorization: string | undefined): boolean;
  /** Whose budget a request counts against; requests without a credential of the variant's scheme share one. */
  budgetOf(authorization: string | undefined): string;
}

// The scheme is case-sensitive on self-hosted (field notes, Identity across stacks).
const BEARER = /^Bearer (\S+)$/;
const BASIC = /^Basic ([A-Za-z0-9+/]+=*)$/i;

/** Bearer on self-hosted, Basic on managed (contract 5). */
export function createGuard(variant: SandboxVariant, identity: Identity): Guard {
  const given = (authorization: string | undefined): string | undefined => {
    if (variant === "self-hosted") return BEARER.exec(authorization ?? "")?.[1];
    const encoded = BASIC.exec(authorization ?? "")?.[1];
    return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("utf8");
  };
  const expected = variant === "self-hosted" ? identity.apiKey : `${identity.keyId}:${identity.keySecret}`;
  return {
    accepts: (authorization) => sameText(given(authorization) ?? "", expected),
    budgetOf: (authorization) => given(authorization) ?? "",
  };
}

/** Hashed first, so that neither the content nor the length shows in the time taken. */
function sameText(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
