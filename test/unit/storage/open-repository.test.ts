import { describe, expect, it } from "vitest";
import { openRepository, parseS3Address } from "../../../src/storage/open-repository.ts";
import { loadedBy } from "../../support/loaded-by.ts";

const source = (path: string): URL => new URL(`../../../src/${path}`, import.meta.url);
const sdk = ["@aws-sdk/client-s3"];

describe("the AWS SDK", () => {
  it.each(["cli/program/execute.ts", "cli/commands/backup.ts", "cli/commands/check.ts", "storage/open-repository.ts"])(
    "is not loaded with %s",
    (path) => {
      const loaded = loadedBy(source(path));
      expect(loaded.size).toBeGreaterThan(5);
      for (const name of sdk) expect(loaded).not.toContain(name);
    },
  );

  it("is loaded with an S3 repository", () => {
    expect([...loadedBy(source("storage/s3.ts"))]).toEqual(expect.arrayContaining(sdk));
  });
});

describe("the address of a repository", () => {
  it.each([
    ["s3://bucket", { bucket: "bucket", prefix: "" }],
    ["s3://bucket/", { bucket: "bucket", prefix: "" }],
    ["s3://my.bucket-1/a/b", { bucket: "my.bucket-1", prefix: "a/b/" }],
    ["s3://bucket//a//", { bucket: "bucket", prefix: "a/" }],
  ])("%s", (text, expected) => expect(parseS3Address(text)).toEqual(expected));

  it.each(["s3://", "s3://UPPER/a", "s3://user:key@bucket/a", "s3://bucket/../other", "https://bucket", "ftp://x/y"])(
    "%s is refused and not repeated in the message",
    async (address) => {
      const error: unknown = await openRepository(address, { cwd: "/", s3: {} }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "usage" });
      expect(String(error)).not.toContain("key@");
    },
  );
});
