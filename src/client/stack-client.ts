import { StackError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { StackClient, WriteRequestOptions } from "../core/ports.ts";
import type { Variant } from "../core/records/record.ts";
import type { Operation, ResourceKind, ApiRoute } from "../core/resource-kind.ts";
import { pluralOf } from "../kinds/nouns.ts";
import { createTransport } from "./transport.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createRecordDecoder, createVerdictDecoder, decodeWhole, type Decode } from "./envelope.ts";
import { createCredentialMask } from "./error-body.ts";
import { HINT_BY_CODE } from "./failures.ts";
import {
  authorizationOf,
  normaliseClientOptions,
  refusePlainHttp,
  type ClientSettings,
  type StackClientOptions,
} from "./options.ts";
import { proxyFor } from "./proxy.ts";
import { readPages, readUnpagedList } from "./lists/pagination.ts";
import { certificateWithoutTls, checkHeaders, secretsOfCertificate, secretsOfHeaders } from "./gateway.ts";
import { RequestSender } from "./request-sender.ts";
import { withTlsProbe } from "./network-failure.ts";
import {
  buildRequest,
  createAddresses,
  rightFor,
  type BuildAddress,
  type RequestDetails,
  type StackRequest,
} from "./request.ts";

/** Charts are not stored, so they are not a kind (docs/api.md#series). */
const SERIES_ROUTE = { method: "POST", path: "{stack}/charts/series" } as const satisfies ApiRoute;

/**
 * Sends no request before the first operation.
 * @throws StackferryError `config` for an unusable address, credential or option
 */
export function createStackClient(options: StackClientOptions): StackClient {
  const settings = normaliseClientOptions(options);
  const { identity, pageSize } = settings;
  const { variant } = identity;
  const { addressOf, dispatcher, sender, maskCredentials } = connect(settings);

  let closing: Promise<void> | undefined;

  const decodeRecord = createRecordDecoder(variant);

  const requestTo = createRequests(variant, addressOf);
  const sendWrite = createWriteSender(sender, requestTo, decodeRecord);

  return {
    identity,
    async *list(kind, signal, onGap) {
      const { path } = requestTo(kind, "list");
      const fetchPage = (query?: RequestDetails["query"]) =>
        sender.sendForList(requestTo(kind, "list", query && { query }), variant, signal);
      const paging = { pageSize, firstWithoutPage: variant === "managed" };
      yield* kind.listing === "paged"
        ? readPages(fetchPage, paging, path, onGap)
        : readUnpagedList(fetchPage, path, onGap);
    },
    get: async (kind, id, signal) => sender.send(requestTo(kind, "get", { id }), decodeRecord, signal),
    create: async (kind, body, signal) => sender.send(requestTo(kind, "create", { body }), decodeRecord, signal),
    update: async (kind, id, body, options) => sendWrite(kind, "update", { id, body }, decodeRecord, options),
    async delete(kind, id, options) {
      try {
        await sendWrite(kind, "delete", { id }, decodeWhole, options);
      } catch (error) {
        if (!(error instanceof StackError && error.code === "not-found")) throw error;
      }
    },
    validate: async (kind, body, signal) => {
      const request = { ...requestTo(kind, "validate", { body }), writes: false, repeatable: true };
      return sender.send(request, createVerdictDecoder(variant, maskCredentials), signal);
    },
    async querySeries(query, signal) {
      if (variant === "managed") throw notOfferedError("chart series", "query", variant);
      const body: JsonObject = { ...query };
      const right = rightFor(variant, SERIES_ROUTE, "query charts");
      const request = buildRequest(SERIES_ROUTE, addressOf(SERIES_ROUTE), { body }, right);
      return sender.send({ ...request, writes: false, repeatable: true }, decodeWhole, signal);
    },
    requestCounts: () => sender.counts(),
    // Requests under way may finish, because the result of a cut-off write would be unknown.
    [Symbol.asyncDispose]: () => (closing ??= dispatcher.close()),
  };
}

function createRequests(variant: Variant, addressOf: BuildAddress) {
  return (kind: ResourceKind, operation: Operation, details: RequestDetails = {}): StackRequest => {
    const route = kind.routes[variant][operation];
    if (route === undefined) throw notOfferedError(kind.name, operation, variant);
    const use = operation === "list" || operation === "get" ? "read" : "change";
    const right = rightFor(variant, route, `${use} ${pluralOf(kind.name)}`);
    return buildRequest(route, addressOf(route, details.id), details, right);
  };
}

function createWriteSender(
  sender: RequestSender,
  requestTo: ReturnType<typeof createRequests>,
  decodeRecord: Decode<JsonObject>,
) {
  return (
    kind: ResourceKind,
    operation: "update" | "delete",
    details: RequestDetails,
    decode: Decode<JsonObject>,
    { look, signal }: WriteRequestOptions = {},
  ): Promise<JsonObject> => {
    const write = requestTo(kind, operation, details);
    if (look === undefined) return sender.send(write, decode, signal);
    const read = requestTo(kind, "get", { id: details.id });
    return sender.sendChecked({ read, decodeRecord, write, decode, look, mayBeGone: operation === "delete", signal });
  };
}

function connect(settings: ClientSettings) {
  const { identity, credential, segments } = settings;
  const baseUrl = new URL(identity.baseUrl);
  refusePlainHttp(baseUrl, settings.allowHttp);
  const { header: authorization, secrets } = authorizationOf(credential);
  const addressOf = createAddresses(identity, segments);
  if (settings.clientCertificate !== undefined && baseUrl.protocol === "http:") throw certificateWithoutTls();
  const isProxied = proxyFor(baseUrl, settings.proxyEnv) !== undefined;
  const ownHeaders = checkHeaders(settings.headers, isProxied);
  const dispatcher = createDispatcher({ ...settings, baseUrl });
  const transport = createTransport({ ...settings, dispatcher, authorization, ownHeaders });
  const probing = baseUrl.protocol === "http:" && !isProxied ? withTlsProbe(transport, baseUrl) : transport;
  const ownSecrets = [...secretsOfHeaders(settings.headers), ...secretsOfCertificate(settings.clientCertificate)];
  const maskCredentials = createCredentialMask([...secrets, ...ownSecrets, ...settings.secrets]);
  const sender = new RequestSender(settings, probing, maskCredentials);
  return { addressOf, dispatcher, sender, maskCredentials };
}

function notOfferedError(subject: string, operation: string, variant: string): StackError {
  return new StackError("not-offered", `${variant} stacks do not offer to ${operation} ${subject}`, {
    method: "none",
    path: "none",
    applied: "no",
    hint: HINT_BY_CODE["not-offered"],
  });
}
