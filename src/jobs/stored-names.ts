/** An archive in a place, as its name tells: `<stack>/<UTC time>.zip`, or `.zip.age`. */
export interface StoredName {
  readonly name: string;
  readonly stack: string;
  /** When it was made, Unix milliseconds, whole seconds. */
  readonly at: number;
  readonly encrypted: boolean;
}

const NAME = /^([A-Za-z0-9][A-Za-z0-9._-]*)\/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.zip(\.age)?$/;

/** The name of an archive of a stack made at that time. */
export function storedName(stack: string, at: number, encrypted: boolean): string {
  return `${stack}/${stampOf(at)}.zip${encrypted ? ".age" : ""}`;
}

/** A time as it stands in a name: `20261121T045241Z`. */
function stampOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

/** Reads a name; undefined for every file that a backup did not name. */
export function parseStoredName(name: string): StoredName | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, stack = "", year, month, day, hour, minute, second, age] = match;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const encrypted = age !== undefined;
  // The thirtieth of February parses too, as another day.
  return storedName(stack, at, encrypted) === name ? { name, stack, at, encrypted } : undefined;
}

/** A stack's small file in which the state of its backups stands. */
export function statusName(stack: string): string {
  return `${stack}/status.json`;
}

/** A stack's lock. */
export function lockName(stack: string): string {
  return `${stack}/.lock`;
}
