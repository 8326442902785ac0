import { COUNT, boardOf, chart, numberOf, line } from "../bodies.ts";
import type { Topic } from "../rule.ts";
import { ABSENT } from "../rule.ts";

/** Formulas and ratios. */
export const formulas: Topic = {
  topic: "formulas",
  only: "newer",
  request: "POST dashboards",
  rules: [
    {
      rule: "formulas and showOperandSeries",
      recorded: [945, 946, 947],
      body: boardOf(
        line({
          select: [COUNT, COUNT],
          formulas: [
            { expression: "A / (A + B) * 100", alias: "share", numberFormat: { output: "percent", mantissa: 1 } },
            { expression: "B" },
          ],
          showOperandSeries: false,
        }),
        chart("stacked_bar", {
          sourceId: "@metric",
          select: [{ aggFn: "sum", valueExpression: "Value", metricType: "sum", metricName: "requests" }],
          formulas: [{ expression: "A * 2" }],
          showOperandSeries: true,
        }),
        chart("table", { sourceId: "@trace", select: [COUNT, COUNT], formulas: [{ expression: "A - B" }] }),
        numberOf({ select: [COUNT, COUNT], formulas: [{ expression: "A / B" }], showOperandSeries: true }),
        line({ showOperandSeries: false }),
        line({ formulas: [], showOperandSeries: false }),
        chart("pie", { formulas: [{ expression: "A" }] }),
      ),
      members: {
        "tiles.3.config.showOperandSeries": ABSENT,
        "tiles.4.config.showOperandSeries": ABSENT,
        "tiles.5.config.formulas": ABSENT,
        "tiles.5.config.showOperandSeries": ABSENT,
        "tiles.6.config.formulas": ABSENT,
      },
      echo: "kept",
    },
    {
      rule: "a formula on a series that is not there",
      recorded: [948],
      body: boardOf(line({ formulas: [{ expression: "A / C" }] })),
      refused:
        'Body validation failed: tiles.0.config.formulas.0.expression: Unknown series "C" — this chart only has series A through A',
    },
    {
      rule: "a formula that does not parse",
      recorded: [949],
      body: boardOf(line({ formulas: [{ expression: "A /" }] })),
      refused: "Body validation failed: tiles.0.config.formulas.0.expression: Unexpected end of expression",
    },
    {
      rule: "formulas beside asRatio",
      recorded: [950],
      body: boardOf(line({ select: [COUNT, COUNT], asRatio: true, formulas: [{ expression: "A / B" }] })),
      refused:
        'Body validation failed: tiles.0.config.formulas: formulas cannot be combined with asRatio; express the ratio as a formula instead (e.g. "A / B")',
    },
    {
      rule: "two formulas on a number tile",
      recorded: [951],
      body: boardOf(numberOf({ select: [COUNT, COUNT], formulas: [{ expression: "A" }, { expression: "B" }] })),
      refused: "Body validation failed: tiles.0.config.formulas: Number charts support a single formula",
    },
    {
      rule: "a formula on a session source",
      recorded: [952],
      body: boardOf(line({ sourceId: "@session", formulas: [{ expression: "A" }] })),
      refused:
        "Tiles with formulas require a Metric, Log, or Trace source. The following source IDs are not formula-capable: @session",
    },
    {
      rule: "asRatio with one select item",
      recorded: [953],
      body: boardOf(line({ asRatio: true })),
      refused: "Body validation failed: tiles.0.config: asRatio can only be used with exactly two select items",
    },
    {
      rule: "number tile with two select items and no formula",
      recorded: [954],
      body: boardOf(numberOf({ select: [COUNT, COUNT] })),
      refused:
        "Body validation failed: tiles.0.config.select: Number tiles support a single select item unless formulas are used (extra items are formula operands)",
    },
  ],
};
