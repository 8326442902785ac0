import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startSandbox,
  type InterceptedRequest,
  type Sandbox,
  type SandboxVariant,
} from "../../support/start-sandbox.ts";
import { sampleWith } from "../../support/program.ts";
import { documentOf } from "../../support/run-cli.ts";
import { programWithBackups, type ProgramWithBackups } from "../../support/program-with-backups.ts";

/** The answer of a stack, or of something in front of it, to a request that it does not carry out. */
interface Refusal {
  readonly status: number;
  /** A page, as a firewall and an unknown route send it; by default, the form of the variant. */
  readonly page?: string;
}

const REFUSALS = {
  "403": { status: 403 },
  "403 with a page": { status: 403, page: "<html><body><h1>Access denied</h1></body></html>" },
  "401": { status: 401 },
  "401 with a page": { status: 401, page: "<!DOCTYPE html><html><body>Sign in</body></html>" },
  "404": { status: 404 },
  "405": { status: 405 },
  "the page of an unknown route": { status: 404, page: "<!DOCTYPE html>\n<html><body>Cannot GET</body></html>" },
} as const satisfies Readonly<Record<string, Refusal>>;
type RefusalName = keyof typeof REFUSALS;

/** What export and doctor make of a kind. */
interface Verdict {
  readonly exitCodes: readonly [exported: number, examined: number];
  /** The code of the kind, or of the error that ends the run. */
  readonly code: string;
  readonly words: RegExp;
}

const IN_FRONT = /answered 40[13] by something in front of the stack, not by the stack: (?:Access denied|Sign in); /;
const RIGHT: Readonly<Record<SandboxVariant, RegExp>> = {
  managed:
    /answered 40[13]: (?:Forbidden|Unauthorized); the key needs the permission for (?:the stack's records|pipes), /,
  "self-hosted":
    /answered 40[13]: (?:Forbidden|Unauthorized); the key needs a user who is in a team and has a role that may read \w+/,
};

/** The verdict on a kind that deployments may lack. */
function optional(refusal: RefusalName, variant: SandboxVariant): Verdict {
  const { status } = REFUSALS[refusal];
  if (status === 404 || status === 405) return { exitCodes: [0, 0], code: "not-offered", words: /not-offered/ };
  const isPage = "page" in REFUSALS[refusal];
  return { exitCodes: [3, 5], code: "forbidden", words: isPage ? IN_FRONT : RIGHT[variant] };
}

/** The verdict on a kind that every deployment has. */
function required(refusal: RefusalName): Verdict {
  const { status } = REFUSALS[refusal];
  const isPage = "page" in REFUSALS[refusal];
  if (status === 403) return { exitCodes: [5, 5], code: "forbidden", words: isPage ? /in front of/ : /Forbidden/ };
  if (status === 401)
    return { exitCodes: [5, 5], code: "unauthorized", words: isPage ? /in front of/ : /Unauthorized/ };
  const code = status === 404 && !isPage ? "not-found" : "not-offered";
  return { exitCodes: [3, 3], code, words: /answered 40[45]/ };
}

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

const WORDS: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
};

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
  const isRefused = ({ route }: InterceptedRequest): boolean => route === `GET ${refused?.kind}`;
  beforeAll(async () => {
    stack = await startSandbox({
      variant,
      seed: await sampleWith(variant, "Checkout latency", "Service overview"),
      intercept: (request, proceed) =>
        refused !== undefined && isRefused(request) ? answerOf(refused.refusal, variant) : proceed(),
    });
    program = await programWithBackups({ home: stack });
  });
  afterAll(() => stack.close());

  const cases = (["optional", "required"] as const).flatMap((sort) =>
    KINDS[variant][sort].flatMap((kind, index) =>
      (Object.keys(REFUSALS) as RefusalName[])
        .filter((name) => index === 0 || name === "403" || name === "404")
        .map((name) => ({
          kind,
          name,
          verdict: sort === "optional" ? optional(name, variant) : required(name),
        })),
    ),
  );
  it.each(cases)("$kind: $name", async ({ kind, name, verdict }) => {
    refused = { kind, refusal: REFUSALS[name] };
    const exported = documentOf(await program.run("export --from home --out a.zip --json"));
    const examined = documentOf(await program.run("doctor home --json"));
    refused = undefined;
    expect([exported["exitCode"], examined["exitCode"]]).toEqual(verdict.exitCodes);

    const error = exported["error"] as { readonly code: string; readonly message: string } | undefined;
    const summary = (exported["kinds"] as Record<string, object> | undefined)?.[kind];
    const [seenStack] = examined["stacks"] as [{ readonly kinds: readonly { readonly kind: string }[] }];
    const seen = seenStack.kinds.find((each) => each.kind === kind);
    if (error !== undefined) {
      expect(error).toMatchObject({ code: verdict.code, message: expect.stringMatching(verdict.words) });
      return;
    }
    if (verdict.code === "forbidden") {
      expect(summary).toMatchObject({ status: "failed", code: "forbidden", count: 0 });
      expect(exported).toMatchObject({
        incomplete: [kind],
        warnings: [{ code: "forbidden", message: expect.stringMatching(verdict.words) }],
      });
      expect(seen).toMatchObject({ status: "failed", code: "forbidden" });
      return;
    }
    expect(summary).toEqual({ status: "not-offered", count: 0 });
    expect(exported).toMatchObject({ incomplete: [], warnings: [] });
    expect(seen).toEqual({ kind, status: "not-offered" });
  });

  it.each(KINDS[variant].optional)("stores a backup without %s, and is no success", async (kind) => {
    await mkdir(join(program.cwd, kind));
    refused = { kind, refusal: REFUSALS["403"] };
    const backedUp = await program.json(`backup home --to ${kind}`);
    refused = undefined;
    expect(backedUp).toMatchObject({ exitCode: 3, stacks: [{ result: "stored", suspect: [], forbidden: [kind] }] });
  });

  it("says so in the archive, in the text of a backup, and in that of doctor", async () => {
    refused = { kind: "saved-searches", refusal: REFUSALS["403"] };
    const archive = join(program.cwd, "told");
    await program.run("export --from home --out told --format folder");
    const stored = await program.run("backup home --to place");
    const again = await program.run("backup home --to place --if-changed");
    const examined = await program.run("doctor home");
    const listed = await program.run("list place");
    refused = undefined;
    const manifest = JSON.parse(await readFile(join(archive, "manifest.json"), "utf8")) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      kinds: {
        "saved-searches": {
          status: "failed",
          code: "forbidden",
          count: 0,
          error: expect.stringContaining("Forbidden"),
        },
      },
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
