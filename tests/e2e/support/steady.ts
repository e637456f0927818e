/** The output with what differs from run to run in one form: lengths of time, dates, names of Jobs, widths of columns. */
export function steady(output: string): string {
  return output
    .replaceAll(/\b\d+[ydhms]( \d+[hms])?\b/g, "<time>")
    .replaceAll(/\b\w{3} \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?/g, "<date>")
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d/g, "<date>")
    .replaceAll(/-m[0-9a-v]{7}\b/g, "-m<hash>")
    .replaceAll(/-manual-[a-z0-9]{5}(-[a-z0-9]{5})?\b/g, (_, pod) => `-manual-<id>${pod ? "-<id>" : ""}`)
    .replaceAll(/cli-\d{8}T\d{6}Z-/g, "cli-<now>-")
    .replaceAll(/ {2,}/g, "  ").trimEnd();
}
