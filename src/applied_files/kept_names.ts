import { baseName, type NamedEntry, suffixOf, takeName } from "../crontab/names.ts";

/** A CronJob that came of a line. */
interface Former {
  readonly name: string;
  /** The line. */
  readonly text: string;
}

/** What makes two lines the same one, the surest first. */
const LIKENESS: readonly ((entry: NamedEntry, former: Former) => boolean)[] = [
  ({ text }, former) => normal(text) === normal(former.text),
  // Its times were edited.
  ({ text }, former) => withoutTimes(text) === withoutTimes(former.text),
  // Its arguments were edited.
  ({ script }, former) => former.name === baseName(script) || former.name.startsWith(`${baseName(script)}-`),
];

/**
 * A name for each entry of a crontab, of which some have had names before. A line keeps its name as long as it is like what
 * it was, so that an edit changes a CronJob rather than putting another one in its place; no name depends on other lines.
 * New lines have the names that `import` gives.
 */
export function keptNames(entries: readonly NamedEntry[], before: readonly Former[]): string[] {
  const names = new Map<NamedEntry, string>();
  const left = new Map(before.map((former) => [former.name, former]));
  for (const isLike of LIKENESS) {
    for (const entry of entries) {
      if (names.has(entry)) continue;
      const former = [...left.values()].find((each) => isLike(entry, each));
      if (former === undefined) continue;
      names.set(entry, former.name);
      left.delete(former.name);
    }
  }
  const taken = new Set(before.map(({ name }) => name));
  const based = entries.map((entry) => ({ entry, base: baseName(entry.script) }));
  return based.map(({ entry, base }) => {
    const kept = names.get(entry);
    if (kept !== undefined) return kept;
    const isAlone = based.filter((other) => other.base === base).length === 1 && !taken.has(base);
    return takeName(isAlone ? base : `${base}-${suffixOf(entry.text)}`, taken);
  });
}

/** Returns what stands behind the times of a line. */
export function withoutTimes(line: string): string {
  const words = normal(line).split(" ");
  return words.slice(words[0]?.startsWith("@") ? 1 : 5).join(" ");
}

function normal(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
