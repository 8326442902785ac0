import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Repository } from "../../src/core/ports.ts";
import { openRepository } from "../../src/storage/open-repository.ts";
import type { S3Settings } from "../../src/storage/s3.ts";
import { realBucket, realS3, startS3Server } from "../support/s3-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface OpenedRepository extends AsyncDisposable {
  readonly repository: Repository;
}

async function folder(): Promise<OpenedRepository> {
  const repository = await openRepository(temporaryFolder(), { cwd: "/", s3: {} });
  return { repository, [Symbol.asyncDispose]: async () => {} };
}

const bucket = (prefix: string) => async (): Promise<OpenedRepository> => {
  const server = await startS3Server();
  const repository = await openRepository(`s3://${server.bucket}${prefix}`, { cwd: "/", s3: server.settings });
  const close = async (): Promise<void> => {
    await repository[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { repository, [Symbol.asyncDispose]: close };
};

async function real(): Promise<OpenedRepository> {
  const { bucket: name, settings } = await realBucket();
  const repository = await openRepository(`s3://${name}/some/prefix`, { cwd: "/", s3: settings });
  return { repository, [Symbol.asyncDispose]: () => repository[Symbol.asyncDispose]() };
}

const KEY = { accessKeyId: "a", secretAccessKey: "b" };
const REACHABLE = { region: "r", credentials: KEY, attempts: 1 };

/** A file of more than 5 MiB, in which each byte depends on its position. */
const large = Buffer.from(Uint32Array.from({ length: 1_320_000 }, (_, index) => index * 2_654_435_761).buffer);

describe.each([
  ["a folder", folder],
  ["a bucket", bucket("")],
  ["a prefix of a bucket", bucket("/some/prefix")],
  ...(realS3 === "" ? [] : [["a bucket of a real store", real] as const]),
] as const)("%s as a repository", (_, open) => {
  it("has a clock that agrees with this machine's, and reading the clock leaves no file", async () => {
    await using opened = await open();
    const { repository } = opened;
    await repository.list("");
    expect(Math.abs(await repository.clockAhead())).toBeLessThan(60_000);
    expect(await repository.list("")).toEqual([]);
  });

  it("returns a stored file byte for byte", async () => {
    await using opened = await open();
    const { repository } = opened;
    const work = temporaryFolder();
    for (const [index, bytes] of [Buffer.from("small"), Buffer.alloc(0), large].entries()) {
      const name = `stack/${index}.zip`;
      await writeFile(join(work, "in"), bytes);
      await repository.put(join(work, "in"), name);
      await repository.fetch(name, join(work, `out-${index}`));
      expect((await readFile(join(work, `out-${index}`))).equals(bytes)).toBe(true);
    }
    const listed = await repository.list("");
    expect(listed.map(({ name, bytes }) => [name, bytes])).toEqual([
      ["stack/0.zip", 5],
      ["stack/1.zip", 0],
      ["stack/2.zip", large.length],
    ]);
  });

  it("lists files by prefix, in the order of names", async () => {
    await using opened = await open();
    const { repository } = opened;
    for (const name of ["b/2", "a/1", "ab/1", "a/.hidden", "a/deep/er/1"]) await repository.writeText(name, name);
    const names = async (prefix: string): Promise<string[]> => (await repository.list(prefix)).map(({ name }) => name);
    expect(await names("")).toEqual(["a/.hidden", "a/1", "a/deep/er/1", "ab/1", "b/2"]);
    expect(await names("a/")).toEqual(["a/.hidden", "a/1", "a/deep/er/1"]);
    expect(await names("a")).toEqual(["a/.hidden", "a/1", "a/deep/er/1", "ab/1"]);
    expect(await names("none/")).toEqual([]);
  });

  it("stores small texts and replaces them whole", async () => {
    await using opened = await open();
    const { repository } = opened;
    expect(await repository.readText("s/status.json")).toBeUndefined();
    await repository.writeText("s/status.json", "one ☂");
    await repository.writeText("s/status.json", "two");
    expect(await repository.readText("s/status.json")).toBe("two");
    expect((await repository.list("")).length).toBe(1);
  });

  it("refuses to fetch a missing file and writes no local file", async () => {
    await using opened = await open();
    const target = join(temporaryFolder(), "out");
    await expect(opened.repository.fetch("s/none.zip", target)).rejects.toMatchObject({ code: "not-found" });
    await expect(stat(target)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("removes a file, and does not fail if the file is already removed", async () => {
    await using opened = await open();
    const { repository } = opened;
    await repository.writeText("s/a", "a");
    await repository.remove("s/a");
    await repository.remove("s/a");
    expect(await repository.list("")).toEqual([]);
  });

  it("refuses names that lead out of the repository", async () => {
    await using opened = await open();
    const { repository } = opened;
    for (const name of ["../a", "a/../../b", "/etc/passwd", "a//b", "a/./b", "", "a\\b", "a\nb"]) {
      await expect(repository.writeText(name, "x")).rejects.toMatchObject({ code: "usage" });
    }
    expect(await repository.list("")).toEqual([]);
  });

  it("stores no part of a file that cannot be read, or if the run is stopped", async () => {
    await using opened = await open();
    const { repository } = opened;
    await expect(repository.put(join(temporaryFolder(), "none"), "s/a.zip")).rejects.toThrow();
    await writeFile(join(temporaryFolder(), "x"), "x");
    const path = join(temporaryFolder(), "large");
    await writeFile(path, large);
    const stopped = AbortSignal.abort(new Error("stop"));
    await expect(repository.put(path, "s/b.zip", stopped)).rejects.toThrow();
    expect(await repository.list("")).toEqual([]);
  });

  it("lists an empty file with the time of its writing, at once and until it is removed", async () => {
    await using opened = await open();
    const { repository } = opened;
    await repository.writeText("s/20261121T041500Z.accepted", "");
    const [file, ...others] = await repository.list("s/20261121T041500Z.");
    expect([file?.name, file?.bytes, others]).toEqual(["s/20261121T041500Z.accepted", 0, []]);
    const now = Date.now() - (await repository.clockAhead());
    expect(Math.abs(now - (file?.modifiedAt ?? 0))).toBeLessThan(60_000);
    expect(await repository.readText("s/20261121T041500Z.accepted")).toBe("");
    await repository.remove("s/20261121T041500Z.accepted");
    await repository.remove("s/20261121T041500Z.accepted");
    expect(await repository.list("")).toEqual([]);
  });

  it("shows each of many runs that write at the same time the files that were written before", async () => {
    await using opened = await open();
    const { repository } = opened;
    const seen = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        await repository.writeText(`s/20261121T041500Z.run-${index}`, "");
        return (await repository.list("s/20261121T041500Z.")).length;
      }),
    );
    // Each sees its own file, and the one that wrote last sees all of them: at most one run is alone.
    expect(seen.filter((count) => count === 1).length).toBeLessThanOrEqual(1);
    expect(Math.max(...seen)).toBe(8);
  });
});

describe("a folder as a repository", () => {
  it("is refused if it does not exist", async () => {
    const missing = join(temporaryFolder(), "not", "mounted");
    await expect(openRepository(missing, { cwd: "/", s3: {} })).rejects.toMatchObject({ code: "usage" });
  });

  it("holds private files", async () => {
    const path = temporaryFolder();
    await using repository = await openRepository(path, { cwd: "/", s3: {} });
    const file = join(temporaryFolder(), "a");
    await writeFile(file, "a");
    await repository.put(file, "s/a.zip");
    expect((await stat(join(path, "s/a.zip"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, "s"))).mode & 0o777).toBe(0o700);
  });

  it("on a disk of its own lists neither lost+found, which only root can read, nor snapshots", async () => {
    const path = temporaryFolder();
    for (const name of ["lost+found", ".snapshot/hourly", "s.t-1_U"]) {
      await mkdir(join(path, name), { recursive: true });
      await writeFile(join(path, name, "a.zip"), "a");
    }
    await using repository = await openRepository(path, { cwd: "/", s3: {} });
    expect((await repository.list("")).map(({ name }) => name)).toEqual(["s.t-1_U/a.zip"]);
  });

  it.skipIf(process.getuid?.() === 0)("whose files cannot be looked at is not taken for an empty one", async () => {
    const path = temporaryFolder();
    await using repository = await openRepository(path, { cwd: "/", s3: {} });
    await repository.writeText("s/status.json", "{}");
    for (const [mode, named] of [
      [0o600, "s/status.json"],
      [0o000, "s/"],
    ] as const) {
      await chmod(join(path, "s"), mode);
      const message = `cannot list ${join(path, named)}: permission denied (EACCES)`;
      await expect(repository.list("")).rejects.toMatchObject({ code: "archive-io", message });
    }
    await chmod(join(path, "s"), 0o700);
  });
});

describe("a bucket as a repository", () => {
  it.each([
    [403, "AccessDenied", "forbidden"],
    [403, "InvalidObjectState", "archive-io"],
    [400, "ExpiredToken", "unauthorized"],
    [403, "InvalidAccessKeyId", "forbidden"],
    [403, "SignatureDoesNotMatch", "forbidden"],
    [404, "NoSuchBucket", "usage"],
    [503, "ServiceUnavailable", "unavailable"],
    [503, "SlowDown", "unavailable"],
    [429, "TooManyRequests", "unavailable"],
    [500, "InternalError", "unavailable"],
    [400, "constructor", "archive-io"],
  ])("reports status %s %s as %s, without the server's own words", async (status, code, expected) => {
    await using server = await startS3Server();
    await using repository = await openRepository(`s3://${server.bucket}`, { cwd: "/", s3: server.settings });
    server.intercept = () => ({ status, code });
    const error: unknown = await repository.list("").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: expected, hint: expect.any(String) });
    expect(String(error)).not.toContain("AKIDEXAMPLE");
  });

  it("is not asked with an access key that holds a line break", async () => {
    const credentials = { accessKeyId: "a\nb", secretAccessKey: "c" };
    const s3 = { endpoint: "http://127.0.0.1:9", region: "r", attempts: 1, timeoutMs: 100, credentials };
    await using repository = await openRepository("s3://backups", { cwd: "/", s3 });
    await expect(repository.list("")).rejects.toMatchObject({
      code: "config",
      hint: expect.stringContaining("KEY_ID"),
    });
  });

  it("is reported as unreachable if nobody listens at its address", async () => {
    const s3 = {
      endpoint: "http://127.0.0.1:9",
      region: "r",
      attempts: 1,
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    };
    await using repository = await openRepository("s3://backups", { cwd: "/", s3 });
    await expect(repository.list("")).rejects.toMatchObject({ code: "unreachable" });
  });

  it.each<[string, S3Settings, string, RegExp]>([
    ["no region", { credentials: KEY }, "config", /no region/],
    ["an endpoint without a scheme", { endpoint: "s3.example.net", ...REACHABLE }, "config", /not an address/],
    ["a host without an address", { endpoint: "http://s3.invalid", ...REACHABLE }, "unreachable", /s3\.invalid/],
    [
      "a port at which nothing listens",
      { endpoint: "http://127.0.0.1:9", ...REACHABLE },
      "unreachable",
      /127\.0\.0\.1:9/,
    ],
  ])("with %s is told by its cause", async (_, s3, code, cause) => {
    await using repository = await openRepository("s3://backups", { cwd: "/", s3: { forcePathStyle: true, ...s3 } });
    const error: unknown = await repository.list("").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(cause), hint: expect.any(String) });
  });

  it("names the cause if there are no credentials", async () => {
    // The SDK also looks for credentials in the environment and in the user's files.
    for (const [name, value] of Object.entries({ HOME: "/nowhere", AWS_EC2_METADATA_DISABLED: "true" }))
      vi.stubEnv(name, value);
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"]) vi.stubEnv(name, undefined);
    await using repository = await openRepository("s3://backups", { cwd: "/", s3: { region: "r", attempts: 1 } });
    const error: unknown = await repository.list("").catch((thrown: unknown) => thrown);
    vi.unstubAllEnvs();
    expect(error).toMatchObject({ code: "config", message: expect.stringContaining("no credentials") });
  });

  it.each([200, 404])("refuses a server that answers %i with a page of HTML", async (status) => {
    const page = createServer((_, response) => response.writeHead(status).end("<!doctype html><p>Welcome</p>"));
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    const { port } = page.address() as AddressInfo;
    const s3 = { endpoint: `http://127.0.0.1:${port}`, ...REACHABLE };
    await using repository = await openRepository("s3://backups", { cwd: "/", s3 });
    await expect(repository.list("")).rejects.toMatchObject({ code: "protocol" });
    page.closeAllConnections();
    page.close();
  });

  it("is reported as unreachable if it never answers", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    const s3 = { endpoint: `http://127.0.0.1:${port}`, region: "r", attempts: 1, timeoutMs: 200, credentials };
    await using repository = await openRepository("s3://backups", { cwd: "/", s3 });
    await expect(repository.list("")).rejects.toMatchObject({ code: "unreachable" });
    silent.closeAllConnections();
    silent.close();
  });

  it("is sent a file in one request, which is read back", async () => {
    await using server = await startS3Server();
    await using repository = await openRepository(`s3://${server.bucket}`, { cwd: "/", s3: server.settings });
    const file = join(temporaryFolder(), "large");
    await writeFile(file, large);
    await repository.put(file, "s/a.zip");
    expect(server.requests.map((line) => line.split(" ")[0])).toEqual(["PUT", "GET"]);
  });

  it("keeps the file of that name that it has if it refuses a new one", async () => {
    await using server = await startS3Server();
    await using repository = await openRepository(`s3://${server.bucket}/p`, { cwd: "/", s3: server.settings });
    const work = temporaryFolder();
    for (const text of ["old", "new"]) await writeFile(join(work, text), text);
    await repository.put(join(work, "old"), "s/one.zip");
    server.intercept = (request) => (request.startsWith("PUT ") ? { status: 500, code: "InternalError" } : undefined);
    await expect(repository.put(join(work, "new"), "s/one.zip")).rejects.toMatchObject({ code: "unavailable" });
    await repository.fetch("s/one.zip", join(work, "out"));
    expect(await readFile(join(work, "out"), "utf8")).toBe("old");
  });
});

it("the clock of a store is that of its answers", async () => {
  const xml =
    "<ListBucketResult><Name>b</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>";
  const server = createServer((_, response) => {
    response.setHeader("date", new Date(Date.now() - 3_600_000).toUTCString());
    response.setHeader("content-type", "application/xml").end(xml);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const settings = { ...REACHABLE, endpoint: `http://127.0.0.1:${port}` };
  await using repository = await openRepository("s3://bucket/p", { cwd: "/", s3: settings });
  // Without an earlier response, the store is asked.
  expect(Math.round((await repository.clockAhead()) / 60_000)).toBe(60);
  server.close();
});
