// Loaded into every program that a test starts. Writes each exchange with its sandboxes into a file, for exchange-check.ts.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const file = process.env["STACKFERRY_EXCHANGES"];
if (file !== undefined)
  subscribe("stackferry:sandbox", (exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`));
