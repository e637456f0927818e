/**
 * What the changelog says of a version, without its heading.
 *
 * @throws {Error} if it says nothing
 */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((section) => section.startsWith(`[${version}]`));
  const notes = section?.slice(section.indexOf("\n")).trim();
  if (!notes) throw new Error(`Cannot release ${version}: the changelog has no section for it`);
  return notes;
}

/** The versions of a changelog, the newest first. */
export function versionsIn(changelog: string): { version: string; date: string | undefined }[] {
  return [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\](?: - (\S+))?$/gm)]
    .map(([, version = "", date]) => ({ version, date }));
}
