export type SandboxVariant = "managed" | "self-hosted";

/** How the ids of a stack's records are written. */
export type SandboxIds = "hex" | "uuid";

/** `next` is what is described of the releases to come (docs/api.md#managed); it was not run. */
export type SandboxRelease = "published" | "next";

/** `contract` is a deployment of before there were connections, saved searches and writes of sources and webhooks. */
export type SandboxApi = "contract" | "extended";
