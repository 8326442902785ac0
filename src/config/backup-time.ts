/**
 * Reads the time of a backup as people write it, in UTC: `20261121T045241Z`, or the beginning of `2026-11-21T04:52:41Z`. The
 * answer, Unix milliseconds, is the last moment that it means: a day means its end. Undefined for anything else.
 */
export function parseBackupTime(text: string): number | undefined {
  const plain = text.trim().replaceAll(/[-:]/g, "").replace(" ", "T");
  const match = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(?:(\d\d)(?:(\d\d))?)?Z?)?$/.exec(plain);
  if (match === null) return undefined;
  const [year = "", month = "", day = "", hour = "23", minute = "59", second = "59"] = match.slice(1);
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.999Z`;
  const at = Date.parse(iso);
  return Number.isNaN(at) || new Date(at).toISOString() !== iso ? undefined : at;
}
