import { dirname, resolve } from "node:path";
import { StackferryError } from "../../core/errors.ts";
import type { Warning } from "../../core/outcome.ts";
import type { RequestHeader } from "../../core/ports.ts";
import { holdsValueReference, readTextFile } from "../expand-values.ts";
import { loadClientKey } from "../secrets/archive-secrets.ts";
import type { StackSettings } from "./stack-settings.ts";
import type { ConfiguredStack } from "./stack-schema.ts";

/** The headers and the certificate that a gateway in front of a stack wants of its clients. */
export type GatewaySettings = Pick<StackSettings, "headers" | "clientCertificate">;

/** Matches names of headers that hold a credential. Their values are secrets, even if they stand in the file. */
const SECRET_HEADER = /auth|cookie|credential|jwt|key|pass|secret|token/i;

/** Tells whether a header's value is a secret. What stands in the file is none, such as the id of a team, which records name, too. */
export function isSecretHeader(name: string, text: string): boolean {
  return holdsValueReference(text) || SECRET_HEADER.test(name);
}

/**
 * Fills in the headers of a stack, and reads the files of its client certificate.
 * @param expand fills in one text; it also gets the path of the member, for messages
 * @throws StackferryError `config`
 */
export async function gatewaySettingsOf(
  { name, stack, configPath }: { readonly name: string; readonly stack: ConfiguredStack; readonly configPath: string },
  expand: (member: string, text: string) => Promise<string>,
): Promise<GatewaySettings & { readonly warnings: readonly Warning[] }> {
  const { clientCertificateFile, clientKeyFile = clientCertificateFile, clientKeyPassphrase } = stack;
  const headers: RequestHeader[] = [];
  for (const [header, text] of Object.entries(stack.headers ?? {})) {
    const value = await expand(`headers.${header}`, text);
    headers.push({ name: header, value, isSecret: isSecretHeader(header, text) });
  }
  const ofHeaders = headers.length === 0 ? {} : { headers };
  if (clientCertificateFile === undefined || clientKeyFile === undefined) {
    if (clientKeyFile === undefined && clientKeyPassphrase === undefined) return { ...ofHeaders, warnings: [] };
    throw new StackferryError("config", `stacks.${name} has a client key, but no clientCertificateFile`, {
      hint: "set clientCertificateFile, too",
    });
  }
  const pathOf = async (member: string, path: string): Promise<string> =>
    resolve(dirname(configPath), await expand(member, path));
  const path = await pathOf("clientCertificateFile", clientCertificateFile);
  const key = await loadClientKey(await pathOf("clientKeyFile", clientKeyFile));
  const clientCertificate = {
    certificate: await readTextFile(path, `the certificate file ${path} cannot be read`, "give the path of a PEM file"),
    key: key.value,
    ...(clientKeyPassphrase && { passphrase: await expand("clientKeyPassphrase", clientKeyPassphrase) }),
  };
  return { ...ofHeaders, clientCertificate, warnings: key.warnings };
}
