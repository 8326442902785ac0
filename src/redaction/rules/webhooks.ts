import { matchesOf, matchSpans, spanAt, type SecretSpan, type TextRule } from "../spans.ts";
import { looksRandom } from "../values/secret-value.ts";

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Services whose addresses are credentials. The host and the path up to the secret stay. */
const HOSTS: readonly (readonly [words: string, host: string])[] = [
  [".webhook.office", String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`],
  ["hooks.zapier", String.raw`hooks\.zapier\.com/hooks/`],
  ["api.netlify", String.raw`api\.netlify\.com/build_hooks/`],
  [".pagerduty", String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`],
  ["alert.victorops", String.raw`alert\.victorops\.com/integrations/`],
  ["hc-ping.com", String.raw`hc-ping\.com/`],
  ["nosnch.in", String.raw`nosnch\.in/`],
  ["calendar.google", String.raw`calendar\.google\.com/calendar/ical/[^\s/]{1,120}/(?=private-)`],
  ["/api/push/", String.raw`[\w.:-]+/api/push/`],
];
/** Path segments of endpoints that receive messages. */
const RECEIVERS =
  "webhook webhooks web-hook web-hooks webhook-test webhooks-test web-hook-test web-hooks-test hook hooks incoming inbound push heartbeat heartbeats ping catch trigger triggers deployhook deployhooks deploy-hook deploy-hooks deploy_hook deploy_hooks build_hooks ingest collect notify callback event events checkin checkins check-in check-ins receiver receivers alert alerts integration integrations input inputs send robot feed feeds calendar calendars ical".split(
    " ",
  );
/** Matches the address of a receiver: the text before the last path segment (first group), and that segment (second group). */
const RECEIVER = new RegExp(
  String.raw`(https?:\/\/(?:[\w.-]{0,60}hooks?[.-][\w.-]{1,60}\/|[^\s"'<>|\\)\]}«\0/]{1,200}\/(?:[\w.~-]{1,60}\/){0,5}(?:${RECEIVERS.join("|")})\/)(?:(?!settings|docs)[\w.~-]{1,40}\/){0,3})([\w~-]{16,200})(?![\w.])`,
  "gi",
);

/** Rules for webhook paths, for example of chat and paging services: anybody who knows such a path can post to it. */
export const webhookRules: readonly TextRule[] = [
  ...HOSTS.map(([words, host]) => hostRule(words.split(" "), host)),
  {
    words: ["hook.", "hook-", "hooks.", "hooks-", ...RECEIVERS.map((name) => `/${name}/`)],
    find: receiverSpans,
  },
  { words: ["rtmp"], find: streamSpans },
];

function hostRule(words: readonly string[], host: string): TextRule {
  const expression = new RegExp(`((?:https?://|(?<![\\w./:-]))${host})(${REST}{6,})`, "gi");
  const find = (text: string): SecretSpan[] =>
    matchesOf(text, expression).flatMap(({ index, 0: address, 1: kept = "" }) => {
      const path = address.slice(kept.length).replace(/(?<![.,;:!?\x60])[.,;:!?\x60]+$/, "");
      return spanAt(index + kept.length, path, "webhook-path");
    });
  return { words, find };
}

/** Matches the end of an address for sending a stream: anybody who knows the last segment can broadcast. */
const STREAM = /(?<=\brtmps?:\/\/[\w.:-]{3,80}\/(?:[\w-]{1,20}\/){1,2})[\w?=&-]{16,200}/g;

function streamSpans(text: string): SecretSpan[] {
  return matchSpans(
    text,
    STREAM,
    "webhook-path",
    (key) => looksRandom(key) || /^(?=.*\d)[a-z\d]{4}(?:-[a-z\d]{4}){3,4}$/.test(key),
  );
}

/** Finds the last path segment of a webhook address on any host, if the segment looks random and is not the id of a record. */
function receiverSpans(text: string): SecretSpan[] {
  return matchesOf(text, RECEIVER).flatMap(({ index, 1: kept = "", 2: part = "" }) => {
    // The segment is a date or a title with hyphens.
    if (part.split(/[-_~.]/).every((word) => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|v?\d{1,4})$/.test(word))) return [];
    const isId = /^[\da-f]{24}$/i.test(part) || (UUID.test(part) && !/hook|push|heartbeat|ping|check-?in/i.test(kept));
    if (isId || REPOSITORY.test(kept) || !looksRandom(part)) return [];
    return spanAt(index + kept.length, part, "webhook-path");
  });
}

/** Matches addresses of code repositories. A random segment of such an address is a commit, not a secret. */
const REPOSITORY =
  /\/\/(?:[\w-]{1,40}\.){0,4}(?:github|gitlab|bitbucket|gitea|codeberg|sourcehut|sr\.ht|gitee|git)\b|\/(?:-\/)?(?:commits?|tree|blob|blame|compare|raw|merge_requests|pull|src\/commit)\//i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
