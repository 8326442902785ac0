import { rm } from "node:fs/promises";

// A stale file in dist would be published, so every build begins with an empty folder.

await rm(new URL("../dist", import.meta.url), { recursive: true, force: true });
