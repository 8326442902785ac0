import { alert, hook, times, without } from "../bodies.ts";
import type { Given, Json, Topic } from "../rule.ts";

const DUPLICATE = "Body validation failed: channels: Duplicate notification channels are not allowed";
const ELEVEN = "Body validation failed: channels: An alert supports at most 10 notification channels";
const NOT_FIRST =
  'Body validation failed: channels: When both "channel" and "channels" are provided, "channel" must match the first entry of "channels"';
const NONE = "Body validation failed: channels: At least one notification channel is required";
const NEITHER = 'Body validation failed: channels: Provide either "channel" or "channels"';

const withChannels = (channels: Json) => ({ ...without(alert(), "channel"), channels });
const given: Given = [["alert", "alerts", withChannels([hook(0), hook(1)])]];
const update = { given, request: "PUT alerts/@alert" };

/** To whom an alert tells. */
export const channels: Topic = {
  topic: "channels",
  only: "newer",
  request: "POST alerts",
  rules: [
    {
      rule: "the same channel twice, in an update",
      recorded: [724],
      ...update,
      body: withChannels([hook(0), hook(0)]),
      refused: DUPLICATE,
    },
    {
      rule: "eleven channels, in an update",
      recorded: [725],
      ...update,
      body: withChannels(times(11, hook)),
      refused: ELEVEN,
    },
    {
      rule: "channels turned round beside the old channel",
      recorded: [726],
      ...update,
      body: { ...withChannels([hook(1), hook(0)]), channel: hook(0) },
      refused: NOT_FIRST,
    },
    {
      rule: "channels turned round",
      recorded: [727],
      ...update,
      body: withChannels([hook(1), hook(0)]),
      members: { channel: hook(1) },
    },
    {
      rule: "channels alone replace all",
      recorded: [672, 673],
      ...update,
      body: withChannels([hook(2), hook(3), hook(4)]),
      members: { channel: hook(2) },
    },
    {
      rule: "channel alone replaces all",
      recorded: [674, 675],
      ...update,
      body: alert({ channel: hook(5) }),
      members: { channels: [hook(5)] },
    },
    {
      rule: "neither channel nor channels, in an update",
      recorded: [676],
      ...update,
      body: without(alert(), "channel"),
      refused: NEITHER,
    },
    {
      rule: "channel null beside channels",
      recorded: [677],
      ...update,
      body: { ...withChannels([hook(0), hook(1)]), channel: null },
      refused: "Body validation failed: channel: Expected object, received null",
    },
    {
      rule: "channels null beside channel",
      recorded: [678],
      ...update,
      body: alert({ channels: null }),
      refused: "Body validation failed: channels: Expected array, received null",
    },
    { rule: "no channels, in an update", recorded: [679], ...update, body: withChannels([]), refused: NONE },
    {
      rule: "channel that is the second of channels, in an update",
      recorded: [680],
      ...update,
      body: { ...withChannels([hook(0), hook(1)]), channel: hook(1) },
      refused: NOT_FIRST,
    },
  ],
};
