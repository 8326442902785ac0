import { expect, it } from "vitest";
import { hasTime, parseBackupReference } from "../../../src/cli/inputs/argument.ts";

const now = Date.UTC(2026, 0, 1);

it.each([
  ["backups/production", "backups", false],
  ["backups/production@latest", "backups", true],
  ["/mnt/disk@home/backups/production", "/mnt/disk@home/backups", false],
  ["/mnt/disk@home/backups/production@latest", "/mnt/disk@home/backups", true],
])("%s names a stack in %s", (argument, repository, isOneBackup) => {
  expect(parseBackupReference(argument, now)).toEqual({ repository, stack: "production", version: "latest" });
  expect(hasTime(argument)).toBe(isOneBackup);
});
