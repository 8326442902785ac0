import { X509Certificate, createPrivateKey, type KeyObject } from "node:crypto";
import { StackferryError } from "../core/errors.ts";
import type { ClientCertificate, RequestHeader } from "../core/ports.ts";

const NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** Checked here, because the HTTP library's error for an unusable value would quote the value. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;

const RESERVED = new Set(
  "accept authorization connection content-length content-type expect host keep-alive te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/**
 * Errors name the header, never the value.
 * @throws StackferryError `config`
 */
export function checkHeaders(headers: readonly RequestHeader[], isProxied: boolean): Readonly<Record<string, string>> {
  const checked: Record<string, string> = {};
  for (const { name, value } of headers) {
    if (!NAME.test(name)) throw unusableHeader(name, "has a name that is none", "write letters, digits and -");
    const key = name.toLowerCase();
    if (RESERVED.has(key)) throw unusableHeader(name, "is one that the program sets itself", "leave it out");
    if (key === "proxy-authorization" && isProxied) {
      throw unusableHeader(
        name,
        "would be taken by the proxy",
        "add the stack's host to NO_PROXY, or leave the header out",
      );
    }
    if (Object.hasOwn(checked, key))
      throw unusableHeader(name, "is given twice", "names that differ only in case are one");
    if (!VALUE.test(value)) {
      throw unusableHeader(name, "is empty, or holds line breaks or characters outside ASCII", "correct its value");
    }
    checked[key] = value;
  }
  return checked;
}

function unusableHeader(name: string, problem: string, hint: string): StackferryError {
  return new StackferryError("config", `the header ${JSON.stringify(name)} ${problem}`, { hint });
}

const MIN_PART = 8;

/** TOKEN in `Bearer TOKEN` and in `session=TOKEN` is a secret by itself. */
export function secretsOfHeaders(headers: readonly RequestHeader[]): string[] {
  const values = headers.filter(({ isSecret }) => isSecret).map(({ value }) => value);
  const parts = values.flatMap((value) => value.split(/[\s;,]+|(?<=^|[\s;,])[\w-]+=/));
  return [...new Set([...values, ...parts.filter((part) => part.length >= MIN_PART && /[^a-z-]/i.test(part))])];
}

/** Checks both files before any request: TLS would report a fault in them only as a failed connection. */
export function presentCertificate({ certificate, key, passphrase }: ClientCertificate) {
  const privateKey = parseKey(key, passphrase);
  if (!parseCertificate(certificate).checkPrivateKey(privateKey)) {
    throw unusable(
      "the client key is not the key of the client certificate",
      "give the two files that belong together",
    );
  }
  return { cert: certificate, key, passphrase };
}

export function certificateWithoutTls(): StackferryError {
  return unusable("a client certificate is presented over https alone", "write https:// in the stack's address");
}

export function secretsOfCertificate(certificate: ClientCertificate | undefined): string[] {
  return certificate?.passphrase === undefined ? [] : [certificate.passphrase];
}

function parseCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    const hint = "give a file in PEM form (-----BEGIN CERTIFICATE-----), the client's own certificate first";
    throw unusable("the client certificate cannot be read", hint);
  }
}

function parseKey(pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem, passphrase });
  } catch {
    // OpenSSL's own messages do not help a user.
    const isEncrypted = pem.includes("ENCRYPTED");
    if (isEncrypted && passphrase === undefined) {
      throw unusable("the client key is encrypted, and there is no passphrase", "set clientKeyPassphrase of the stack");
    }
    if (isEncrypted) {
      throw unusable("the passphrase does not open the client key", "correct clientKeyPassphrase of the stack");
    }
    throw unusable("the client key cannot be read", "give a file in PEM form (-----BEGIN PRIVATE KEY-----)");
  }
}

function unusable(problem: string, hint: string): StackferryError {
  return new StackferryError("config", problem, { hint });
}
