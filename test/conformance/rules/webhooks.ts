import { webhook } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Names, headers and parameters of webhooks. */
export const webhooks: Topic = {
  topic: "webhooks",
  request: "POST webhooks",
  rules: [
    {
      rule: "name ON CALL of the same service",
      recorded: [1139],
      given: [["first", "webhooks", webhook({ name: "On call" })]],
      body: webhook({ name: "ON CALL", url: "https://hooks.example.com/b" }),
    },
    {
      rule: "name On call with blanks around it",
      recorded: [1140],
      given: [["first", "webhooks", webhook({ name: "On call" })]],
      body: webhook({ name: "  On call ", url: "https://hooks.example.com/c" }),
      refused: "A webhook with this service and name already exists",
    },
    {
      rule: "name On call with two blanks inside",
      recorded: [1141],
      given: [["first", "webhooks", webhook({ name: "On call" })]],
      body: webhook({ name: "On  call", url: "https://hooks.example.com/d" }),
    },
    {
      rule: "a header name with a dot: nothing is stored",
      recorded: [1490, 1491],
      body: webhook({ name: "Dotted", url: "https://hooks.example.com/dotted", headers: { "X-Api.Version": "2" } }),
      status: 500,
    },
  ],
};
