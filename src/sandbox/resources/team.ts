import type { Route, Stack } from "./route.ts";

const EMAIL = "sandbox@example.com";

/** The root and the team, only on self-hosted (recordings 300 to 303). The root returns the caller's own key. */
export function teamRoutes({ identity, ids, now }: Stack): readonly Route[] {
  const { teamId, apiKey } = identity;
  const userId = ids.id();
  const createdAt = new Date(now()).toISOString();
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
