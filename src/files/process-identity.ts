import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import type { ProcessIdentity } from "../core/ports.ts";

export function processIdentity(): ProcessIdentity {
  const identity = { host: hostname(), pid: process.pid };
  try {
    return { ...identity, pidNamespace: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return identity; // Only Linux has namespaces.
  }
}
