/** Shorter credentials are not checked: they would be found in unrelated text. */
const MIN_LENGTH = 6;
/** Minimum length of a base64 fragment that is still compared. */
const MIN_PART = 10;

/** Tells whether a text contains one of the credentials, as plain text or in an encoded form. */
export type CredentialCheck = (text: string) => boolean;

/** Makes the check that all output passes before it is written. */
export function credentialCheck(credentials: readonly string[]): CredentialCheck {
  const forms = [...new Set(credentials.flatMap(credentialForms))];
  // A form that contains another one is found with the shorter one.
  const shortest = forms.filter((form) => !forms.some((other) => other !== form && form.includes(other)));
  return (text) => shortest.some((form) => text.includes(form));
}

/** A credential in plain text, inside JSON (and JSON inside JSON), URL- and form-encoded, in hex, and in base64 at any offset. */
export function credentialForms(credential: string): string[] {
  if (credential.length < MIN_LENGTH) return [];
  const encoded = encodeURIComponent(Buffer.from(credential, "utf8").toString("utf8"));
  const inJson = JSON.stringify(credential).slice(1, -1);
  const strict = encoded.replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [
    credential,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encoded,
    strict,
    encoded.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    Buffer.from(credential, "utf8").toString("hex"),
    ...base64Forms(credential),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH);
}

/**
 * The base64 of a credential depends on its offset modulo 3 in the encoded text (`user:KEY` in a Basic header), so all three are
 * tried. Characters that also depend on the neighbours are cut off.
 */
function base64Forms(credential: string): string[] {
  const bytes = Buffer.from(credential, "utf8");
  const parts = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const first = Math.ceil((before * 4) / 3);
    const part = text.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
    return part.length >= MIN_PART ? [part] : [];
  });
  const whole = bytes.toString("base64");
  return [whole, ...parts].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
