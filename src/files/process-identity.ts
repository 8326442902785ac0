import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import type { ProcessIdentity } from "../core/ports.ts";
import { systemErrorCode } from "./errors.ts";

export function processIdentity(): ProcessIdentity {
  const identity = { host: hostname(), pid: process.pid };
  try {
    return { ...identity, pidNamespace: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return identity; // Only Linux has namespaces.
  }
}

export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}
