import { shapeNamed } from "./managed-shapes.ts";
import { objectOf, readShapes, type Shape } from "./published-shapes.ts";

/** A request to a managed stack, and its response. */
export interface ManagedExchange {
  /** Method and path below the service, such as `PUT alerts/{id}`; absent if no route matches. */
  readonly route: string | undefined;
  /** The request body, if the program sent the request. */
  readonly sent?: unknown;
  readonly status: number;
  /** The text of the response. */
  readonly answered: string;
}

const { disagreements } = readShapes("managed-shapes");

/** By route, the shapes of the request body and of `result` in the response. */
const ROUTES: Readonly<Record<string, { readonly sent?: Shape; readonly answered?: Shape }>> = {
  ...routesOf("alerts", "CreateAlertRequest", "UpdateAlertRequest", "AlertResponse"),
  ...routesOf("dashboards", "CreateDashboardRequest", "UpdateDashboardRequest", "DashboardResponse"),
  ...routesOf("sources", "Source", "Source", "Source"),
  ...routesOf("webhooks", "WebhookInput", "WebhookInput", "Webhook"),
  ...routesOf("saved-searches", "SavedSearchInput", "SavedSearchInput", "SavedSearch"),
  "POST dashboards/validate": { sent: { $ref: "CreateDashboardRequest" }, answered: verdict() },
  "GET pipes": { answered: listOf("ClickPipe") },
  "GET pipes/{id}": { answered: { $ref: "ClickPipe" } },
};

/** Disagreements that are errors of the description, or that requests cause on purpose. `verdict` has one more. */
const KNOWN_FLAWS: readonly RegExp[] = [
  // `level` is a number in responses, but the description lists texts.
  /\/select\/\d+\/level: is none of 0\.5, 0\.9, 0\.95, 0\.99, but [\d.]+$/,
  // The program sends whole records. A deployment refuses unknown members by name, or drops them. It refuses an id.
  /^sent \S+ \S+ (?!\/id: )\S+: is not described$/,
  // A saved search made in the web interface may have filters of another type (recording 463).
  /^answered GET saved-searches(?:\/\{id\})? .*\/filters\/\d+\/type: is not sql$/,
];

/** The member names of the description, by the neutral names that the sandbox uses. */
const NEUTRAL_WORDS: Readonly<Record<string, string>> = {
  '"cloudstream":': '"kinesis":',
  '"cloudContainerName":': '"azureContainerName":',
  '"engine_': '"clickhouse_',
};

function routesOf(word: string, create: string, update: string, record: string) {
  const answered = { $ref: record };
  return {
    [`GET ${word}`]: { answered: listOf(record) },
    [`POST ${word}`]: { sent: { $ref: create }, answered },
    [`GET ${word}/{id}`]: { answered },
    [`PUT ${word}/{id}`]: { sent: { $ref: update }, answered },
    [`DELETE ${word}/{id}`]: {},
  };
}

function listOf(record: string): Shape {
  return { type: "array", items: { $ref: record } };
}

/** Returns the shape of a validation. Its `normalized` has no members in the description, but servers return the body of a create. */
function verdict(): Shape {
  const { properties, ...shape } = shapeNamed("ValidateDashboardResponse");
  const normalized = { anyOf: [{ $ref: "CreateDashboardRequest" }, { type: "null" }] };
  return { ...shape, properties: { ...properties, normalized } };
}

/** The common members of an envelope. */
const REQUEST = { status: { type: "integer" }, requestId: { type: "string", format: "uuid" } };
const REFUSAL = objectOf({ ...REQUEST, error: { type: "string" } });

/** Returns the places at which the exchange differs from the description, except the known errors of the description. */
export function disagreementsOf(exchange: ManagedExchange): string[] {
  const { route, sent, status, answered } = exchange;
  // A deployment may lack any route; it then sends a page.
  if (route === undefined) return status === 200 ? ["no route: is no refusal"] : [];
  const described = ROUTES[route];
  if (described === undefined) return [`${route}: no such route`];
  const envelope = described.answered === undefined ? REQUEST : { ...REQUEST, result: described.answered };
  const answer = status === 200 ? objectOf(envelope) : REFUSAL;
  const found = [
    ...(described.sent === undefined || sent === undefined
      ? []
      : disagreements(described.sent, sent, `sent ${route} `)),
    ...disagreements(answer, JSON.parse(inPublishedWords(route, answered)), `answered ${route} `),
  ];
  return found.filter((each) => !KNOWN_FLAWS.some((flaw) => flaw.test(each)));
}

function inPublishedWords(route: string, answered: string): string {
  if (!route.startsWith("GET pipes")) return answered;
  return Object.entries(NEUTRAL_WORDS).reduce((text, [neutral, theirs]) => text.replaceAll(neutral, theirs), answered);
}
