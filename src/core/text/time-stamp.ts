/** Formats a time for a file name: `20261121T045241Z`. @param at Unix milliseconds */
export function timeStamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}
