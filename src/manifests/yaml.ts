import { stringify } from "yaml";

/** As people write YAML; a stream of several documents where there are several objects. */
export function yamlOf(...objects: readonly unknown[]): string {
  // No aliases: kubectl reads them, people don't. kubectl and Helm read YAML 1.1, in which `off` is no text.
  const options = { lineWidth: 120, aliasDuplicateObjects: false, compat: "yaml-1.1", blockQuote: "literal" } as const;
  return objects.map((object) => stringify(object, options)).join("---\n");
}
