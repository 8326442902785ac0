import type { SandboxRecord } from "../record.ts";
import type { SeedIds } from "./seed-ids.ts";

const LOG_EXPRESSIONS = {
  timestampValueExpression: "Timestamp",
  defaultTableSelectExpression: "Timestamp,ServiceName,SeverityText,Body",
  serviceNameExpression: "ServiceName",
  severityTextExpression: "SeverityText",
  bodyExpression: "Body",
  eventAttributesExpression: "LogAttributes",
  resourceAttributesExpression: "ResourceAttributes",
  displayedTimestampValueExpression: "Timestamp",
  traceIdExpression: "TraceId",
  spanIdExpression: "SpanId",
  implicitColumnExpression: "Body",
  highlightedTraceAttributeExpressions: [],
  highlightedRowAttributeExpressions: [],
  materializedViews: [],
};

const TRACE_EXPRESSIONS = {
  timestampValueExpression: "Timestamp",
  defaultTableSelectExpression: "Timestamp,ServiceName,StatusCode,round(Duration/1e6),SpanName",
  durationExpression: "Duration",
  durationPrecision: 9,
  traceIdExpression: "TraceId",
  spanIdExpression: "SpanId",
  parentSpanIdExpression: "ParentSpanId",
  spanNameExpression: "SpanName",
  spanKindExpression: "SpanKind",
  statusCodeExpression: "StatusCode",
  statusMessageExpression: "StatusMessage",
  serviceNameExpression: "ServiceName",
  resourceAttributesExpression: "ResourceAttributes",
  eventAttributesExpression: "SpanAttributes",
  implicitColumnExpression: "SpanName",
  highlightedTraceAttributeExpressions: [],
  highlightedRowAttributeExpressions: [],
  materializedViews: [],
};

const METRIC_TABLES = {
  gauge: "otel_metrics_gauge",
  histogram: "otel_metrics_histogram",
  sum: "otel_metrics_sum",
  summary: "otel_metrics_summary",
  "exponential histogram": "otel_metrics_exponential_histogram",
};

/** Five sources on two connections that name each other; their members are those of recording 04. */
export function seedSources({ sources, connections }: SeedIds): readonly SandboxRecord[] {
  const { logs, traces, metrics, sessions, audit } = sources;
  const main = (id: string, name: string, kind: string, tableName: string) => ({
    id,
    name,
    kind,
    connection: connections.primary,
    from: { databaseName: "default", tableName },
    disabled: false,
    querySettings: [],
  });
  return [
    { ...main(logs, "Logs", "log", "otel_logs"), ...LOG_EXPRESSIONS, traceSourceId: traces, metricSourceId: metrics },
    {
      ...main(traces, "Traces", "trace", "otel_traces"),
      ...TRACE_EXPRESSIONS,
      logSourceId: logs,
      sessionSourceId: sessions,
      metricSourceId: metrics,
    },
    {
      ...main(metrics, "Metrics", "metric", ""),
      timestampValueExpression: "TimeUnix",
      metricTables: METRIC_TABLES,
      resourceAttributesExpression: "ResourceAttributes",
      logSourceId: logs,
    },
    {
      ...main(sessions, "Sessions", "session", "browser_sessions"),
      timestampValueExpression: "TimestampTime",
      traceSourceId: traces,
    },
    {
      ...main(audit, "Audit log", "log", "audit_events"),
      connection: connections.archive,
      ...LOG_EXPRESSIONS,
      traceSourceId: traces,
    },
  ];
}

/** The two connections the sources lie on. */
export function seedConnections({ connections }: SeedIds): readonly SandboxRecord[] {
  return [
    { id: connections.primary, name: "Primary", host: "http://127.0.0.1:8123", username: "default" },
    { id: connections.archive, name: "Archive", host: "http://127.0.0.1:8124", username: "default" },
  ];
}
