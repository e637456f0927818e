import type { Json } from "../resource_kind.ts";

interface File {
  readonly path: string;
  /** What puts it there, in messages. */
  readonly from: string;
}

/** Where the files of each source of a projected volume come from. */
const PROJECTED: Readonly<Record<string, (source: Json) => string>> = {
  configMap: ({ name = "" }) => `ConfigMap ${JSON.stringify(name)}`,
  secret: ({ name = "" }) => `Secret ${JSON.stringify(name)}`,
  downwardAPI: () => "DownwardAPI",
  serviceAccountToken: () => "ServiceAccountToken",
};

/** Pod `warningsForOverlappingVirtualPaths`: files in the place of others, or of the folders of others. */
export function overlappingPaths(volumes: Json[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }: Json) => {
    const told = (what: string, files: File[], shown: (file: File) => string) =>
      files.flatMap((file, index) =>
        files.slice(0, index).filter((earlier) => inEachOthersWay(file.path, earlier.path)).map((earlier) =>
          `volume ${JSON.stringify(name)} (${what}): overlapping paths: ${shown(file)} with ${shown(earlier)}`
        )
      );
    const alone = (what: string, source: Json | undefined) =>
      told(what, filesOf(source, what), ({ path }) => JSON.stringify(path));
    const sources: Json[] = projected?.sources ?? [];
    return [
      ...alone(`ConfigMap ${JSON.stringify(configMap?.name ?? "")}`, configMap),
      ...alone(`Secret ${JSON.stringify(secret?.secretName ?? "")}`, secret),
      ...alone("DownwardAPI", downwardAPI),
      ...sources.filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
      ...told(
        "Projected",
        sources.flatMap((source) =>
          Object.entries(PROJECTED).filter(([kind]) => source[kind]).slice(0, 1)
            .flatMap(([kind, from]) => filesOf(source[kind], from(source[kind])))
        ),
        ({ path, from }) => `${JSON.stringify(path)} (${from})`,
      ),
    ];
  });
}

/** A token is one file; all others have a list of them. */
function filesOf(source: Json | undefined, from: string): File[] {
  const items: Json[] = source?.items ?? (source?.path ? [source] : []);
  return items.map(({ path = "" }) => ({ path: path.replace(/\/+$/, ""), from }));
}

function inEachOthersWay(one: string, other: string): boolean {
  return one !== "" && other !== "" && (`${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`));
}
