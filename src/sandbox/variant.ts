export type SandboxVariant = "managed" | "self-hosted";

/** How the ids of a stack's records are written. */
export type SandboxIds = "hex" | "uuid";

/** `contract` is a deployment of before there were connections, saved searches and writes of sources and webhooks. */
export type SandboxApi = "contract" | "extended";
