import { looksRandom } from "../../values/secret-value.ts";
import type { SecretSpan } from "../../spans.ts";
import { matchSpans } from "../../spans.ts";
import type { TextRule } from "../text-rule.ts";

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Services whose addresses are credentials by themselves, and from where on: the first group stays. */
const HOOKS: readonly RegExp[] = [
  // Chat
  String.raw`hooks\.slack(?:-gov)?\.com/`,
  String.raw`(?:(?:canary|ptb)\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/`,
  String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`,
  String.raw`outlook\.office(?:365)?\.com/webhook/`,
  String.raw`chat\.googleapis\.com/v1/spaces/`,
  String.raw`api\.telegram\.org/(?=bot\d)`,
  String.raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/`,
  String.raw`(?:api\.ciscospark|webexapis)\.com/v1/webhooks/incoming/`,
  String.raw`hooks\.(?:glip|ringcentral)\.com/webhook/`,
  String.raw`media\.guilded\.gg/webhooks/`,
  String.raw`api\.flock\.com/hooks/sendMessage/`,
  String.raw`[\w.-]+/hooks/(?=[a-z\d]{26}\b)`,
  String.raw`[\w.-]+/hooks/(?=[A-Za-z\d]{17,24}/[A-Za-z\d]{20,})`,
  // Automation
  String.raw`hooks\.zapier\.com/hooks/`,
  String.raw`hook\.[\w.]*(?:make|integromat)\.com/`,
  String.raw`maker\.ifttt\.com/(?=trigger/|use/)`,
  String.raw`(?:api\.)?webhook\.site/`,
  String.raw`hooks\.airtable\.com/workflows/`,
  String.raw`(?:webhooks|hooks)\.workato\.com/webhooks/rest/`,
  String.raw`[\w-]+\.tines\.(?:com|io)/webhook/`,
  String.raw`hooks\.torq\.io/v\d/webhooks/`,
  String.raw`[\w-]+\.m\.pipedream\.net(?=/|$)`,
  String.raw`api\.netlify\.com/build_hooks/`,
  String.raw`api\.vercel\.com/v\d/integrations/deploy/`,
  // Paging
  String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`,
  String.raw`alert\.victorops\.com/integrations/`,
  String.raw`api\.incident\.io/v\d/alert_events/http/`,
  String.raw`(?:api|www|events)\.zenduty\.com/(?:api/)?(?:events|integration)/`,
  String.raw`(?:api|app|alerts?)\.(?:eu\.)?squadcast\.(?:com|tech)/v\d/incidents/`,
  String.raw`(?:webhooks|app)\.rootly\.com/webhooks/`,
  String.raw`connect\.signl4\.com/webhook/`,
  String.raw`api\.pagertree\.com/integration/`,
  String.raw`api\.ilert\.com/api/(?:v\d/)?(?:events|alerts?|heartbeats?)/`,
  String.raw`(?:[\w-]+\.)?allquiet\.app/api/webhook/`,
  String.raw`hooks\.spike\.sh/`,
  String.raw`hooks\.[\w-]+\.grafana\.net/`,
  String.raw`[\w.-]+/(?:oncall/)?integrations/v1/(?=[a-z_]{3,30}/[A-Za-z\d_-]{16,})`,
  // Heartbeats
  String.raw`hc-ping\.com/`,
  String.raw`(?:uptime\.betterstack|betteruptime)\.com/api/v\d/(?=heartbeat/)`,
  String.raw`heartbeat\.uptimerobot\.com/`,
  String.raw`cronitor\.link/`,
  String.raw`trigger\.macrodroid\.com/`,
  String.raw`ntfy\.sh/(?=[\w-]{0,60}\d)`,
  String.raw`nosnch\.in/`,
  String.raw`api\.(?:pushcut\.io|day\.app)/`,
  String.raw`(?:simplepush\.io/send|notify\.run|wirepusher\.com)/`,
  String.raw`logs-\d+\.loggly\.com/(?:inputs|bulk)/`,
  String.raw`hub\.docker\.com/api/build/v\d/source/`,
  String.raw`script\.google\.com/macros/s/`,
  // Calendars that anybody can read who knows the address.
  String.raw`calendar\.google\.com/calendar/ical/[^\s/]{1,120}/(?=private-)`,
  String.raw`outlook\.(?:office(?:365)?|live)\.com/owa/calendar/[^\s/]{1,120}/`,
  String.raw`ping\.checklyhq\.com/`,
  String.raw`(?:cronhub\.io|ping\.\w+\.io)/ping/`,
  String.raw`api\.honeybadger\.io/v\d/check_in/`,
  String.raw`[\w.:-]+/api/push/`,
].map((host) => new RegExp(`((?:https?://|(?<![\\w./:-]))${host})(${REST}{6,})`, "gi"));
/** In a chat people leave the scheme out. */
const WITHOUT_SCHEME =
  /(?<![\w./-])(?:hooks?\.[\w.-]{4,40}\.\w{2,4}\/|(?:(?:canary|ptb)\.)?discord(?:app)?\.com\/api\/|[\w-]+\.webhook\.office|open\.(?:feishu|lark)|api\.telegram\.org\/bot|chat\.googleapis\.com\/v1\/spaces|hc-ping\.com\/|maker\.ifttt|events\.(?:eu\.)?pagerduty\.com\/|cronitor\.link\/|ntfy\.sh\/|nosnch\.in\/|alert\.victorops\.com\/)/i;

/** Parts of paths that receive something, and what follows them. */
const RECEIVER =
  /(https?:\/\/(?:[\w.-]{0,60}hooks?[.-][\w.-]{1,60}\/|[^\s"'<>|\\)\]}«\0/]{1,200}\/(?:[\w.~-]{1,60}\/){0,5}(?:web-?hooks?(?:-test)?|hooks?|incoming|inbound|push|heartbeats?|ping|catch|triggers?|deploy[_-]?hooks?|build_hooks|ingest|collect|notify|callback|events?|check-?ins?|receivers?|alerts?|integrations?|inputs?|send|robot|feeds?|calendars?|ical)\/)(?:(?!settings|docs)[\w.~-]{1,40}\/){0,3})([\w~-]{16,200})(?![\w.])/gi;

/** Paths of chat and paging services that anybody who knows them can post to. */
export const webhookPathRule: TextRule = {
  words: [
    "://",
    "hook.",
    "hooks.",
    "discord",
    "webhook.office",
    "open.",
    "telegram.org",
    "googleapis",
    "hc-ping",
    "ifttt",
    "pagerduty",
    "cronitor",
    "ntfy",
    "nosnch",
    "victorops",
  ],
  // A part of each service's address, or of the path.
  hint: new RegExp(
    `rtmps?://|${WITHOUT_SCHEME.source}|${/:\/\/(?:(?!:\/\/)[\w.:/~-]){0,800}?(?:hook|discord|googleapis|ifttt|telegram|pagerduty|victorops|incident\.io|feishu|larksuite|hc-ping|betterstack|betteruptime|incoming|inbound|push|heartbeat|ping|pipedream|zenduty|squadcast|rootly|signl4|pagertree|ilert|allquiet|spike\.sh|integration|cronitor|ntfy|macrodroid|nosnch|checkly|check|honeybadger|catch|trigger|ingest|collect|notify|callback|event|receiver|alert|input|send|robot|feed|calendar|ical|loggly|pushcut|day\.app|notify|wirepusher|docker|macros|netlify|vercel|tines|torq)/.source}`,
    "i",
  ),
  find: (text) => [...webhookPathSpans(text), ...receiverSpans(text), ...streamSpans(text)],
};

function webhookPathSpans(text: string): SecretSpan[] {
  return HOOKS.flatMap((hook) =>
    [...text.matchAll(hook)].flatMap(({ index, 0: whole, 1: kept = "" }) => {
      const rest = whole.slice(kept.length).replace(/(?<![.,;:!?\x60])[.,;:!?\x60]+$/, "");
      // `services/XXX/YYY/ZZZ`, `YOUR/WEBHOOK/URL`
      if (/[A-Z]{3}/.test(rest) && rest.split("/").every((part) => PLACEHOLDER.test(part))) return [];
      return { start: index + kept.length, end: index + kept.length + rest.length, rule: "webhook-path" };
    }),
  );
}

/** Whoever knows the last part of it is on air. */
const STREAM = /(?<=\brtmps?:\/\/[\w.:-]{3,80}\/(?:[\w-]{1,20}\/){1,2})[\w?=&-]{16,200}/g;

function streamSpans(text: string): SecretSpan[] {
  return matchSpans(text, STREAM, "webhook-path").filter(({ start, end }) => {
    const key = text.slice(start, end);
    return looksRandom(key) || /^(?=.*\d)[a-z\d]{4}(?:-[a-z\d]{4}){3,4}$/.test(key);
  });
}

/** A word of a path, or what stands for a part of it. */
const PLACEHOLDER = /^(?:[a-z]{1,12}|(?:[A-Z]{1,10}_){0,4}[A-Z]{1,10}|[xX.*]+)$/;

/** Any other address that receives something, where the last part of its path is drawn by lot and no id of a record. */
function receiverSpans(text: string): SecretSpan[] {
  return [...text.matchAll(RECEIVER)].flatMap(({ index, 1: kept = "", 2: part = "" }) => {
    // A date or a title that is written with joints.
    if (part.split(/[-_~.]/).every((word) => /^(?:[A-Z]?[a-z]{2,}|[A-Z]{2,}|v?\d{1,4})$/.test(word))) return [];
    const isId = /^[\da-f]{24}$/i.test(part) || (UUID.test(part) && !/hook|push|heartbeat|ping|check-?in/i.test(kept));
    if (isId || REPOSITORY.test(kept) || !looksRandom(part)) return [];
    const start = index + kept.length;
    return [{ start, end: start + part.length, rule: "webhook-path" }];
  });
}

/** What a repository shows: a commit is no secret, whatever the repository is called. */
const REPOSITORY =
  /\/\/(?:[\w-]{1,40}\.){0,4}(?:github|gitlab|bitbucket|gitea|codeberg|sourcehut|sr\.ht|gitee|git)\b|\/(?:-\/)?(?:commits?|tree|blob|blame|compare|raw|merge_requests|pull|src\/commit)\//i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
