import { webhook } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Webhooks, where a recording alone is no rule. */
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
