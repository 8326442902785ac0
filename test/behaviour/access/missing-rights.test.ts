import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programWithBackups, type ProgramWithBackups } from "../../support/program-with-backups.ts";
import { sampleWith } from "../../support/program.ts";
import { startSandbox, type Sandbox, type SandboxVariant } from "../../support/start-sandbox.ts";

/** The answer of a stack, or of something in front of it, to a request that it does not carry out. */
interface Refusal {
  readonly status: 401 | 403 | 404 | 405;
  /** A page, as a firewall and an unknown route send it; by default, the form of the variant. */
  readonly page?: string;
}
type Verdict = readonly [code: string, exitCode: number, words: RegExp];

/** Refusals of a kind that count as a missing right if deployments may lack the kind, and the verdicts if none lacks it. */
const FORBIDDING: Readonly<Record<string, readonly [Refusal, Verdict]>> = {
  "403": [{ status: 403 }, ["forbidden", 5, /Forbidden/]],
  "403 with a page": [
    { status: 403, page: "<html><body><h1>Access denied</h1></body></html>" },
    ["forbidden", 5, /in front of/],
  ],
  "401": [{ status: 401 }, ["unauthorized", 5, /Unauthorized/]],
  "401 with a page": [
    { status: 401, page: "<!DOCTYPE html><html><body>Sign in</body></html>" },
    ["unauthorized", 5, /in front of/],
  ],
};
/** Refusals that count as a kind that the deployment lacks if deployments may lack it, and the other verdicts. */
const LACKING: typeof FORBIDDING = {
  "404": [{ status: 404 }, ["not-found", 3, /answered 404/]],
  "405": [{ status: 405 }, ["not-offered", 3, /answered 405/]],
  "the page of an unknown route": [
    { status: 404, page: "<!DOCTYPE html>\n<html><body>Cannot GET</body></html>" },
    ["not-offered", 3, /answered 404/],
  ],
};

const IN_FRONT = /answered 40[13] by something in front of the stack, not by the stack: (?:Access denied|Sign in); /;
const RIGHT: Readonly<Record<SandboxVariant, RegExp>> = {
  managed:
    /answered 40[13]: (?:Forbidden|Unauthorized); the key needs the permission for (?:the stack's records|pipes), /,
  "self-hosted":
    /answered 40[13]: (?:Forbidden|Unauthorized); the key needs a user who is in a team and has a role that may read \w+/,
};

/** By variant: the kinds that deployments may lack, and those that every deployment has. The first meets every refusal. */
const KINDS = {
  managed: {
    optional: ["pipes", "webhooks", "saved-searches"],
    required: ["sources", "dashboards", "alerts"],
  },
  "self-hosted": {
    optional: ["connections", "saved-searches"],
    required: ["sources", "webhooks", "dashboards", "alerts"],
  },
} as const;

/** Returns each kind with each refusal that it meets: the kinds after the first meet one of each sort alone. */
function casesOf(kinds: readonly string[], refusals: typeof FORBIDDING) {
  return kinds.flatMap((kind, index) =>
    Object.entries(refusals)
      .filter(([name]) => index === 0 || name === "403" || name === "404")
      .map(([name, [refusal, verdict]]) => ({ kind, name, refusal, verdict })),
  );
}

const WORDS = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
} as const;

/** Returns the refusal in the form of the variant (docs/api.md#envelopes). */
function answerOf({ status, page }: Refusal, variant: SandboxVariant): Response {
  const words = WORDS[status];
  if (page !== undefined) return new Response(page, { status, headers: { "Content-Type": "text/html" } });
  if (variant === "managed") return Response.json({ status, error: words, requestId: "r-1" }, { status });
  return status === 401 ? new Response(words, { status }) : Response.json({ message: words }, { status });
}

