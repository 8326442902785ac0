import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { getOrMake } from "../../src/core/collections.ts";
import type { SandboxExchange } from "../../src/sandbox/http/serve-call.ts";
import { disagreementsOf } from "./managed-exchange.ts";
import { disagreementsOf as selfHostedDisagreementsOf } from "./self-hosted-exchange.ts";
import { takeAllowedPatterns } from "./allow-undescribed.ts";

/*
 * Compares every response of a sandbox, and every body that the program sends to it, with the shapes that the owner of the API
 * publishes. This covers sandboxes in this process and in programs that it starts. A disagreement fails the running test.
 */
const found = new Set<string>();
const started = join(tmpdir(), `stackferry-exchanges-${process.pid}`);
process.env["STACKFERRY_EXCHANGES"] = started;
process.env["NODE_OPTIONS"] = `--import ${JSON.stringify(new URL("record-exchanges.js", import.meta.url).href)}`;

/** By read and its answer: the disagreements. The same lists are read again and again, and each answer is judged once. */
const judgedReads = new Map<string, readonly string[]>();

function check(exchange: unknown): void {
  for (const each of judged(exchange as SandboxExchange)) found.add(each);
}

function judged(exchange: SandboxExchange): readonly string[] {
  const { variant, requestBody, route, status, responseBody } = exchange;
  if (requestBody !== undefined) return judge(exchange);
  return getOrMake(judgedReads, `${variant} ${route} ${status}\n${responseBody}`, () => judge(exchange));
}

function judge({ variant, userAgent, route, requestBody, status, responseBody }: SandboxExchange): string[] {
  const isOurs = userAgent?.startsWith("stackferry/") ?? false;
  const disagreements = variant === "managed" ? disagreementsOf : selfHostedDisagreementsOf;
  const body = isOurs ? { sent: requestBody } : {};
  return disagreements({ route, status, answered: responseBody, ...body }).map((each) => `${variant}: ${each}`);
}

function fail(): void {
  if (existsSync(started)) {
    const lines = readFileSync(started, "utf8").split("\n");
    for (const line of lines) if (line !== "") check(JSON.parse(line));
    rmSync(started);
  }
  const allowed = takeAllowedPatterns();
  const isAllowed = (each: string): boolean => each.includes(": answered GET ") && allowed.some((at) => at.test(each));
  const disagreements = [...found].filter((each) => !isAllowed(each));
  found.clear();
  if (disagreements.length > 0) throw new Error(`not as the stack is described:\n${disagreements.join("\n")}`);
}

subscribe("stackferry:sandbox", check);
afterEach(fail);
afterAll(() => {
  unsubscribe("stackferry:sandbox", check);
  judgedReads.clear();
  fail();
});
