import { rm } from "node:fs/promises";

// A stale file in dist would be packed and shipped, so every build starts from nothing.

await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
