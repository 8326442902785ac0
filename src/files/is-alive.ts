import process from "node:process";
import { systemCode } from "./errors.ts";

/** Whether a process of this machine runs. The lock file of one that does not may be taken over. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
