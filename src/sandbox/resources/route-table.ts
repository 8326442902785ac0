import { Refusal, type Reply } from "../http/envelope.ts";
import { isUuid } from "../store.ts";
import { alertRoutes } from "./alerts.ts";
import { connectionRoutes } from "./connections.ts";
import { dashboardRoutes } from "./dashboards.ts";
import { queryRoutes } from "./queries.ts";
import { isoNow, type Route, type Stack } from "./route.ts";
import { savedSearchRoutes } from "./saved-searches.ts";
import { sourceRoutes } from "./sources.ts";
import { webhookRoutes } from "./webhooks.ts";

export function routeTable(stack: Stack): readonly Route[] {
  const sharedRoutes = [dashboardRoutes, alertRoutes, sourceRoutes, webhookRoutes, savedSearchRoutes];
  const variantRoutes = stack.variant === "managed" ? [pipeRoutes] : [connectionRoutes, queryRoutes, teamRoutes(stack)];
  return [...sharedRoutes, ...variantRoutes].flat();
}

/** Only on managed stacks (docs/api.md#managed). The ids of pipes are UUIDs even if other ids are not. */
const pipeRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "pipes",
    writes: false,
    handle: ({ store }) => ({ is: "list", records: [...store.pipes.values()] }),
  },
  { method: "GET", path: "pipes/:id", writes: false, handle: ({ store }, { id }) => getPipe(store, id) },
];

function getPipe({ pipes }: Stack["store"], id: string): Reply {
  if (!isUuid(id)) throw new Refusal(400, "Params validation failed: id: Invalid uuid");
  const pipe = pipes.get(id);
  if (pipe === undefined) throw new Refusal(404, "Pipe not found");
  return { is: "record", record: pipe };
}

const EMAIL = "sandbox@example.com";

/** Only on self-hosted stacks (recordings 300 to 303). The root returns the caller's own key. */
function teamRoutes(stack: Stack): readonly Route[] {
  const { teamId, apiKey } = stack.identity;
  const userId = stack.ids.id();
  const createdAt = isoNow(stack);
  const user = { email: EMAIL, _id: userId, accessKey: apiKey, createdAt, updatedAt: createdAt, __v: 0, team: teamId };
  const root = { version: "v2", user: { ...user, name: EMAIL } };
  const team = { id: teamId, name: `${EMAIL}'s Team` };
  const members = [{ id: userId, email: EMAIL, name: EMAIL, isCurrentUser: true }];
  return [
    { method: "GET", path: "", writes: false, handle: () => ({ is: "bare", body: root }) },
    { method: "GET", path: "team", writes: false, handle: () => ({ is: "record", record: team }) },
    { method: "GET", path: "team/members", writes: false, handle: () => ({ is: "list", records: members }) },
    { method: "GET", path: "team/invitations", writes: false, handle: () => ({ is: "list", records: [] }) },
  ];
}
