import { StackferryError } from "../core/errors.ts";
import type { EncodedRecord } from "../core/ports.ts";

/** Unrelated texts contain shorter credentials by chance. */
const MIN_LENGTH = 6;
const MIN_PART = 10;

export function createCredentialTest(credentials: readonly string[]): (text: string | Buffer) => boolean {
  const forms = [...new Set(credentials.flatMap(credentialForms))];
  const shortestForms = forms.filter(
    (form) => !forms.some((otherForm) => otherForm !== form && form.includes(otherForm)),
  );
  return (text) => shortestForms.some((form) => text.includes(form));
}

export function credentialForms(credential: string): string[] {
  if (credential.length < MIN_LENGTH) return [];
  const encodedForm = encodeURIComponent(Buffer.from(credential, "utf8").toString("utf8"));
  const inJson = JSON.stringify(credential).slice(1, -1);
  const strictForm = encodedForm.replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [
    credential,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodedForm,
    strictForm,
    encodedForm.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    encodedForm.replaceAll("%20", "+"),
    Buffer.from(credential, "utf8").toString("hex"),
    ...base64Forms(credential),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH);
}

/** In a longer text, base64 depends on the credential's offset modulo 3, so three offsets are tried. */
function base64Forms(credential: string): string[] {
  const bytes = Buffer.from(credential, "utf8");
  const parts = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const first = Math.ceil((offset * 4) / 3);
    const part = text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
    return part.length >= MIN_PART ? [part] : [];
  });
  const base64 = bytes.toString("base64");
  return [base64, ...parts].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

/** Both methods throw `secret-in-output` if they find a credential. */
export interface CredentialCheck {
  checkRecord(record: EncodedRecord): void;
  checkRest(value: object): void;
}

export function createCredentialCheck(credentials: readonly string[]): CredentialCheck {
  const holds = createCredentialTest(credentials);
  const fail = (place: string): never => {
    throw new StackferryError("secret-in-output", `${place} contains a credential that this run uses`, {
      hint: "Nothing was written. Remove the credential from there and create a new one: everybody who can read that place has it.",
    });
  };
  return {
    checkRecord({ entry: { kind, id, name }, bytes }) {
      const label = `${kind}/${id}`;
      if (holds(label)) fail(`the id of a record of ${kind}`);
      if (holds(name) || holds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) fail(label);
    },
    checkRest(value) {
      if (holds(JSON.stringify(value))) fail("the header of the manifest");
    },
  };
}
