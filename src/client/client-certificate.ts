import { X509Certificate, createPrivateKey, type KeyObject } from "node:crypto";
import { StackferryError } from "../core/errors.ts";
import type { ClientCertificate } from "../core/ports.ts";

export interface PresentedCertificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
}

/**
 * Checks a client certificate and its key, because TLS would report a wrong one only as a refused connection.
 * @throws StackferryError `config`; the message repeats nothing of the key
 */
export function presentCertificate({ certificate, key, passphrase }: ClientCertificate): PresentedCertificate {
  const privateKey = parseKey(key, passphrase);
  if (!parseCertificate(certificate).checkPrivateKey(privateKey)) {
    throw unusable(
      "the client key is not the key of the client certificate",
      "give the two files that belong together",
    );
  }
  return { cert: certificate, key, ...(passphrase !== undefined && { passphrase }) };
}

/** Returns the error for a client certificate of a stack whose address begins with http: only TLS presents certificates. */
export function certificateWithoutTls(): StackferryError {
  return unusable("a client certificate is presented over https alone", "write https:// in the stack's address");
}

/** Returns the secret texts of a client certificate, which must not appear anywhere. */
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
    return createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // The library's own messages do not help.
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
