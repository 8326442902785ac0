import type { SandboxRelease } from "../../src/sandbox/options.ts";
import { shapeNamed } from "./managed-shapes.ts";
import { NEXT } from "./next-shapes.ts";
import type { Shape } from "./published-shapes.ts";
import { objectOf, readShapes } from "./published-shapes.ts";

/** One request to a managed stack, and its answer. */
export interface ManagedExchange {
  /** Method and path below the service, such as `PUT alerts/{id}`; absent where no route matches. */
  readonly route: string | undefined;
  /** The body, where it is one of the program's. */
  readonly sent?: unknown;
  readonly status: number;
  /** Default "published". */
  readonly release?: SandboxRelease;
  /** The answer's text. */
  readonly answered: string;
}

const DESCRIPTIONS = { published: readShapes("managed-shapes"), next: readShapes("managed-shapes", NEXT.managed) };

/** By route: what is sent, and what is answered in `result`. */
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

/** Flaws of the description, and requests that are sent to learn which members the deployment takes; `verdict` has one more. */
const KNOWN_FLAWS: readonly RegExp[] = [
  // `level` is a number on the wire, and a text in the enumeration.
  /\/select\/\d+\/level: is none of 0\.5, 0\.9, 0\.95, 0\.99, but [\d.]+$/,
  // Records are sent whole: what a deployment does not know it refuses by name or drops. An id it refuses.
  /^sent \S+ \S+ (?!\/id: )\S+: is not described$/,
  // A saved search made in the web interface may have filters of another type (recording 463).
  /^answered GET saved-searches(?:\/\{id\})? .*\/filters\/\d+\/type: is not sql$/,
];

/** The sandbox keeps the neutral words of the API for what deployments call by their own. */
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

/** The description has an object without members for `normalized`; the servers answer the body that a create would take. */
function verdict(): Shape {
  const { properties, ...shape } = shapeNamed("ValidateDashboardResponse");
  const normalized = { anyOf: [{ $ref: "CreateDashboardRequest" }, { type: "null" }] };
  return { ...shape, properties: { ...properties, normalized } };
}

/** The envelope of a record or a list, and the answer to a refused request. */
const REQUEST = { status: { type: "integer" }, requestId: { type: "string", format: "uuid" } };
const REFUSAL = objectOf({ ...REQUEST, error: { type: "string" } });

/** Where what was sent and answered is not as described, known flaws of the description apart. */
export function disagreementsOf(exchange: ManagedExchange): string[] {
  const { route, sent, status, answered, release = "published" } = exchange;
  const { disagreements } = DESCRIPTIONS[release];
  // A deployment may lack any route, and answers with a page.
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
