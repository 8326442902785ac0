// The words below are those in the description of the managed service.

/** The types of tiles whose alerts survive an update of the dashboard. */
export const ALERTED: ReadonlySet<unknown> = new Set(["line", "stacked_bar", "number"]);

export const COLORS = [
  "chart-blue",
  "chart-orange",
  "chart-red",
  "chart-cyan",
  "chart-green",
  "chart-pink",
  "chart-purple",
  "chart-light-blue",
  "chart-brown",
  "chart-gray",
  "chart-success",
  "chart-warning",
  "chart-error",
] as const;

export const NUMBER_OUTPUTS = [
  "currency",
  "percent",
  "byte",
  "time",
  "duration",
  "number",
  "data_rate",
  "throughput",
] as const;

export const NUMERIC_UNITS = [
  "bytes_iec",
  "bytes_si",
  "bits_iec",
  "bits_si",
  "kibibytes",
  "kilobytes",
  "mebibytes",
  "megabytes",
  "gibibytes",
  "gigabytes",
  "tebibytes",
  "terabytes",
  "pebibytes",
  "petabytes",
  "packets_sec",
  "bytes_sec_iec",
  "bytes_sec_si",
  "bits_sec_iec",
  "bits_sec_si",
  "kibibytes_sec",
  "kibibits_sec",
  "kilobytes_sec",
  "kilobits_sec",
  "mebibytes_sec",
  "mebibits_sec",
  "megabytes_sec",
  "megabits_sec",
  "gibibytes_sec",
  "gibibits_sec",
  "gigabytes_sec",
  "gigabits_sec",
  "tebibytes_sec",
  "tebibits_sec",
  "terabytes_sec",
  "terabits_sec",
  "pebibytes_sec",
  "pebibits_sec",
  "petabytes_sec",
  "petabits_sec",
  "cps",
  "ops",
  "rps",
  "reads_sec",
  "wps",
  "iops",
  "cpm",
  "opm",
  "rpm_reads",
  "wpm",
] as const;

export const AGGREGATES = [
  "avg",
  "count",
  "count_distinct",
  "last_value",
  "max",
  "min",
  "quantile",
  "sum",
  "any",
  "none",
] as const;

export const METRIC_TYPES = ["sum", "gauge", "histogram", "summary", "exponential histogram"] as const;

export const LEVELS = ["0.5", "0.9", "0.95", "0.99"] as const;
