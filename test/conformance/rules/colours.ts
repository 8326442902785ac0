import { boardOf, numberOf, rawSql, times } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Colours of numbers. */
export const colours: Topic = {
  topic: "colours",
  request: "POST dashboards",
  rules: [
    {
      rule: "the 13 colours",
      recorded: [1025],
      body: boardOf(
        numberOf({ color: "chart-blue" }),
        numberOf({ color: "chart-orange" }),
        numberOf({ color: "chart-red" }),
        numberOf({ color: "chart-cyan" }),
        numberOf({ color: "chart-green" }),
        numberOf({ color: "chart-pink" }),
        numberOf({ color: "chart-purple" }),
        numberOf({ color: "chart-light-blue" }),
        numberOf({ color: "chart-brown" }),
        numberOf({ color: "chart-gray" }),
        numberOf({ color: "chart-success" }),
        numberOf({ color: "chart-warning" }),
        numberOf({ color: "chart-error" }),
      ),
    },
    {
      rule: "colour chart-1",
      recorded: [1026],
      body: boardOf(numberOf({ color: "chart-1" })),
      refused:
        "Body validation failed: tiles.0.config.color: Invalid enum value. Expected 'chart-blue' | 'chart-orange' | 'chart-red' | 'chart-cyan' | 'chart-green' | 'chart-pink' | 'chart-purple' | 'chart-light-blue' | 'chart-brown' | 'chart-gray' | 'chart-success' | 'chart-warning' | 'chart-error', received 'chart-1'",
    },
    {
      rule: "colour #ff0000",
      recorded: [1027],
      body: boardOf(numberOf({ color: "#ff0000" })),
      refused:
        "Body validation failed: tiles.0.config.color: Invalid enum value. Expected 'chart-blue' | 'chart-orange' | 'chart-red' | 'chart-cyan' | 'chart-green' | 'chart-pink' | 'chart-purple' | 'chart-light-blue' | 'chart-brown' | 'chart-gray' | 'chart-success' | 'chart-warning' | 'chart-error', received '#ff0000'",
    },
    {
      rule: "colour #ff0000 on raw SQL",
      recorded: [1028],
      body: boardOf(rawSql("number", "SELECT 1", { color: "#ff0000" })),
      refused:
        "Body validation failed: tiles.0.config.color: Invalid enum value. Expected 'chart-blue' | 'chart-orange' | 'chart-red' | 'chart-cyan' | 'chart-green' | 'chart-pink' | 'chart-purple' | 'chart-light-blue' | 'chart-brown' | 'chart-gray' | 'chart-success' | 'chart-warning' | 'chart-error', received '#ff0000'",
    },
    {
      rule: "colour null",
      recorded: [1029],
      body: boardOf(numberOf({ color: null })),
      refused:
        "Body validation failed: tiles.0.config.color: Expected 'chart-blue' | 'chart-orange' | 'chart-red' | 'chart-cyan' | 'chart-green' | 'chart-pink' | 'chart-purple' | 'chart-light-blue' | 'chart-brown' | 'chart-gray' | 'chart-success' | 'chart-warning' | 'chart-error', received null",
    },
    {
      rule: "11 colour rules",
      only: "self-hosted",
      recorded: [1030],
      body: boardOf(
        numberOf({ colorRules: times(11, (index) => ({ operator: "gt", value: index, color: "chart-red" })) }),
      ),
      refused: "Body validation failed: tiles.0.config.colorRules: Array must contain at most 10 element(s)",
    },
    {
      rule: "a rule with operator contains",
      recorded: [1031],
      body: boardOf(numberOf({ colorRules: [{ operator: "contains", value: "x", color: "chart-red" }] })),
      refused:
        "Body validation failed: tiles.0.config.colorRules.0.operator: Invalid discriminator value. Expected 'gt' | 'gte' | 'lt' | 'lte' | 'between' | 'eq' | 'neq'",
    },
    {
      rule: "between with one value",
      only: "self-hosted",
      recorded: [1032],
      body: boardOf(numberOf({ colorRules: [{ operator: "between", value: [1], color: "chart-red" }] })),
      refused: "Body validation failed: tiles.0.config.colorRules.0.value: Array must contain exactly 2 element(s)",
    },
    {
      rule: "gt with a string",
      recorded: [1033],
      body: boardOf(numberOf({ colorRules: [{ operator: "gt", value: "1", color: "chart-red" }] })),
      refused: "Body validation failed: tiles.0.config.colorRules.0.value: Expected number, received string",
    },
    {
      rule: "a rule label of 41 characters",
      only: "self-hosted",
      recorded: [1034],
      body: boardOf(
        numberOf({ colorRules: [{ operator: "gt", value: 1, color: "chart-red", label: "l".repeat(41) }] }),
      ),
      refused: "Body validation failed: tiles.0.config.colorRules.0.label: String must contain at most 40 character(s)",
    },
  ],
};
