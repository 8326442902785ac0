import type { SecretSpan } from "./redaction-policy.ts";
import { signs } from "./sign.ts";
import type { TextRule } from "./text-rule.ts";

const REST = String.raw`[^\s"'<>|\\)\]}«\0]`;

/** Services whose addresses are credentials by themselves, and from where on: the first group stays. */
const HOOKS: readonly RegExp[] = [
  String.raw`hooks\.slack(?:-gov)?\.com/`,
  String.raw`(?:(?:canary|ptb)\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/`,
  String.raw`[\w-]+\.webhook\.office\.com/webhookb2/`,
  String.raw`outlook\.office(?:365)?\.com/webhook/`,
  String.raw`chat\.googleapis\.com/v1/spaces/`,
  String.raw`hooks\.zapier\.com/hooks/`,
  String.raw`hook\.[\w.]*(?:make|integromat)\.com/`,
  String.raw`maker\.ifttt\.com/(?=trigger/|use/)`,
  String.raw`api\.telegram\.org/(?=bot\d)`,
  String.raw`events\.(?:eu\.)?pagerduty\.com/(?=integration/|x-ere/)`,
  String.raw`alert\.victorops\.com/integrations/`,
  String.raw`api\.incident\.io/v\d/alert_events/http/`,
  String.raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/`,
  String.raw`hc-ping\.com/`,
  String.raw`(?:api\.)?webhook\.site/`,
  String.raw`[\w.-]+/hooks/(?=[a-z\d]{26}\b)`,
  String.raw`[\w.-]+/hooks/(?=[A-Za-z\d]{17,24}/[A-Za-z\d]{20,})`,
  String.raw`uptime\.betterstack\.com/api/v\d/(?=heartbeat/)`,
  String.raw`hooks\.[\w-]+\.grafana\.net/`,
].map((host) => new RegExp(`(https?://${host})(${REST}{6,})`, "gi"));

/** Whatever could be meant, seen at a glance: most addresses name none of these services, nor a path of that name. */
const ANY =
  /[\w./-]*?(?:hook|discord|googleapis|ifttt|telegram|pagerduty|victorops|incident\.io|feishu|larksuite|hc-ping|betterstack)/iy;

/** Paths of chat and paging services that anybody who knows them can post to. */
export const webhookPathRule: TextRule = { signs: signs(["://"], { after: ANY }), find: webhookPathSpans };

function webhookPathSpans(text: string): SecretSpan[] {
  return HOOKS.flatMap((hook) =>
    [...text.matchAll(hook)].map(({ index, 0: whole, 1: kept = "" }) => {
      const rest = whole.slice(kept.length).replace(/[.,;:!?]+$/, "");
      return { start: index + kept.length, end: index + kept.length + rest.length, rule: "webhook-path" };
    }),
  );
}
