import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Settings } from "../../src/storage/s3.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The part of s3rver that is used here. The package has no types. */
interface S3rver {
  readonly store: S3rverStore;
  configureBuckets(): Promise<void>;
  callback(): RequestListener;
}

/** Keeps each object as three files of a folder. */
interface S3rverStore {
  getMetadata(bucket: string, key: string): Promise<{ readonly "content-length": number }>;
  putObject(object: S3Place): Promise<{ readonly size: number }>;
  deleteObject(bucket: string, key: string): Promise<unknown>;
}

interface S3Place {
  readonly bucket: string;
  readonly key: string;
}

/** An error response. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** An S3 server in this process: s3rver, behind a layer that notes and refuses requests. */
export interface S3Server extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  /** The settings with which a repository uses this server. */
  readonly settings: S3Settings;
  /** The same settings as the environment variables of AWS programs. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests, such as `PUT /bucket/key?query`, in the order of their arrival. */
  readonly requests: string[];
  /** Called before each request. If it returns a refusal, this is sent instead of the response. */
  intercept: (request: string) => Refusal | undefined;
}

/** Starts the server. */
export async function startS3Server(): Promise<S3Server> {
  // The SDK's warning about Node versions would be on stderr of every test.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";
  const directory = temporaryFolder();
  const bucket = "backups";
  const require = createRequire(import.meta.url);
  const Server = require("s3rver") as new (options: object) => S3rver;
  const options = { silent: true, directory, vhostBuckets: false, configureBuckets: [{ name: bucket }] };
  const rver = new Server(options);
  await rver.configureBuckets();
  rememberMetadata(rver.store);
  const handle = rver.callback();
  const requests: string[] = [];
  const server: { intercept: S3Server["intercept"] } = { intercept: () => undefined };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const line = `${request.method ?? ""} ${request.url ?? ""}`;
    requests.push(line);
    const refusal = server.intercept(line);
    if (refusal !== undefined) {
      request.resume();
      response.writeHead(refusal.status, { "content-type": "application/xml" });
      const told = `told as it is, with a secret inside: AKIDEXAMPLE`;
      response.end(`<?xml version="1.0"?><Error><Code>${refusal.code}</Code><Message>${told}</Message></Error>`);
      return;
    }
    const ended = new Promise((resolve) => response.on("close", resolve));
    handle(request, response);
    await ended;
  };

  const http = createServer((request, response) => void serve(request, response));
  // A client could send its next request at the moment at which an idle connection is closed.
  http.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
  const credentials = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER-secret" };
  return Object.assign(server, {
    url,
    bucket,
    requests,
    settings: { endpoint: url, region: "us-east-1", credentials, attempts: 1 },
    env: {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
}

/**
 * Makes s3rver remember the metadata of its objects: for a list, it would read two files of each object. Nobody else writes into its
 * folder, and no test gives a bucket a configuration.
 */
function rememberMetadata(store: S3rverStore): void {
  const known = new Map<string, ReturnType<S3rverStore["getMetadata"]>>();
  const getMetadata = store.getMetadata.bind(store);
  const putObject = store.putObject.bind(store);
  const deleteObject = store.deleteObject.bind(store);
  const write = async <Result>(bucket: string, key: string, act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } finally {
      known.delete(`${bucket}/${key}`);
    }
  };
  Object.assign(store, {
    getMetadata(bucket: string, key: string) {
      const name = `${bucket}/${key}`;
      const metadata = known.get(name) ?? getMetadata(bucket, key);
      known.set(name, metadata);
      metadata.catch(() => known.delete(name));
      return metadata;
    },
    putObject: (object: S3Place) =>
      write(object.bucket, object.key, async () => {
        const stored = await putObject(object);
        const hasAll = (): Promise<boolean> =>
          getMetadata(object.bucket, object.key).then(
            (metadata) => metadata["content-length"] === stored.size,
            () => false,
          );
        // s3rver would answer before the last bytes are in the file. Another request may have replaced or removed it.
        for (let looks = 0; looks < 100 && !(await hasAll()); looks += 1) await setImmediate();
        return stored;
      }),
    deleteObject: (bucket: string, key: string) => write(bucket, key, () => deleteObject(bucket, key)),
    getSubresource: async () => null,
  });
}

/** The endpoint of a real object store, set by `test/ceph/run.sh`; empty in every other run. */
export const realS3 = process.env["STACKFERRY_TEST_S3"] ?? "";

/** Makes a new bucket in the real object store. */
export async function realBucket(): Promise<{ readonly bucket: string; readonly settings: S3Settings }> {
  const credentials = { accessKeyId: "KEYOFTEST", secretAccessKey: "SECRETOFTEST" };
  const settings = { endpoint: realS3, region: "us-east-1", credentials };
  const client = new S3Client({ ...settings, forcePathStyle: true });
  const bucket = `test-${Date.now()}-${Math.floor(performance.now() * 1000)}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return { bucket, settings };
}
