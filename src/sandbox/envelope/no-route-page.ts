import type { Answer } from "./reply.ts";
import { CONTENT_TYPES } from "./reply.ts";

/** The page for a route that does not exist, byte for byte that of recordings 07 and 69. */
export function noRoutePage(method: string, path: string): Answer {
  const line = `Cannot ${method} ${path}`.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  const body = [
    "<!DOCTYPE html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    "<title>Error</title>",
    "</head>",
    "<body>",
    `<pre>${line}</pre>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
  const headers = {
    "Content-Type": CONTENT_TYPES.html,
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
  };
  return { status: 404, headers, body };
}
