import { configJsonSchema } from "../../dist/config/schema.js";

const FRONT = `# Configuration

<!-- Written by npm run docs from the schema of the file. -->

\`\`\`sh
stackferry config check
stackferry doctor
\`\`\`

\`stackferry.yaml\` in the working directory, or the file that \`--config\` names, says where your stacks and repositories are; \`stackferry init\` writes it. \`config check\` reads the file alone, and exits 2 if it has a mistake. \`doctor\` tries each kind of each stack, and writes, reads and removes a small file in each repository.

\`\`\`yaml
stacks:
  production:
    variant: self-hosted
    baseUrl: http://localhost:8000
    apiKey: \${file:secrets/production-key}
  cloud:
    variant: managed
    baseUrl: https://api.example.com
    organizationId: 5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f
    serviceId: 0b7d4a52-8e1f-4f0a-9d0e-7a1b2c3d4e5f
    keyId: \${env:CLOUD_KEY_ID}
    keySecret: \${env:CLOUD_KEY_SECRET}
repositories:
  nightly: { url: /var/backups/stackferry, keep: { daily: 14, weekly: 8 } }
\`\`\`

## Secrets

\`\${env:NAME}\` stands for a variable, \`\${file:PATH}\` for the content of a file, relative to the configuration; a line break at the end does not count. Both work in every text of a stack and a repository, except in \`transforms\`, \`rate\` and durations. A literal key in the file is a warning.

## Variables

- \`STACKFERRY_API_KEY\`: the key of a self-hosted stack that is given by its address.
- \`STACKFERRY_KEY_ID\`, \`…_KEY_SECRET\`: of a managed stack.
- \`STACKFERRY_FROM_…\`, \`STACKFERRY_TO_…\`: the same, where one stack is read and one written.
- \`STACKFERRY_CONSISTENCY_WAIT\`: as \`consistencyWait\`, over the file.
- \`STACKFERRY_PASSPHRASE\`, \`…_IDENTITY_FILE\`: [keys of encrypted archives](repository.md#encrypt-and-sign).
- \`STACKFERRY_SECRETS\`: a [secrets file](redaction.md#supply-secrets).
- \`STACKFERRY_NOTIFY\`, \`…_METRICS_FILE\`, \`…_OTLP\`: [metrics and pings](repository.md#metrics-and-pings).
- \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\`: as in curl; never for this machine.
- \`XDG_STATE_HOME\`: the folder of notes on where a stack had a good backup.

## Networks

A credential goes to the host of its stack alone, so no redirect is followed. Over plain HTTP it goes to this machine alone, unless \`allowHttp\` or \`--allow-http\` says that you trust the network. \`caFile\` or \`--ca\` adds a certificate authority. Nothing turns the check of certificates off.

A gateway may want headers or a certificate:

\`\`\`yaml
stacks:
  production:
    variant: self-hosted
    baseUrl: https://stack.example.com
    apiKey: \${env:PROD_KEY}
    headers:
      CF-Access-Client-Id: \${env:GATE_ID}
      CF-Access-Client-Secret: \${env:GATE_SECRET}
      x-hdx-team: 65f0c0ffee0000000000aaaa
    clientCertificateFile: client.pem
    clientKeyFile: client.key
    clientKeyPassphrase: \${file:secrets/client-passphrase}
\`\`\`

Values of \`\${env:…}\` and \`\${file:…}\` are secrets: none is printed, and no archive that contains one is written. Write what is no secret, such as the id of a team, into the file. Teams of one server (\`x-hdx-team\`) are stacks of their own, each with its journals: give the id in the same way everywhere, as a value of a variable counts as another team than the same text in the file.

## Many stacks

A stack takes over the members of another by the means of YAML, an anchor (\`&cloud\`) and \`<<: *cloud\`; its own members win ([samples/fleet.yaml](../samples/fleet.yaml)).

## Editors

\`stackferry config schema\` prints the JSON Schema of the file, for \`# yaml-language-server: $schema=PATH\` in its first line.

## Every key

Paths are relative to the configuration. A flag wins over a key.
`;

/** Returns the page of the configuration file: how to use it, then every key. */
export function configurationPage() {
  const { properties } = configJsonSchema();
  const [managed, selfHosted] = properties.stacks.additionalProperties.oneOf;
  const shared = Object.keys(managed.properties).filter((key) => key in selfHosted.properties && key !== "variant");
  const of = (schema) => ({
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([key]) => !shared.includes(key))),
  });
  const common = { ...managed, properties: Object.fromEntries(shared.map((key) => [key, managed.properties[key]])) };
  return [
    FRONT,
    section("stacks.NAME", `${properties.stacks.description}. Stacks of both variants have these keys:`, common),
    section("stacks.NAME, managed", "A managed stack also has these keys:", of(managed)),
    section("stacks.NAME, self-hosted", "A self-hosted stack also has these keys:", of(selfHosted)),
    `### defaults\n\n${properties.defaults.description}. The same keys as of a stack: ${keysOf(properties.defaults)}.\n`,
    section(
      "repositories.NAME",
      `${properties.repositories.description}.`,
      properties.repositories.additionalProperties,
    ),
    `### journals\n\n${properties.journals.description}.\n`,
    section("backup", `${properties.backup.description}.`, properties.backup),
    section("redaction", `${properties.redaction.description}.`, properties.redaction),
  ].join("\n");
}

function keysOf({ properties }) {
  return Object.keys(properties)
    .map((key) => `\`${key}\``)
    .join(", ");
}

function section(title, text, ...schemas) {
  const lines = schemas.flatMap(({ properties, required = [] }) =>
    Object.entries(properties).flatMap(([key, schema]) => keyLines(key, schema, required.includes(key), "")),
  );
  return `### ${title}\n\n${text}\n\n${lines.join("\n")}\n`;
}

/** Keys whose members another page explains. */
const explainedIn = {
  keep: "repository.md#retention",
  transforms: "dashboards-as-code.md#transforms",
  patterns: "redaction.md#your-own-rules",
  exceptions: "redaction.md#your-own-rules",
};

function keyLines(key, schema, required, indent) {
  if (schema.description === undefined) throw new Error(`the key ${key} has no description in src/config`);
  const about = `: ${schema.description.replaceAll("*", "\\*")}`;
  const first = `${indent}- \`${key}\` (${[typeOf(schema), ...(required ? ["required"] : [])].join(", ")})${about}`;
  const inner = schema.items?.properties ?? schema.properties ?? {};
  const wanted = schema.items?.required ?? schema.required ?? [];
  if (key in explainedIn) {
    const members = Object.keys(inner).map((name) => `\`${name}\``);
    return [`${first}: ${members.join(", ")} ([more](${explainedIn[key]}))`];
  }
  return [
    first,
    ...Object.entries(inner).flatMap(([name, member]) => keyLines(name, member, wanted.includes(name), `${indent}  `)),
  ];
}

function typeOf({ type, const: only, anyOf, items, minimum, maximum }) {
  if (only !== undefined) return `\`${only}\``;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(", or ");
  if (type === "array") return items.properties === undefined ? "list of texts" : "list of objects";
  if (maximum === Number.MAX_SAFE_INTEGER) return `number, at least ${minimum}`;
  if (type === "integer" || type === "number") return `number from ${minimum} to ${maximum}`;
  return { string: "text", boolean: "`true` or `false`", object: "object" }[type];
}
