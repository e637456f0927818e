import { goQuoted } from "../go_text.ts";
import { asManyAsAreSent } from "../http/warnings.ts";
import type { Json } from "../resource_kind.ts";

interface File {
  readonly path: string;
  /** What puts it there, in messages. */
  readonly from: string;
}

/** Where the files of each source of a projected volume come from. */
const PROJECTED: Readonly<Record<string, (source: Json) => string>> = {
  configMap: ({ name = "" }) => `ConfigMap ${goQuoted(name)}`,
  secret: ({ name = "" }) => `Secret ${goQuoted(name)}`,
  downwardAPI: () => "DownwardAPI",
  serviceAccountToken: () => "ServiceAccountToken",
};

/** Pod `warningsForOverlappingVirtualPaths`: files in the place of others, or of the folders of others. */
export function overlappingPaths(volumes: Json[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }: Json) => {
    const told = (what: string, files: File[], shown: (file: File) => string) =>
      asManyAsAreSent(
        overlaps(files, shown).map(([file, earlier]) =>
          `volume ${JSON.stringify(name)} (${what}): overlapping paths: ${shown(file)} with ${shown(earlier)}`
        ),
      );
    const alone = (what: string, source: Json | undefined) =>
      told(what, filesOf(source, what), ({ path }) => goQuoted(path));
    const sources: Json[] = projected?.sources ?? [];
    return [
      ...alone(`ConfigMap ${goQuoted(configMap?.name ?? "")}`, configMap),
      ...alone(`Secret ${goQuoted(secret?.secretName ?? "")}`, secret),
      ...alone("DownwardAPI", downwardAPI),
      ...sources.filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
      ...told(
        "Projected",
        sources.flatMap((source) =>
          Object.entries(PROJECTED).filter(([kind]) => source[kind]).slice(0, 1)
            .flatMap(([kind, from]) => filesOf(source[kind], from(source[kind])))
        ),
        ({ path, from }) => `${goQuoted(path)} (${from})`,
      ),
    ];
  });
}

/** A token is one file; all others have a list of them. */
function filesOf(source: Json | undefined, from: string): File[] {
  const items: Json[] = source?.items ?? (source?.path ? [source] : []);
  return items.map(({ path = "" }) => ({ path: withoutLastSlashes(path), from }));
}

function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/**
 * Yields each file with those before it that it overlaps with, in their order; files that are shown alike count once.
 */
function* overlaps(files: readonly File[], shown: (file: File) => string): Generator<[file: File, earlier: File]> {
  const related = relatedPaths(files.map(({ path }) => path));
  if (!related) return;
  const before = new Map<string, File[]>(), done = new Map<string, number>();
  for (const file of files) {
    const text = shown(file), earlier = before.get(file.path) ?? [], from = done.get(text), { length } = earlier;
    for (let next = from ?? 0; next < length; next++) yield [file, earlier[next]!];
    done.set(text, length);
    if (from !== undefined) continue;
    for (const path of related.get(file.path) ?? []) before.getOrInsertComputed(path, () => []).push(file);
  }
}

/**
 * Returns for each path, itself included, the paths that are the same, a folder above it, or below it as a folder; undefined where
 * no two of all are so.
 */
function relatedPaths(paths: readonly string[]): ReadonlyMap<string, readonly string[]> | undefined {
  const given = paths.filter((path) => path !== ""), distinct = [...new Set(given)];
  const folders = distinct.map((path) => ({ folder: `${path}/`, path, related: [path] }));
  // What is below a folder comes right after it.
  folders.sort((one, other) => one.folder < other.folder ? -1 : 1);
  let overlap = distinct.length < given.length;
  const above: typeof folders = [];
  for (const one of folders) {
    while (above.length > 0 && !one.folder.startsWith(above.at(-1)!.folder)) above.pop();
    for (const other of above) {
      one.related.push(other.path);
      other.related.push(one.path);
      overlap = true;
    }
    above.push(one);
  }
  return overlap ? new Map(folders.map(({ path, related }) => [path, related])) : undefined;
}
