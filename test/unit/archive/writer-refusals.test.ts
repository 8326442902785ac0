import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../../src/archive/reader.ts";
import { createArchiveWriter } from "../../../src/archive/writer.ts";
import {
  storedArchive,
  errorCodeOf,
  sampleHeader,
  sampleRecord,
  writeArchive,
  refusal,
} from "../../support/archive-samples.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe.each(["zip", "folder"] as const)("writing a %s", (format) => {
  it("refuses records that the archive reader would refuse", async () => {
    const folder = temporaryFolder();
    const limits = { maxEntryBytes: 200, maxDepth: 3, maxEntries: 3, maxTotalBytes: 150 };
    await using writer = await createArchiveWriter({ path: join(folder, "archive"), format, limits });
    const codeOfAdding = (record: Parameters<typeof writer.add>[0]): Promise<string> =>
      writer.add(record).then(() => "added", errorCodeOf);
    expect(await codeOfAdding({ kind: "../up", id: "a", name: "", body: { id: "a" } })).toBe("protocol");
    expect(await codeOfAdding({ kind: "alerts", id: "a", name: "", body: { id: "b" } })).toBe("protocol");
    expect(await codeOfAdding({ kind: "alerts", id: "a", name: "", body: {} })).toBe("protocol");
    expect(await codeOfAdding(sampleRecord("a", "alerts", { deep: [[[]]] }))).toBe("protocol");
    expect(await codeOfAdding(sampleRecord("a", "alerts", { long: "x".repeat(200) }))).toBe("protocol");
    expect(await codeOfAdding(sampleRecord("a", "alerts", { deep: [[]] }))).toBe("added");
    expect(await codeOfAdding(sampleRecord("b", "alerts", { long: "x".repeat(100) }))).toBe("usage");
    expect(await codeOfAdding(sampleRecord("b", "alerts"))).toBe("added");
    expect(await codeOfAdding(sampleRecord("c", "alerts"))).toBe("usage");
  });

  it("refuses a header that no reader would take", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "archive");
    await expect(writeArchive({ path, format }, [], { createdAt: "today" })).rejects.toMatchObject(
      refusal("incomplete"),
    );
    const redactions = [{ path: "alerts/none.json", pointer: "/a", rule: "b" }];
    await expect(writeArchive({ path, format }, [], { redactions })).rejects.toMatchObject(refusal("incomplete"));
    expect(await readdir(folder)).toEqual([]);
  });

  it("refuses a header that is more than a manifest may hold, and takes as much as it may", async () => {
    const folder = temporaryFolder();
    const records = ["a", "b"].map((id) => sampleRecord(id, "alerts"));
    const redactions = ["a", "b"].map((id) => ({ path: `alerts/${id}.json`, pointer: "/x", rule: "jwt" }));
    const warnings = ["c", "d"].map((code) => ({ code, message: "m" }));
    const notes = { redactions, warnings };
    const written = async (limits: object, more: object = notes): Promise<string> => {
      const path = join(folder, "archive");
      return writeArchive({ path, format, limits }, records, more).then(() => "written", errorCodeOf);
    };
    expect(await written({ maxManifestBytes: 500 })).toBe("usage");
    expect(await written({ maxManifestValues: 20 })).toBe("usage");
    expect(await written({ maxNotes: 1 }, { redactions })).toBe("usage");
    expect(await written({ maxNotes: 1 }, { warnings })).toBe("usage");
    expect(await readdir(folder)).toEqual([]);
    expect(await written({ maxNotes: 2, maxEntries: 3 })).toBe("written");
  });

  it.each(["http://user:secret@localhost", "http://user@localhost", "http://:secret@localhost"])(
    "refuses the address %s, and leaves no file",
    async (baseUrl) => {
      const folder = temporaryFolder();
      const source = { variant: "self-hosted", baseUrl } as const;
      const written = writeArchive({ path: join(folder, "archive"), format }, [], { source });
      await expect(written).rejects.toMatchObject(refusal("secret-in-output"));
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("takes a base URL that is no URL, and the stack's ids, name and filter", async () => {
    const source = { variant: "managed", baseUrl: "nowhere", organizationId: "o", serviceId: "s" } as const;
    const filter = { include: ["a"], exclude: ["b"] };
    const path = await storedArchive({ format }, [], { source, stack: "production", filter });
    await using reader = await openArchive(path);
    expect(reader.manifest).toMatchObject({ source, stack: "production", filter });
  });

  it("takes no more records after it is finished", async () => {
    const folder = temporaryFolder();
    await using writer = await createArchiveWriter({ path: join(folder, "archive"), format });
    await writer.finish(sampleHeader([]));
    await expect(writer.add(sampleRecord("late"))).rejects.toMatchObject(refusal("usage"));
    await expect(writer.finish(sampleHeader([]))).rejects.toMatchObject(refusal("usage"));
  });

  it("names the path to which it could not write", async () => {
    const folder = temporaryFolder();
    await expect(createArchiveWriter({ path: join(folder, "none", "archive"), format })).rejects.toMatchObject(
      refusal("archive-io"),
    );
    await symlink("elsewhere", join(folder, "link"));
    await expect(createArchiveWriter({ path: join(folder, "link"), format })).rejects.toMatchObject(refusal("usage"));
    const taken = join(folder, "taken");
    await (format === "zip" ? mkdir(taken) : writeFile(taken, "mine"));
    await expect(createArchiveWriter({ path: taken, format })).rejects.toMatchObject(refusal("usage"));
    expect((await readdir(folder)).toSorted()).toEqual(["link", "taken"]);
  });
});
