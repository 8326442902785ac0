import { board, filter } from "../bodies.ts";
import type { Topic } from "../rule.ts";

/** Filters of a dashboard, their variables and broadcasts. */
export const filters: Topic = {
  topic: "filters",
  request: "POST dashboards",
  rules: [
    {
      rule: "sourceMetricType, isBroadcastEnabled, isVariableEnabled, variableName, appliesToSourceIds",
      only: "newer",
      recorded: [955, 956, 957],
      body: board({
        filters: [
          filter({ name: "Region", expression: "Attributes.region", sourceId: "@metric", sourceMetricType: "gauge" }),
          filter({
            name: "Both",
            isBroadcastEnabled: true,
            isVariableEnabled: true,
            variableName: "both_name",
            appliesToSourceIds: ["@log", "@trace"],
            where: "x = 1",
          }),
          filter({ name: "Only variable", isBroadcastEnabled: false, isVariableEnabled: true, variableName: "only" }),
          filter({ name: "Variable without a name", isVariableEnabled: true }),
          filter({ name: "Explicit defaults", isBroadcastEnabled: true, isVariableEnabled: false }),
          filter({ name: "Empty list", appliesToSourceIds: [] }),
        ],
      }),
      echo: "kept",
    },
    {
      rule: "variableName without isVariableEnabled",
      recorded: [958],
      body: board({ filters: [filter({ variableName: "service" })] }),
      refused:
        'Body validation failed: filters.0.variableName: Filter "Service" sets variableName but is not available as a variable; set isVariableEnabled to true or drop variableName',
    },
    {
      rule: "variableName beside isVariableEnabled false",
      recorded: [959],
      body: board({ filters: [filter({ variableName: "service", isVariableEnabled: false })] }),
      refused:
        'Body validation failed: filters.0.variableName: Filter "Service" sets variableName but is not available as a variable; set isVariableEnabled to true or drop variableName',
    },
    {
      rule: "the same variableName twice",
      recorded: [960],
      body: board({
        filters: [
          filter({ variableName: "service", isVariableEnabled: true }),
          filter({ name: "Other", variableName: "service", isVariableEnabled: true }),
        ],
      }),
      refused: 'Body validation failed: filters.1.variableName: Variable names must be unique: "service"',
    },
    {
      rule: "a variableName equal to the one derived from another name",
      recorded: [961],
      body: board({
        filters: [
          filter({ isVariableEnabled: true }),
          filter({ name: "Other", variableName: "Service", isVariableEnabled: true }),
        ],
      }),
      refused: 'Body validation failed: filters.1.variableName: Variable names must be unique: "Service"',
    },
    {
      rule: "variableNames that differ by case",
      only: "newer",
      recorded: [962, 963, 964],
      body: board({
        filters: [
          filter({ variableName: "service", isVariableEnabled: true }),
          filter({ name: "Other", variableName: "SERVICE", isVariableEnabled: true }),
        ],
      }),
      echo: "kept",
    },
    {
      rule: "a variable whose name yields none",
      only: "newer",
      recorded: [965],
      body: board({ filters: [filter({ name: "!!!", isVariableEnabled: true })] }),
      refused: 'Body validation failed: filters.0.variableName: Variable name is required for filter "!!!"',
    },
    {
      rule: "a variableName with a dash",
      recorded: [966],
      body: board({ filters: [filter({ variableName: "my-service", isVariableEnabled: true })] }),
      refused: "Body validation failed: filters.0.variableName: Invalid",
    },
    {
      rule: "a variableName of 65 characters",
      recorded: [967],
      body: board({ filters: [filter({ variableName: "v".repeat(65), isVariableEnabled: true })] }),
      refused: "Body validation failed: filters.0.variableName: String must contain at most 64 character(s)",
    },
    {
      rule: "neither broadcast nor variable",
      recorded: [968],
      body: board({ filters: [filter({ isBroadcastEnabled: false })] }),
      refused:
        'Body validation failed: filters.0.isBroadcastEnabled: Filter "Service" must broadcast its value, be available as a variable, or both',
    },
    {
      rule: "appliesToSourceIds without broadcast",
      recorded: [969],
      body: board({
        filters: [filter({ isBroadcastEnabled: false, isVariableEnabled: true, appliesToSourceIds: ["@log"] })],
      }),
      refused:
        'Body validation failed: filters.0.appliesToSourceIds: Filter "Service" sets appliesToSourceIds but does not broadcast its value; set isBroadcastEnabled to true or drop appliesToSourceIds',
    },
    {
      rule: "an unknown sourceMetricType",
      recorded: [970],
      body: board({ filters: [filter({ sourceId: "@metric", sourceMetricType: "counter" })] }),
      refused:
        "Body validation failed: filters.0.sourceMetricType: Invalid enum value. Expected 'gauge' | 'histogram' | 'sum' | 'summary' | 'exponential histogram', received 'counter'",
    },
    {
      rule: "two filters of one name, no variables",
      recorded: [971, 972, 973],
      body: board({ filters: [filter(), filter()] }),
      echo: "kept",
    },
    {
      rule: "whereLanguage promql in a filter",
      recorded: [1502],
      body: board({
        tiles: [],
        filters: [{ type: "QUERY_EXPRESSION", name: "S", expression: "S", sourceId: "@log", whereLanguage: "promql" }],
      }),
      refused:
        "Body validation failed: filters.0.whereLanguage: Invalid enum value. Expected 'sql' | 'lucene', received 'promql'",
    },
    {
      rule: "no whereLanguage in a filter",
      recorded: [1503],
      body: board({ tiles: [], filters: [{ type: "QUERY_EXPRESSION", name: "S", expression: "S", sourceId: "@log" }] }),
    },
  ],
};
