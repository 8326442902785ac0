import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { Refusal } from "../errors.ts";

const HEADER_NAME = /^[\w!#$%&'*+\-.^`|~]+$/;
const HEADER_NAME_RULE = "Invalid header name. Only alphanumeric characters and !#$%&'*+-.^_`|~ are allowed";
// oxlint-disable-next-line no-control-regex -- control characters are what a header value must not hold.
const CONTROL = /[\u0000-\u001F\u007F]/;
const MAX_ENTRIES = 100;
const NOT_ON_SLACK = ["headers", "queryParams", "body"] as const;

const texts = z
  .record(z.string(), z.string())
  .refine((map) => Object.keys(map).length <= MAX_ENTRIES, `Must contain at most ${MAX_ENTRIES} entries`);

/** The body of a create and of an update (recordings 403 to 419). */
export const webhookSchema = z
  .object({
    name: z.string().trim().min(1).max(1024),
    service: z.enum(["slack", "generic", "incidentio"]),
    url: z
      .string()
      .max(2048)
      .refine((text) => URL.canParse(text), "Invalid url"),
    description: z.string().max(2048).optional(),
    headers: texts.superRefine(checkHeaders).optional(),
    queryParams: texts.optional(),
    body: z.string().max(16_384).optional(),
  })
  .superRefine((webhook, context) => {
    if (webhook.service !== "slack") return;
    for (const member of NOT_ON_SLACK) {
      if (webhook[member] === undefined) continue;
      const message = `${member} is not supported for the slack webhook service`;
      context.addIssue({ code: "custom", path: [member], message });
    }
  });

export type Webhook = z.output<typeof webhookSchema>;

function checkHeaders(headers: Readonly<Record<string, string>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers)) {
    const fault = (message: string): void => context.addIssue({ code: "custom", path: [name], message });
    if (!HEADER_NAME.test(name)) fault(HEADER_NAME_RULE);
    if (CONTROL.test(value)) fault("Header values cannot contain control characters");
  }
}

/** Throws `Refusal` 400 on an address that a webhook must not have (recordings 54, 55, 414, 415). */
export function checkWebhookUrl({ service, url }: Webhook): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") throw new Refusal(400, "Webhook URL must use HTTP or HTTPS");
  if (service === "slack" && !/(?:^|\.)slack\.com$/i.test(hostname)) {
    throw new Refusal(400, `Slack Webhook URL ${url} does not have hostname that ends in 'slack.com'`);
  }
  if (isReserved(hostname.replace(/^\[|\]$/g, ""))) {
    throw new Refusal(400, "Webhook URL resolves to a private or reserved address.");
  }
}

const reserved = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  reserved.addSubnet(network, prefix, "ipv4");
}
reserved.addSubnet("::", 127, "ipv6");
reserved.addSubnet("fc00::", 7, "ipv6");
reserved.addSubnet("fe80::", 10, "ipv6");

// The host as it is written: a name is not resolved.
function isReserved(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return /(?:^|\.)localhost$/i.test(host);
  return reserved.check(host, family === 4 ? "ipv4" : "ipv6");
}
