import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** Writes all headers of an answer and half of its body, then ends the connection. */
export async function truncateAnswer(response: Response, socket: Socket): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const named = [...response.headers].filter(([name]) => name !== "content-length");
  const headers = named.map(([name, value]) => `${name}: ${value}\r\n`);
  // An empty body has no half; a length of 1 leaves it short all the same.
  const length = `content-length: ${Math.max(1, body.length)}\r\n`;
  socket.write(
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${headers.join("")}${length}\r\n`,
  );
  socket.write(body.subarray(0, Math.floor(body.length / 2)));
  // Once all is written: a reset would take what the client has not read yet along.
  socket.destroySoon();
}
