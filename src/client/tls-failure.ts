/** A retry does not solve these faults. */
export interface TlsFault {
  readonly text: string;
  readonly hint: string;
}

const CERTIFICATE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY|DECODE|DECRYPT)|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/;
const CERTIFICATE_HINT = "give a CA file with the authority that signed the stack's certificate";
/** A CA file does not solve these errors. */
const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "renew the stack's certificate; if it is still valid, set this machine's clock",
  CERT_NOT_YET_VALID: "set this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: "in the stack's address, use a host name that the certificate lists",
  HOSTNAME_MISMATCH: "in the stack's address, use a host name that the certificate lists",
};

export const CLIENT_CERTIFICATE_HINT =
  "set clientCertificateFile and clientKeyFile of the stack; if they are set, check that the server trusts the authority that signed the certificate, and that it has not expired";
const VERSION_FAULT = {
  text: "the server and Node have no version or cipher of TLS in common",
  hint: "let the server, or the gateway in front of it, offer TLS 1.2 or newer",
};
const CLIENT_CERTIFICATE_FAULT = {
  text: "the server demands a client certificate that it accepts",
  hint: CLIENT_CERTIFICATE_HINT,
};

/** By the number of the alert (RFC 8446, section 6). */
const ALERT_FAULTS: Readonly<Record<number, TlsFault>> = {
  // TLS 1.2 sends alert 40 for a missing client certificate and for a missing common cipher.
  40: {
    text: "the server refused the TLS handshake",
    hint: `the server may demand a client certificate: ${CLIENT_CERTIFICATE_HINT}. Or it offers no cipher that Node accepts`,
  },
  ...Object.fromEntries([42, 43, 44, 45, 46, 48, 49, 51, 116].map((alert) => [alert, CLIENT_CERTIFICATE_FAULT])),
  70: VERSION_FAULT,
  71: VERSION_FAULT,
  112: {
    text: "the server has no site of this name",
    hint: "in the stack's address, use the host name under which the server knows the stack",
  },
  120: {
    text: "the server does not speak HTTP/1.1",
    hint: "let the server, or the gateway in front of it, offer HTTP/1.1 beside HTTP/2",
  },
};

/** OpenSSL's codes for a version, cipher or key that is too weak. */
const OUTDATED = /^ERR_SSL_\w*(?:UNSUPPORTED_PROTOCOL|UNSAFE_LEGACY|TOO_SMALL|TOO_WEAK|DISALLOWED|BAD_DH_VALUE)/;
const NOT_TLS = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/;

export function tlsFaultOf(code: string, problem: string): TlsFault | undefined {
  if (CERTIFICATE.test(code)) {
    return { text: `${problem} (${code})`, hint: CERTIFICATE_HINTS[code] ?? CERTIFICATE_HINT };
  }
  // OpenSSL puts the number of the alert into the message.
  const alert = Number(/SSL alert number (\d+)/.exec(problem)?.[1] ?? 0);
  const fault = ALERT_FAULTS[alert] ?? (OUTDATED.test(code) ? VERSION_FAULT : undefined);
  if (fault !== undefined) return { ...fault, text: `${fault.text} (${code})` };
  if (!NOT_TLS.test(code)) return undefined;
  return {
    text: `the server did not answer in TLS (${code})`,
    hint: "the server does not speak https here: check the scheme and the port of the address",
  };
}

export function tlsReason(problem: string): string {
  return /:SSL routines:[^:]*:([^:]+)/.exec(problem)?.[1] ?? problem;
}
