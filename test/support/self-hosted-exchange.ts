import type { Shape } from "./published-shapes.ts";
import { readShapes } from "./published-shapes.ts";

/** One request to a self-hosted stack, and its answer. */
export interface SelfHostedExchange {
  /** Method and path, such as `PUT alerts/{id}`. */
  readonly route: string;
  /** The body, where it is one of the program's. */
  readonly sent?: unknown;
  readonly status: number;
  /** The answer's text. */
  readonly answered: string;
}

const published = readShapes("self-hosted-shapes");

interface Described {
  readonly sent?: Shape;
  readonly answered?: Shape;
}

/** By route: what is sent, and the whole answer. What the sandbox has of the team and of chart series is its own. */
const ROUTES: Readonly<Record<string, Described>> = {
  ...routesOf("alerts", "CreateAlertRequest", "UpdateAlertRequest", "AlertResponse", paged("AlertResponse")),
  ...routesOf("dashboards", "CreateDashboardRequest", "UpdateDashboardRequest", "Dashboard", listOf("Dashboard")),
  ...routesOf("sources", "Source", "Source", "Source", listOf("Source")),
  ...routesOf("webhooks", "WebhookInput", "WebhookInput", "Webhook", paged("Webhook")),
  ...routesOf("saved-searches", "SavedSearchInput", "SavedSearchInput", "SavedSearch", paged("SavedSearch")),
  ...routesOf("connections", "CreateConnectionRequest", "UpdateConnectionRequest", "Connection", {
    $ref: "ConnectionsListResponse",
  }),
};

/** What the description has wrong: real servers send and take these. */
const KNOWN_FLAWS: readonly RegExp[] = [
  // A query may be in the metric query language, too.
  /[lL]anguage: is none of sql, lucene$/,
  // Raw SQL keeps the limit of its series.
  /\/config\/seriesLimit: is not described$/,
  // The place of a tile may be a fraction.
  /\/tiles\/\d+\/[xywh]: is number, not integer$/,
  // Sources keep members that the description lacks.
  /\/(?:tableFilter|orderBy|sampleRate|spanLinksValue|serviceName|resourceAttributes|displayedTimestampValue)Expression: is not described$/,
  /\/seriesTable: is not described$/,
  // A precision has a default.
  /^sent \S+ sources\S* \/durationPrecision: is missing$/,
  // An update takes a filter of another type that the record had before.
  /^(?:sent|answered) PUT saved-searches\/\{id\} .*\/filters\/\d+\/type: is not sql$/,
];

/** What a program may send beside what is described: a record of a newer server is sent whole. */
const UNKNOWN_MEMBER = /: is not described$/;

function routesOf(word: string, create: string, update: string, record: string, list: Shape) {
  const answered = objectOf({ data: { $ref: record } });
  return {
    [`GET ${word}`]: { answered: list },
    [`POST ${word}`]: { sent: { $ref: create }, answered },
    [`GET ${word}/{id}`]: { answered },
    [`PUT ${word}/{id}`]: { sent: { $ref: update }, answered },
    [`DELETE ${word}/{id}`]: { answered: objectOf({}) },
  };
}

function listOf(record: string): Shape {
  return objectOf({ data: { type: "array", items: { $ref: record } } });
}

function paged(record: string): Shape {
  return objectOf({ data: { type: "array", items: { $ref: record } }, meta: { $ref: "PaginationMeta" } });
}

function objectOf(properties: Readonly<Record<string, Shape>>): Shape {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}

/** Where what was accepted, and its answer, are not as described, known flaws of the description apart. */
export function disagreementsOf({ route, sent, status, answered }: SelfHostedExchange): string[] {
  const described = ROUTES[route];
  if (described === undefined || status !== 200) return [];
  const ofSent =
    described.sent === undefined || sent === undefined
      ? []
      : published.disagreements(described.sent, sent, `sent ${route} `).filter((each) => !UNKNOWN_MEMBER.test(each));
  // A GET shows what a test has planted too; the answer of a write is the sandbox's own.
  const ofAnswer =
    described.answered === undefined || route.startsWith("GET ")
      ? []
      : published.disagreements(described.answered, JSON.parse(answered), `answered ${route} `);
  return [...ofSent, ...ofAnswer].filter((each) => !KNOWN_FLAWS.some((flaw) => flaw.test(each)));
}
