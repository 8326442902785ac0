import { inspect } from "node:util";
import { onTestFinished } from "vitest";
import type { StackRequest } from "../../../../src/client/request.ts";
import { createStackClient } from "../../../../src/client/stack-client.ts";
import type { StackClientOptions } from "../../../../src/client/options.ts";
import { StackError } from "../../../../src/core/errors.ts";
import type { StackClient } from "../../../../src/core/ports.ts";
import type { ResourceKind } from "../../../../src/core/resource-kind.ts";
import { findKind } from "../../../../src/kinds/registry.ts";
import type { Sandbox } from "../../../../src/sandbox/start-sandbox.ts";

export const API_KEY = "LAB-ACCESS-KEY";

/** A request that only reads. */
export const readRequest: StackRequest = {
  method: "GET",
  path: "/x",
  url: "http://stack.test/x",
  writes: false,
  repeatable: true,
  optional: false,
  right: "a role",
};

/** Creates a client of a self-hosted stack, which is closed at the end of the test. By default it retries nothing. */
export function clientOf(baseUrl: string, options: Partial<StackClientOptions> = {}): StackClient {
  const client = createStackClient({
    identity: { variant: "self-hosted", baseUrl },
    credential: { apiKey: API_KEY },
    retryBudgetMs: 0,
    ...options,
  });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

/** Creates a client with the address and credential of the sandbox. */
export function clientOfSandbox(sandbox: Sandbox, options: Partial<StackClientOptions> = {}): StackClient {
  const {
    variant,
    url: baseUrl,
    organizationId = "",
    serviceId = "",
    apiKey = "",
    keyId = "",
    keySecret = "",
  } = sandbox;
  const identity = variant === "managed" ? { variant, baseUrl, organizationId, serviceId } : { variant, baseUrl };
  return clientOf(baseUrl, {
    identity,
    credential: variant === "managed" ? { keyId, keySecret } : { apiKey },
    ...options,
  });
}

export function kindOf(name: string): ResourceKind {
  const kind = findKind(name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
}

/** Returns all records of a list. */
export async function listAll(client: StackClient, kind: string, signal?: AbortSignal): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const page of client.list(kindOf(kind), signal)) records.push(...page.map(({ value }) => value));
  return records;
}

/** Returns the error with which an operation is refused. Fails the test if the operation succeeds. */
export async function refusal(operation: Promise<unknown>): Promise<StackError> {
  const error: unknown = await operation.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (error instanceof StackError) return error;
  throw error;
}

/** Returns as text everything that can be reached from a value, including hidden members and causes. */
export function everythingIn(value: unknown): string {
  return `${inspect(value, { depth: Infinity, showHidden: true, maxStringLength: Infinity })}\n${JSON.stringify(value)}`;
}
