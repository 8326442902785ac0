import type { AddedMembers, Shape } from "./published-shapes.ts";

const flag: Shape = { type: "boolean" };
const text: Shape = { type: "string" };
const nullable = (shape: Shape): Shape => ({ anyOf: [shape, { type: "null" }] });

const alert = {
  source: { enum: ["saved_search", "tile", "inline"] },
  chartConfig: nullable({ type: "object", properties: {}, additionalProperties: {} }),
  displayName: nullable(text),
  tags: { type: "array", items: text },
};
const managedAlert = {
  ...alert,
  channels: { type: "array", items: { $ref: "AlertChannel" }, minItems: 1, maxItems: 10 },
  interval: { anyOf: [{ $ref: "Interval" }, { const: "30s" }] },
};
const formula: Shape = {
  type: "object",
  properties: { expression: text, alias: text, numberFormat: { $ref: "NumberFormat" } },
  required: ["expression"],
  additionalProperties: false,
};
const formulas = { formulas: { type: "array", items: formula } };
const calculated = { ...formulas, showOperandSeries: flag };
const calculatedOverTime = { ...calculated, seriesLimit: { type: "integer", minimum: 0 } };
const filter = { isBroadcastEnabled: flag, isVariableEnabled: flag, variableName: text };
const source = { serviceVersionExpression: nullable(text) };

const ALERTS = ["AlertResponse", "CreateAlertRequest", "UpdateAlertRequest"];

/** By variant and shape, the members that the next release adds (docs/api.md#managed). */
export const NEXT: Readonly<Record<"managed" | "self-hosted", AddedMembers>> = {
  "self-hosted": Object.fromEntries(ALERTS.map((name) => [name, alert])),
  managed: {
    ...Object.fromEntries(ALERTS.map((name) => [name, managedAlert])),
    LineBuilderChartConfig: calculatedOverTime,
    BarBuilderChartConfig: calculatedOverTime,
    TableBuilderChartConfig: calculated,
    NumberBuilderChartConfig: formulas,
    FilterInput: filter,
    Filter: filter,
    LogSource: source,
    TraceSource: source,
  },
};
