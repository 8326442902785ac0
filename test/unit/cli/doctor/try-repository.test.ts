import { describe, expect, it } from "vitest";
import { tryRepository } from "../../../../src/cli/doctor/examine.ts";
import type { Repository } from "../../../../src/core/ports.ts";
import { backupStage } from "../../../support/backup-stage.ts";

/** Returns a repository whose methods are replaced by those in `broken`, and the list of its writes and removals. */
async function brokenRepository(
  broken: Partial<Repository> = {},
): Promise<{ repository: Repository; changes: readonly string[] }> {
  const { repository, changes } = await backupStage();
  return { repository: { ...repository, ...broken }, changes };
}
const probe = (repository: Repository): Promise<void> => tryRepository(repository, "abc", new AbortController().signal);

describe("tryRepository", () => {
  it("writes one file, reads it and removes it", async () => {
    const { repository, changes } = await brokenRepository();
    await probe(repository);
    expect(changes).toEqual(["write stackferry-doctor-abc.txt", "remove stackferry-doctor-abc.txt"]);
    expect(await repository.list("")).toEqual([]);
  });

  it("fails if the repository returns another text or none, and removes the file nevertheless", async () => {
    for (const text of ["another", undefined]) {
      const readText = async () => text;
      const { repository, changes } = await brokenRepository({ readText });
      await expect(probe(repository)).rejects.toMatchObject({ code: "archive-io" });
      expect(changes).toEqual(["write stackferry-doctor-abc.txt", "remove stackferry-doctor-abc.txt"]);
    }
  });

  it("fails if the repository still has the removed file", async () => {
    const { repository } = await brokenRepository({ remove: async () => {} });
    await expect(probe(repository)).rejects.toMatchObject({ code: "archive-io" });
  });

  it("writes nothing if listing fails, and removes nothing if writing fails", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("no");
    };
    for (const broken of [{ list: fail }, { writeText: fail }]) {
      const { repository, changes } = await brokenRepository(broken);
      await expect(probe(repository)).rejects.toThrow("no");
      expect(changes).toEqual([]);
    }
  });
});
