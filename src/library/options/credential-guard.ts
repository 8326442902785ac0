import { StackError, StackferryError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { ProxyEnv, StackClient, StackCredential } from "../../core/ports.ts";
import type { ResourceKind } from "../../core/resource-kind.ts";
import { secretsOfCertificate, secretsOfHeaders } from "../../client/gateway.ts";
import { createCredentialTest } from "../../redaction/credentials.ts";
import { isRedactedEverywhere } from "../../redaction/filling/filled-texts.ts";
import { childrenOf } from "../../references/children.ts";
import type { StackSettings } from "../../config/stacks/stack-settings.ts";

/** A Basic header encodes `id:secret`. */
function secretsOfCredential(credential: StackCredential): string[] {
  if ("apiKey" in credential) return [credential.apiKey];
  const { keyId, keySecret } = credential;
  return [keyId, keySecret, `${keyId}:${keySecret}`];
}

export interface SecretAccess extends Pick<StackSettings, "headers" | "clientCertificate"> {
  readonly credential: StackCredential;
  readonly proxyEnv?: ProxyEnv | undefined;
}

export function secretsOfAccess({ credential, headers = [], clientCertificate, proxyEnv }: SecretAccess): string[] {
  return [
    ...secretsOfCredential(credential),
    ...secretsOfHeaders(headers),
    ...secretsOfCertificate(clientCertificate),
    ...secretsOfProxies(proxyEnv),
  ];
}

export function secretsOfProxies({ http_proxy: http, https_proxy: https }: ProxyEnv = {}): string[] {
  return [http, https].flatMap(secretsOfProxy);
}

/** Omits a short password on its own, because many texts may contain it by chance. */
function secretsOfProxy(address = ""): string[] {
  const [, user = "", password = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#@:]*):([^/?#@]*)@/i.exec(address) ?? [];
  if (password === "") return [];
  const [plainUser, plainPassword] = [decoded(user), decoded(password)];
  const alone = [password, plainPassword].filter(isRedactedEverywhere);
  return [...new Set([`${user}:${password}`, `${plainUser}:${plainPassword}`, ...alone])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Ids are written to journals and reports, so an answer with a credential in an id is refused, too.
 * @param others credentials that answers may contain, but records to send must not
 */
export function guardCredentials(client: StackClient, own: readonly string[], others: readonly string[]): StackClient {
  const holdsOwn = createCredentialTest(own);
  const holdsAny = createCredentialTest([...own, ...others]);
  const checked = <Body extends JsonValue>(kind: ResourceKind, body: Body): Body => {
    if (!holdsOwn(idsOf(kind, body).join("\n"))) return body;
    const hint = "The id was written nowhere. Ask whoever runs the stack, and replace the credential.";
    const message = `the stack returned an id of ${kind.name} that contains the credential`;
    throw new StackferryError("secret-in-output", message, { hint });
  };
  const toSend = (kind: ResourceKind, body: JsonObject): JsonObject => {
    if (!holdsAny(JSON.stringify(body))) return body;
    const request = { method: "not sent", path: kind.name, applied: "no" } as const;
    const hint = "Take it out of there, and replace the credential: everybody who can read that place has it.";
    const message = `the ${kind.singular} to send contains a credential that this run uses`;
    throw new StackError("secret-in-output", message, { ...request, hint });
  };
  return {
    ...client,
    async *list(kind, signal, onGap) {
      const checkedGap: typeof onGap =
        onGap && ((gap) => onGap({ ...gap, ids: gap.ids.filter((id) => !holdsOwn(id)) }));
      for await (const page of client.list(kind, signal, checkedGap)) {
        for (const { value } of page) checked(kind, value);
        yield page;
      }
    },
    get: async (kind, id, signal) => checked(kind, await client.get(kind, id, signal)),
    create: async (kind, body, signal) => checked(kind, await client.create(kind, toSend(kind, body), signal)),
    update: async (kind, id, body, options) =>
      checked(kind, await client.update(kind, id, toSend(kind, body), options)),
    validate: async (kind, body, signal) => client.validate(kind, toSend(kind, body), signal),
  };
}

function idsOf(kind: ResourceKind, body: JsonValue): string[] {
  if (!isJsonObject(body)) return [];
  const children = kind.children.flatMap((path) => childrenOf(body, path));
  return [body, ...children].flatMap(({ id }) => (typeof id === "string" ? [id] : []));
}
