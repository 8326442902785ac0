/** Services that give each person a host of their own: whoever knows its name can send there, and often read what was sent. */
const INBOX_HOSTS = new RegExp(
  String.raw`^[^.]+\.(?:[\w-]+\.)?(?:${[
    String.raw`pipedream\.net`,
    String.raw`webhook\.site`,
    String.raw`emailhook\.site`,
    String.raw`requestcatcher\.com`,
    String.raw`requestbin\.(?:com|net)`,
    String.raw`beeceptor\.com`,
    String.raw`hookb\.in`,
    String.raw`oast\.(?:pro|live|site|online|fun|me)`,
    String.raw`interact\.sh`,
    String.raw`burpcollaborator\.net`,
    String.raw`oastify\.com`,
    String.raw`ngrok\.(?:io|app|dev)`,
    String.raw`ngrok-free\.(?:app|dev)`,
    String.raw`trycloudflare\.com`,
    String.raw`loca\.lt`,
    String.raw`localhost\.run`,
    String.raw`lhr\.life`,
    String.raw`serveo\.net`,
    String.raw`devtunnels\.ms`,
    String.raw`lambda-url\.[\w-]+\.on\.aws`,
  ].join("|")})$`,
  "i",
);

/** Whether a host names somebody's inbox or tunnel, and is the secret itself. */
export function isInboxHost(hostname: string): boolean {
  return INBOX_HOSTS.test(hostname);
}
