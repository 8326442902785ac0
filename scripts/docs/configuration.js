import { configJsonSchema } from "../../dist/config/schema.js";

const FRONT = `# Configuration

<!-- Written by npm run docs from the schema of the file. -->

\`stackferry.yaml\` in the working directory, or the file that \`--config\` names, says where your stacks and repositories are. \`stackferry init\` writes it for a first stack, and adds one more each time after. A file for two stacks:

\`\`\`yaml
stacks:
  production:
    variant: managed
    baseUrl: https://api.example.com
    organizationId: 5f0c2c1e-6a0e-4b7c-9a56-1f9a4c1d2e3f
    serviceId: 0b7d4a52-8e1f-4f0a-9d0e-7a1b2c3d4e5f
    keyId: \${env:PROD_KEY_ID}
    keySecret: \${env:PROD_KEY_SECRET}
  staging:
    variant: self-hosted
    baseUrl: http://localhost:8000
    apiKey: \${file:secrets/staging-key}
\`\`\`

Check it without asking any stack, then try every stack and repository:

\`\`\`sh
stackferry config check
stackferry doctor
\`\`\`

\`config check\` exits 2 if a stack or repository cannot be used. \`doctor\` reads each kind and each pipe of \`pipeIds\`, and in each repository writes, reads and removes a small file. Without names it tests everything. Name a stack to test it and all repositories; name a repository to test only that one.

## Secrets

Keys are never flags, and need not be in the file. \`\${env:NAME}\` takes a variable of the environment, \`\${file:PATH}\` takes a file (relative to the configuration). Both work in every text of a repository and of a stack, except in \`transforms\`. stackferry warns if others can read a file with a literal secret.

If you give a stack by its address, stackferry takes its key from the environment:

- \`STACKFERRY_API_KEY\`, or \`STACKFERRY_KEY_ID\` and \`STACKFERRY_KEY_SECRET\` of a managed stack.
- \`STACKFERRY_FROM_API_KEY\` and so on for the stack that is read, \`STACKFERRY_TO_API_KEY\` and so on for the one that is written, where there are two.

## Other variables

- \`STACKFERRY_CONCURRENCY\`, \`STACKFERRY_RATE\`, \`STACKFERRY_TIMEOUT\`: as the flags. Flags are stronger than variables, variables stronger than the file.
- \`STACKFERRY_PASSPHRASE\`, \`STACKFERRY_IDENTITY_FILE\`: for [encrypted archives](backup.md#encrypt-and-sign).
- \`STACKFERRY_SECRETS\`: a [secrets file](redaction.md#filling-in-on-import).
- \`STACKFERRY_NOTIFY\`, \`STACKFERRY_METRICS_FILE\`, \`STACKFERRY_OTLP\`: for [monitoring](monitoring.md).
- \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\`: the proxy to stacks.
- \`XDG_STATE_HOME\`: where the key that seals [journals](security.md#journals) is kept.

## Networks

Redirects are not followed: a credential is for the host it was given for. It goes over plain HTTP only to this machine, unless \`allowHttp\` (or \`--allow-http\`) says that the network between is trusted. \`caFile\` (or \`--ca\`) trusts a private authority; nothing turns the check of certificates off: \`NODE_TLS_REJECT_UNAUTHORIZED\` is ignored, with a warning. A name below \`localhost\` is not this machine.

## Many stacks

\`profiles\` are sets of members that stacks take over with \`extends\`: one name or several, the last one strongest. A stack's own members are stronger still, and \`defaults\` hold for all. [samples/fleet.yaml](../samples/fleet.yaml) is a sample.

## Editors

The package ships the JSON Schema of the file, and \`stackferry config schema\` prints it. A first line of \`# yaml-language-server: $schema=PATH\` makes editors complete and check the file. \`stackferry completion bash|zsh|fish\` prints a completion script that knows commands, flags and the names in the file.

## Every key
`;

/** The page of the configuration file: how it is used, then every key. */
export function configurationPage() {
  const { properties } = configJsonSchema();
  const [managed, selfHosted, extending] = properties.stacks.additionalProperties.anyOf;
  const shared = Object.keys(managed.properties).filter((key) => key in selfHosted.properties && key !== "variant");
  const of = (schema) => ({
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([key]) => !shared.includes(key))),
  });
  const common = { ...managed, properties: Object.fromEntries(shared.map((key) => [key, managed.properties[key]])) };
  const onlyExtends = { properties: { extends: extending.properties.extends }, required: [] };
  return [
    FRONT,
    section("stacks.NAME", `${properties.stacks.description}. Of both variants:`, common, onlyExtends),
    section("stacks.NAME, managed", "Besides:", of(managed)),
    section("stacks.NAME, self-hosted", "Besides:", of(selfHosted)),
    `### profiles.NAME\n\n${properties.profiles.description}: any key of a stack but \`extends\`.\n`,
    section("defaults", `${properties.defaults.description}.`, properties.defaults),
    section(
      "repositories.NAME",
      `${properties.repositories.description}.`,
      properties.repositories.additionalProperties,
    ),
    section("backup", `${properties.backup.description}.`, properties.backup),
    section(
      "redaction",
      `${properties.redaction.description}. [redaction](redaction.md#your-own-rules) has an example.`,
      properties.redaction,
    ),
  ].join("\n");
}

function section(title, text, ...schemas) {
  const lines = schemas.flatMap(({ properties, required = [] }) =>
    Object.entries(properties).flatMap(([key, schema]) => keyLines(key, schema, required.includes(key), "")),
  );
  return `### ${title}\n\n${text}\n\n${lines.join("\n")}\n`;
}

function keyLines(key, schema, required, indent) {
  if (schema.description === undefined) throw new Error(`the key ${key} has no description in src/config`);
  const about = `: ${schema.description.replaceAll("*", "\\*")}`;
  const first = `${indent}- \`${key}\` (${[typeOf(schema), ...(required ? ["required"] : [])].join(", ")})${about}`;
  const inner = schema.items?.properties ?? schema.properties ?? {};
  const wanted = schema.items?.required ?? schema.required ?? [];
  return [
    first,
    ...Object.entries(inner).flatMap(([name, member]) => keyLines(name, member, wanted.includes(name), `${indent}  `)),
  ];
}

function typeOf({ type, const: only, anyOf, items, minimum, maximum }) {
  if (only !== undefined) return `\`${only}\``;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(", or ");
  if (type === "array") return items.properties === undefined ? "list of texts" : "list";
  if (type === "integer" || type === "number") return `number from ${minimum} to ${maximum}`;
  return { string: "text", boolean: "`true` or `false`", object: "with members" }[type];
}
