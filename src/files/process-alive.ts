import process from "node:process";
import { systemCode } from "./errors.ts";

/** Tells whether a process of this machine is running. The lock file of a dead one may be taken over. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
