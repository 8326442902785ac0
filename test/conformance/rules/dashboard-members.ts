import { COUNT, board, boardOf, tile, chart, numberOf, line, table, heatmap, rawSql, container } from "../bodies.ts";
import type { JsonObject, Topic } from "../rule.ts";
import { ABSENT } from "../rule.ts";

const TWO_DIGITS = { output: "number", mantissa: 2 };

/** A query of the mean duration, shown in a format of its own. */
const averaged = (numberFormat: JsonObject, members: JsonObject = {}): JsonObject => {
  return { aggFn: "avg", valueExpression: "Duration", numberFormat, ...members };
};

/** The mean duration on a tile that has a format. */
const measured = (numberFormat: JsonObject | null): JsonObject =>
  numberOf({ select: [{ aggFn: "avg", valueExpression: "Duration" }], numberFormat });

/** Members that a dashboard keeps, drops and refuses. */
export const dashboardMembers: Topic = {
  topic: "dashboard-members",
  request: "POST dashboards",
  rules: [
    {
      rule: "numberFormat of select items",
      recorded: [910, 911, 912],
      body: boardOf(
        line({
          select: [
            averaged(
              { output: "currency", currencySymbol: "€", mantissa: 2, thousandSeparated: true },
              { alias: "f0" },
            ),
            averaged({ output: "percent", mantissa: 1 }, { alias: "f1" }),
            averaged({ output: "byte", decimalBytes: true, mantissa: 1 }, { alias: "f2" }),
            averaged({ output: "time" }, { alias: "f3" }),
            averaged({ output: "duration", factor: 0.001 }, { alias: "f4" }),
            averaged(
              { output: "number", mantissa: 3, thousandSeparated: true, average: true, unit: " req" },
              { alias: "f5" },
            ),
            averaged({ output: "data_rate", numericUnit: "mebibytes_sec", mantissa: 0 }, { alias: "f6" }),
            averaged({ output: "throughput", numericUnit: "rps" }, { alias: "f7" }),
            averaged({ output: "byte", numericUnit: "bytes_iec" }, { alias: "f8" }),
          ],
        }),
        chart("stacked_bar", { select: [averaged(TWO_DIGITS)] }),
        chart("table", {
          select: [
            averaged(TWO_DIGITS),
            averaged({ output: "currency", currencySymbol: "€", mantissa: 2, thousandSeparated: true }),
          ],
        }),
        numberOf({ select: [averaged(TWO_DIGITS)] }),
        chart("pie", { select: [averaged(TWO_DIGITS)] }),
        chart("bar", { select: [averaged(TWO_DIGITS)] }),
      ),
      echo: "kept",
    },
    {
      rule: "numberFormat of tiles",
      recorded: [913, 914, 915],
      body: boardOf(
        measured({ output: "currency", currencySymbol: "€", mantissa: 2, thousandSeparated: true }),
        measured({ output: "percent", mantissa: 1 }),
        measured({ output: "byte", decimalBytes: true, mantissa: 1 }),
        measured({ output: "time" }),
        measured({ output: "duration", factor: 0.001 }),
        measured({ output: "number", mantissa: 3, thousandSeparated: true, average: true, unit: " req" }),
        measured({ output: "data_rate", numericUnit: "mebibytes_sec", mantissa: 0 }),
        measured({ output: "throughput", numericUnit: "rps" }),
        measured({ output: "byte", numericUnit: "bytes_iec" }),
        heatmap(
          { countExpression: "count()", heatmapScaleType: "linear" },
          { numberFormat: { output: "duration", factor: 0.001 }, where: "x", whereLanguage: "sql" },
        ),
        rawSql("table", "SELECT 1", { numberFormat: { output: "number", mantissa: 2 } }),
      ),
      echo: "kept",
    },
    {
      rule: "numberFormat with an unknown output",
      recorded: [916],
      body: boardOf(numberOf({ select: [averaged({ output: "hex" })] })),
      refused:
        "Body validation failed: tiles.0.config.select.0.numberFormat.output: Invalid enum value. Expected 'currency' | 'percent' | 'byte' | 'time' | 'duration' | 'number' | 'data_rate' | 'throughput', received 'hex'",
    },
    {
      rule: "numberFormat with an unknown unit",
      recorded: [917],
      body: boardOf(
        numberOf({
          select: [averaged({ output: "data_rate", numericUnit: "furlongs" })],
        }),
      ),
      refused:
        "Body validation failed: tiles.0.config.select.0.numberFormat.numericUnit: Invalid enum value. Expected 'bytes_iec' | 'bytes_si' | 'bits_iec' | 'bits_si' | 'kibibytes' | 'kilobytes' | 'mebibytes' | 'megabytes' | 'gibibytes' | 'gigabytes' | 'tebibytes' | 'terabytes' | 'pebibytes' | 'petabytes' | 'packets_sec' | 'bytes_sec_iec' | 'bytes_sec_si' | 'bits_sec_iec' | 'bits_sec_si' | 'kibibytes_sec' | 'kibibits_sec' | 'kilobytes_sec' | 'kilobits_sec' | 'mebibytes_sec' | 'mebibits_sec' | 'megabytes_sec' | 'megabits_sec' | 'gibibytes_sec' | 'gibibits_sec' | 'gigabytes_sec' | 'gigabits_sec' | 'tebibytes_sec' | 'tebibits_sec' | 'terabytes_sec' | 'terabits_sec' | 'pebibytes_sec' | 'pebibits_sec' | 'petabytes_sec' | 'petabits_sec' | 'cps' | 'ops' | 'rps' | 'reads_sec' | 'wps' | 'iops' | 'cpm' | 'opm' | 'rpm_reads' | 'wpm', received 'furlongs'",
    },
    {
      rule: "numberFormat with a fractional mantissa",
      recorded: [918],
      body: boardOf(measured({ output: "number", mantissa: 1.5 })),
      refused: "Body validation failed: tiles.0.config.numberFormat.mantissa: Expected integer, received float",
    },
    {
      rule: "numberFormat with an unknown member",
      recorded: [919, 920, 921],
      body: boardOf(measured({ output: "number", prefix: "~" })),
      members: { "tiles.0.config.numberFormat.prefix": ABSENT },
      echo: "kept",
    },
    {
      rule: "numberFormat null",
      recorded: [922],
      body: boardOf(measured(null)),
      refused: "Body validation failed: tiles.0.config.numberFormat: Expected object, received null",
    },
    {
      rule: "fitYAxisToData, compareToPreviousPeriod, alignDateRangeToGranularity, seriesLimit on line",
      only: "self-hosted",
      recorded: [923, 924, 925],
      body: boardOf(
        line({
          select: [COUNT, COUNT],
          groupBy: "Service",
          asRatio: true,
          alignDateRangeToGranularity: false,
          fillNulls: false,
          fitYAxisToData: true,
          compareToPreviousPeriod: true,
          seriesLimit: 5,
        }),
        line({
          asRatio: false,
          alignDateRangeToGranularity: true,
          fillNulls: true,
          fitYAxisToData: false,
          compareToPreviousPeriod: false,
          seriesLimit: 0,
        }),
        line(),
        rawSql("line", "SELECT 1", {
          alignDateRangeToGranularity: false,
          fillNulls: false,
          fitYAxisToData: true,
          compareToPreviousPeriod: true,
          seriesLimit: 7,
        }),
        rawSql("line"),
      ),
      echo: "kept",
    },
    {
      rule: "the same members on stacked bar",
      only: "self-hosted",
      recorded: [926, 927, 928],
      body: boardOf(
        chart("stacked_bar", {
          select: [COUNT, COUNT],
          asRatio: true,
          alignDateRangeToGranularity: false,
          fillNulls: false,
          seriesLimit: 5,
          fitYAxisToData: true,
          compareToPreviousPeriod: true,
          orderBy: "x",
        }),
        rawSql("stacked_bar", "SELECT 1", {
          alignDateRangeToGranularity: true,
          fillNulls: false,
          seriesLimit: 0,
          fitYAxisToData: true,
          compareToPreviousPeriod: true,
        }),
      ),
      members: {
        "tiles.0.config.fitYAxisToData": ABSENT,
        "tiles.0.config.compareToPreviousPeriod": ABSENT,
        "tiles.0.config.orderBy": ABSENT,
        "tiles.1.config.fitYAxisToData": ABSENT,
        "tiles.1.config.compareToPreviousPeriod": ABSENT,
      },
      echo: "kept",
    },
    {
      rule: "orderBy and limit on pie and bar",
      recorded: [929, 930, 931],
      body: boardOf(
        chart("pie", { groupBy: "Service", orderBy: "count() DESC", limit: 0 }),
        chart("bar", { groupBy: "Service", orderBy: "count() ASC", limit: 3 }),
        chart("pie"),
        chart("pie", { seriesLimit: 4 }),
        chart("pie", { orderBy: "", groupBy: "" }),
      ),
      members: { "tiles.3.config.seriesLimit": ABSENT },
      echo: "kept",
    },
    {
      rule: "groupByColumnsOnLeft and others on table",
      recorded: [932, 933, 934],
      body: boardOf(
        table({
          select: [COUNT, COUNT],
          groupByColumnsOnLeft: true,
          having: "count() > 1",
          orderBy: "count() DESC",
          asRatio: true,
          seriesLimit: 3,
          limit: 3,
          alternateRowBackground: true,
        }),
        chart("table", { groupByColumnsOnLeft: false }),
        rawSql("table", "SELECT 1", {
          groupByColumnsOnLeft: true,
          onClick: { type: "external", urlTemplate: "https://wiki.example.com/{{Service}}" },
        }),
      ),
      members: {
        "tiles.0.config.seriesLimit": ABSENT,
        "tiles.0.config.limit": ABSENT,
        "tiles.0.config.alternateRowBackground": ABSENT,
        "tiles.2.config.groupByColumnsOnLeft": ABSENT,
      },
      echo: "kept",
    },
    {
      rule: "backgroundChart, color and colorRules on number",
      recorded: [935, 936, 937],
      body: boardOf(
        numberOf({ backgroundChart: { type: "line" }, color: "chart-green" }),
        numberOf({ backgroundChart: { type: "area", color: "chart-warning" } }),
        rawSql("number", "SELECT 1", { color: "chart-blue" }),
        rawSql("number", "SELECT 1", {
          backgroundChart: { type: "line" },
          colorRules: [{ operator: "gt", value: 1, color: "chart-red" }],
        }),
        numberOf({
          colorRules: [
            { operator: "gte", value: 1, color: "chart-red", label: "high" },
            { operator: "between", value: [1, 2], color: "chart-green" },
            { operator: "eq", value: "x", color: "chart-gray" },
          ],
        }),
        numberOf({ colorRules: [] }),
      ),
      members: {
        "tiles.3.config.backgroundChart": ABSENT,
        "tiles.3.config.colorRules": ABSENT,
        "tiles.5.config.colorRules": ABSENT,
      },
      echo: "kept",
    },
    {
      rule: "color and backgroundChart on tiles that do not know them",
      recorded: [938, 939, 940],
      body: boardOf(
        rawSql("line", "SELECT 1", { color: "chart-blue", backgroundChart: { type: "line" } }),
        line({ color: "chart-blue", backgroundChart: { type: "line" } }),
        rawSql("table", "SELECT 1", { color: "chart-blue" }),
      ),
      members: {
        "tiles.0.config.color": ABSENT,
        "tiles.0.config.backgroundChart": ABSENT,
        "tiles.1.config.color": ABSENT,
        "tiles.1.config.backgroundChart": ABSENT,
        "tiles.2.config.color": ABSENT,
      },
      echo: "kept",
    },
    {
      rule: "backgroundChart of an unknown type",
      recorded: [941],
      body: boardOf(numberOf({ backgroundChart: { type: "bar" } })),
      refused:
        "Body validation failed: tiles.0.config.backgroundChart.type: Invalid enum value. Expected 'line' | 'area', received 'bar'",
    },
    {
      rule: "containers: bordered, collapsible, tabs, unknown members",
      recorded: [942, 943, 944],
      body: board({
        tiles: [tile(line(), { containerId: "group-a", tabId: "tab-1" }), tile(line(), { containerId: "group-b" })],
        containers: [
          container({
            collapsed: true,
            collapsible: false,
            bordered: false,
            tabs: [
              { id: "tab-1", title: "One" },
              { id: "tab-2", title: "Two", icon: "star" },
            ],
            color: "red",
          }),
          container({ id: "group-b", title: "Cart", collapsible: true, bordered: true }),
          container({ id: "group-c", title: "Empty", tabs: [] }),
        ],
      }),
      members: { "containers.0.tabs.1.icon": ABSENT, "containers.0.color": ABSENT },
      echo: "kept",
    },
  ],
};
