export type SandboxVariant = "managed" | "self-hosted";

/** The form of record ids. */
export type SandboxIds = "hex" | "uuid";

/** `next` follows the descriptions of coming releases (docs/api.md#managed); no such release was tested. */
export type SandboxRelease = "published" | "next";

/** `contract` is an older deployment, without connections, saved searches, and writes of sources and webhooks. */
export type SandboxApi = "contract" | "extended";
