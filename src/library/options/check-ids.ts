import { StackferryError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import type { StackClient } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { credentialCheck } from "../../redaction/credential-check.ts";
import { childrenOf } from "../../references/children.ts";

/**
 * The same client. An answer whose ids hold a credential of the run is refused (`secret-in-output`): ids are written to journals
 * and reports, and a stack knows the credential that it was sent.
 */
export function withCheckedIds(client: StackClient, credentials: readonly string[]): StackClient {
  const holds = credentialCheck(credentials);
  const checked = <Body extends JsonValue>(kind: ResourceKind, body: Body): Body => {
    if (!holds(idsOf(kind, body).join("\n"))) return body;
    throw new StackferryError("secret-in-output", `the stack answers an id of ${kind.name} that holds the credential`, {
      hint: "The id was written nowhere. Ask whoever runs the stack, and replace the credential.",
    });
  };
  return {
    identity: client.identity,
    async *list(kind, signal, onGap) {
      const checkedGap: typeof onGap = onGap && ((gap) => onGap({ ...gap, ids: gap.ids.filter((id) => !holds(id)) }));
      for await (const page of client.list(kind, signal, checkedGap)) {
        for (const { value } of page) checked(kind, value);
        yield page;
      }
    },
    get: async (kind, id, signal) => checked(kind, await client.get(kind, id, signal)),
    create: async (kind, body, signal) => checked(kind, await client.create(kind, body, signal)),
    update: async (kind, id, body, signal) => checked(kind, await client.update(kind, id, body, signal)),
    delete: (kind, id, signal) => client.delete(kind, id, signal),
    validate: (kind, body, signal) => client.validate(kind, body, signal),
    querySeries: (query, signal) => client.querySeries(query, signal),
    requestCounts: () => client.requestCounts(),
    [Symbol.asyncDispose]: () => Promise.resolve(client[Symbol.asyncDispose]()),
  };
}

/** The id of a record and those of its children. */
function idsOf(kind: ResourceKind, body: JsonValue): string[] {
  if (!isJsonObject(body)) return [];
  const children = kind.children.flatMap((each) => childrenOf(body, each));
  return [body, ...children].flatMap(({ id }) => (typeof id === "string" ? [id] : []));
}
