/** Shorter than this, a credential is found in text that has nothing to do with it. */
const MIN_LENGTH = 6;
/** Of an encoded form that was cut to what does not depend on its neighbours, so much has to be left. */
const MIN_PART = 10;

/** Says whether a text holds one of the credentials, in any form in which HTTP, JSON or a person may have written it. */
export type CredentialCheck = (text: string) => boolean;

/** Makes the check that everything passes before it is written. */
export function credentialCheck(credentials: readonly string[]): CredentialCheck {
  const forms = [...new Set(credentials.flatMap(credentialForms))];
  // A form that holds another one is found with it.
  const shortest = forms.filter((form) => !forms.some((other) => other !== form && form.includes(other)));
  return (text) => shortest.some((form) => text.includes(form));
}

/** A credential in plain, inside JSON (and JSON inside JSON), in addresses and forms, in hex, and in base64 wherever it begins. */
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

/** Base64 of a text depends on what stands before it by three: as in `user:KEY`, which a Basic header holds. */
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
