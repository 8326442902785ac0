import { envelopeOf } from "../envelope/envelope.ts";
import { CONTENT_TYPES } from "../envelope/reply.ts";
import type { SandboxLimit } from "../options.ts";
import { Refusal } from "../refusal.ts";
import type { Stack } from "../routes/route.ts";

/** The answers that a fault puts in the place of the stack's own. */
export interface FaultAnswers {
  /** `headers` defaults to what the variant does (self-hosted yes, managed no). */
  readonly tooMany: (headers?: boolean) => Response;
  readonly failure: () => Response;
  /** What a proxy says in front of a stack that is not there. */
  readonly badGateway: () => Response;
}

// What a self-hosted server names where the sandbox has no limit of its own (field notes, Rate limits).
const LIMIT: SandboxLimit = { requests: 100, windowMs: 60_000 };

const BAD_GATEWAY = `<html>
<head><title>502 Bad Gateway</title></head>
<body>
<center><h1>502 Bad Gateway</h1></center>
<hr><center>nginx</center>
</body>
</html>
`;

export function createFaultAnswers({ variant, mint }: Stack, limit: Required<SandboxLimit> | undefined): FaultAnswers {
  const { requests, windowMs } = limit ?? LIMIT;
  const publishes = limit?.headers ?? variant === "self-hosted";
  const limits = {
    "RateLimit-Limit": String(requests),
    "RateLimit-Remaining": "0",
    // Retry-After names the whole window as the servers do (recording 110); the true wait is short, as runs are many.
    "RateLimit-Reset": "1",
    "Retry-After": String(Math.ceil(windowMs / 1000)),
  };
  const refused = (refusal: Refusal, added: Readonly<Record<string, string>> = {}): Response => {
    const { status, headers, body } = envelopeOf(variant).refusal(refusal, mint.uuid());
    return new Response(body, { status, headers: { ...headers, ...added } });
  };
  return {
    tooMany: (headers = publishes) =>
      refused(new Refusal(429, "Too many requests, please try again later.", "html"), headers ? limits : {}),
    failure: () => refused(new Refusal(500, "Something went wrong :(")),
    badGateway: () => new Response(BAD_GATEWAY, { status: 502, headers: { "Content-Type": CONTENT_TYPES.html } }),
  };
}
