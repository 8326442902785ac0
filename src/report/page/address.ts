import type { StackIdentity } from "../../domain/record.ts";

/** A stack's address, for people. */
export function addressOf({ variant, baseUrl, organizationId, serviceId }: StackIdentity): string {
  return variant === "managed"
    ? `${baseUrl}, organization ${organizationId ?? "?"}, service ${serviceId ?? "?"}`
    : baseUrl;
}

/** The same, short enough for a heading. */
export function shortAddressOf({ variant, baseUrl, serviceId }: StackIdentity): string {
  return variant === "managed" ? `service ${serviceId ?? "?"}` : baseUrl;
}
