const NAMES = /^STACKFERRY_(?:.+_)?(?:API_KEY|KEY_ID|KEY_SECRET|PASSPHRASE)$/;

/** Secrets of the program's own variables, whether this run comes to use them or not: a crash may show any of them. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (NAMES.test(name) && value ? [value] : []));
}
