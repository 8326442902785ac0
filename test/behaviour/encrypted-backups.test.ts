import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StackferryError, nameAt, storedBackups } from "../support/stored-backups.ts";

const HOUR = 3_600_000;

describe("an encrypted archive whose demanded signature does not fit", () => {
  it.each([true, false])(
    "is never good because its checksum stands in status.json (key at hand: %s)",
    async (hasKey) => {
      const bench = await storedBackups();
      bench.hasKey = hasKey;
      await bench.backup({ encrypted: true });
      // An attacker who can write to the repository can write an archive, its status and its signature, but cannot sign with
      // the right key.
      Object.assign(bench.dependencies, {
        checksSignature: true,
        openArchive: async () => {
          throw new StackferryError("archive-damaged", "the signature is not of that key");
        },
      });
      expect(await bench.check()).toMatchObject([{ damaged: [{ archive: nameAt(0, true) }], tooOld: true }]);
      await expect(bench.choose("latest")).rejects.toMatchObject({ code: "archive-damaged" });
      await expect(bench.choose({ notAfter: bench.clock.now() })).rejects.toMatchObject({ code: "archive-damaged" });
    },
  );

  it("is not known to be good where no key opens it", async () => {
    const bench = await storedBackups();
    await bench.backup({ encrypted: true });
    bench.hasKey = false;
    expect(await bench.check()).toMatchObject([{ newestGood: nameAt(0, true) }]);
    Object.assign(bench.dependencies, { checksSignature: true });
    const [check] = await bench.check();
    expect(check).toMatchObject({ encrypted: 1, tooOld: true });
    expect(check?.newestGood).toBeUndefined();
  });
});

describe("an archive whose size differs from status.json", () => {
  it("is read anew: what the status says of it is not believed", async () => {
    const bench = await storedBackups();
    await bench.backup();
    await bench.clock.advance(HOUR);
    await bench.backup();
    const status = (await bench.repository.readText("s/status.json"))?.text ?? "";
    const [newest] = [/"bytes": (\d+)/.exec(status)?.[1] ?? ""];
    const forged = status
      .replace(`"bytes": ${newest}`, `"bytes": ${Number(newest) + 1}`)
      .replace(/("webhooks": \{[^}]*"count": )\d+/s, "$1 77");
    expect(forged).toContain("77");
    await writeFile(join(bench.path, "s/status.json"), forged);
    bench.fetched.length = 0;
    expect((await bench.check({ percent: 0 }))[0]?.summary.records).toMatchObject({ webhooks: 2 });
    expect(bench.fetched).toContain(nameAt(1));
  });
});
