import { compactJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { FindRecordName, Refusal, ResourceKind, TargetAnswers } from "../../core/resource-kind.ts";
import { pluralize } from "../../core/text/format.ts";
import { textOfMember } from "../descriptor-parts.ts";

export function channelsOf({ channel, channels }: JsonObject): readonly JsonObject[] {
  const allChannels = isJsonArray(channels) && channels.length > 0 ? channels : [channel];
  return [
    ...new Map(allChannels.filter(isJsonObject).map((destination) => [compactJson(destination), destination])).values(),
  ];
}

function recipientsOf({ emailRecipients, recipients }: JsonObject): readonly string[] {
  return [emailRecipients, recipients].flatMap((value) =>
    isJsonArray(value) ? value.filter((item) => typeof item === "string") : [],
  );
}

/** Distinguishes alerts on the same tile or search. */
export function channelKey(body: JsonObject): JsonValue {
  return channelsOf(body).map((channel) => [
    textOfMember(channel, "type"),
    textOfMember(channel, "webhookId"),
    textOfMember(channel, "slackChannelId"),
    ...recipientsOf(channel),
  ]);
}

export function withOneChannel(body: JsonObject, target: TargetAnswers): JsonObject | undefined {
  const { channels, ...rest } = body;
  const [channel, ...others] = channelsOf(body);
  if (takesList(target) || channels === undefined || channel === undefined || others.length > 0) return undefined;
  return { ...rest, channel };
}

/** Older releases show only `channel` (docs/api.md#channels), and older managed gateways refuse `channels`. */
function takesList({ variant, shows }: TargetAnswers): boolean {
  return shows("channels") || (variant === "self-hosted" && !shows("channel"));
}

/** Some stacks keep only the first channel of an alert (docs/api.md#channels). */
export function severalChannels(body: JsonObject): ReturnType<NonNullable<ResourceKind["heldInPart"]>> {
  const { length } = channelsOf(body);
  if (length < 2) return undefined;
  const message = `notifies ${pluralize(length, "channel")}, and the target kept only the first one of another alert; make one alert per channel by hand`;
  return { refusal: { code: "several-channels", message }, isWhole: (answer) => channelsOf(answer).length > 1 };
}

export function channelRefusal(body: JsonObject, target: TargetAnswers, nameOf: FindRecordName): Refusal | undefined {
  const allChannels = channelsOf(body);
  if (allChannels.length === 0) return NO_CHANNEL;
  const joinDescriptions = (channels: readonly JsonObject[]): string =>
    channels.map((destination) => describeChannel(destination, nameOf)).join(", ");
  const [, ...lost] = allChannels;
  if (lost.length > 0 && target.shows("channel") && !target.shows("channels")) {
    const message = `notifies ${pluralize(allChannels.length, "channel")}, and no alert of the target has more than one: ${joinDescriptions(lost)} may be lost; make one alert per channel by hand`;
    return { code: "several-channels", message };
  }
  if (target.variant === "managed") return undefined;
  const byMail = allChannels.filter((channel) => channel["type"] === "email");
  if (byMail.length === 0) return undefined;
  const message = `notifies by ${joinDescriptions(byMail)}, and a self-hosted stack notifies only webhooks; create it by hand with a webhook`;
  return { code: "would-be-refused", message };
}

/** An alert of an older release can have no channel, but a write requires one (docs/api.md#channels). */
const NO_CHANNEL = {
  code: "would-be-refused",
  message: "has no channel, and the API refuses such an alert; create it by hand with a channel",
} as const;

function describeChannel(channel: JsonObject, nameOf: FindRecordName): string {
  const webhookId = textOfMember(channel, "webhookId");
  if (webhookId !== "") return `webhook "${nameOf("webhooks", webhookId)}"`;
  const recipients = recipientsOf(channel);
  return recipients.length === 0 ? textOfMember(channel, "type") : `e-mail to ${recipients.join(", ")}`;
}