describe.each(["managed", "self-hosted"] as const)("a %s stack that refuses the list of one kind", (variant) => {
  let refused: { readonly kind: string; readonly refusal: Refusal } | undefined;
  let stack: Sandbox;
  let program: ProgramWithBackups;
  beforeAll(async () => {
    stack = await startSandbox({
      variant,
      seed: await sampleWith(variant, "Checkout latency", "Service overview"),
      intercept: ({ route }, proceed) =>
        refused !== undefined && route === `GET ${refused.kind}` ? answerOf(refused.refusal, variant) : proceed(),
    });
    program = await programWithBackups({ home: stack });
  });
  afterAll(() => stack.close());

  /** Exports and examines the stack, and returns what both make of the kind. */
  async function read(kind: string, refusal: Refusal) {
    refused = { kind, refusal };
    const exported = await program.json("export --from home --out a.zip");
    const examined = await program.json("doctor home");
    refused = undefined;
    const [seenStack] = examined["stacks"] as [{ readonly kinds: readonly { readonly kind: string }[] }];
    return {
      exported,
      exitCodes: [exported["exitCode"], examined["exitCode"]],
      summary: (exported["kinds"] as Record<string, object> | undefined)?.[kind],
      seen: seenStack.kinds.find((each) => each.kind === kind),
    };
  }

  const { optional, required } = KINDS[variant];

  it.each(casesOf(optional, FORBIDDING))("is exported without $kind, which the key may not read: $name", async (of) => {
    const { exported, exitCodes, summary, seen } = await read(of.kind, of.refusal);
    expect(exitCodes).toEqual([3, 5]);
    expect(summary).toMatchObject({ status: "failed", code: "forbidden", count: 0 });
    const message = expect.stringMatching(of.refusal.page === undefined ? RIGHT[variant] : IN_FRONT);
    expect(exported).toMatchObject({ incomplete: [of.kind], warnings: [{ code: "forbidden", message }] });
    expect(seen).toMatchObject({ status: "failed", code: "forbidden" });
  });

  it.each(casesOf(optional, LACKING))("is exported whole, because it has no $kind: $name", async (of) => {
    const { exported, exitCodes, summary, seen } = await read(of.kind, of.refusal);
    expect(exitCodes).toEqual([0, 0]);
    expect(summary).toEqual({ status: "not-offered", count: 0 });
    expect(exported).toMatchObject({ incomplete: [], warnings: [] });
    expect(seen).toEqual({ kind: of.kind, status: "not-offered" });
  });

  const refusals = { ...FORBIDDING, ...LACKING };
  it.each(casesOf(required, refusals))("is not exported without $kind, which every stack has: $name", async (of) => {
    const { exported, exitCodes } = await read(of.kind, of.refusal);
    const [code, exitCode, words] = of.verdict;
    expect(exitCodes).toEqual([exitCode, exitCode]);
    expect(exported).toMatchObject({ error: { code, message: expect.stringMatching(words) } });
  });

  it.each(optional)("stores a backup without %s, and is no success", async (kind) => {
    await mkdir(join(program.cwd, kind));
    refused = { kind, refusal: { status: 403 } };
    const backedUp = await program.json(`backup home --to ${kind}`);
    refused = undefined;
    expect(backedUp).toMatchObject({ exitCode: 3, stacks: [{ result: "stored", suspect: [], forbidden: [kind] }] });
  });

  it("says so in the archive, in the text of a backup, and in that of doctor", async () => {
    refused = { kind: "saved-searches", refusal: { status: 403 } };
    await program.run("export --from home --out told --format folder");
    const stored = await program.run("backup home --to place");
    const again = await program.run("backup home --to place --if-changed");
    const examined = await program.run("doctor home");
    const listed = await program.run("list place");
    refused = undefined;
    const manifest: unknown = JSON.parse(await readFile(join(program.cwd, "told", "manifest.json"), "utf8"));
    const error = expect.stringContaining("Forbidden");
    expect(manifest).toMatchObject({
      kinds: { "saved-searches": { status: "failed", code: "forbidden", count: 0, error } },
      warnings: [{ code: "forbidden" }],
    });
    for (const { exitCode, stdout } of [stored, again]) {
      expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/✗ (?:stored|unchanged), incomplete/)]);
    }
    expect(listed.stdout).toContain("lacks saved searches");
    expect(examined.stdout).toContain("✓ reachable, credential accepted");
    expect(examined.stdout).toContain("saved searches cannot be read: GET");
    expect(examined.stdout).toMatch(/saved-searches .*\(forbidden\)/);
  });
});
