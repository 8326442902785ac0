import { webhook } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Hand-written rules for webhooks; other recorded requests become rules in recorded-rules.ts. */
export const webhooks: Topic = {
  topic: "webhooks",
  request: "POST webhooks",
  rules: [
    {
      rule: "a header name with a dot: nothing is stored",
      recorded: [1490, 1491],
      body: webhook({ name: "Dotted", url: "https://hooks.example.com/dotted", headers: { "X-Api.Version": "2" } }),
      status: 500,
    },
  ],
};
