import { BlockList, isIP } from "node:net";
import { Refusal } from "../errors.ts";

/** Throws `Refusal` 400 on an address that a webhook must not have (docs/api.md#webhooks). */
export function checkWebhookUrl({ service, url }: { readonly service: string; readonly url: string }): void {
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
