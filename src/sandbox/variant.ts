export type SandboxVariant = "managed" | "self-hosted";

/** `contract` is a deployment of before there were connections, saved searches and writes of sources and webhooks. */
export type SandboxApi = "contract" | "extended";
