import type { Json } from "../../resource_kind.ts";
import { atLeast, FILE_MODE, LOCAL_PATH, must, REQUIRED, rules } from "./check.ts";
import { validateFieldReference, validateResourceReference, VOLUME_FIELDS } from "./downward_api.ts";
import { type Findings, forbidden, invalidValue, required } from "./field_errors.ts";

export const KEY_TO_PATH = rules(
  "core validateKeyToPath",
  ["key", REQUIRED],
  ["path", REQUIRED, LOCAL_PATH],
  ["mode", FILE_MODE],
);

export const DOWNWARD_API_FILE = rules(
  "core validateDownwardAPIVolumeFile",
  ["path", REQUIRED, LOCAL_PATH],
  downwardApiSource,
  ["mode", FILE_MODE],
);

function downwardApiSource({ fieldRef, resourceFieldRef }: Json, at: string): Findings {
  if (fieldRef) {
    return [
      validateFieldReference(fieldRef, `${at}.fieldRef`, VOLUME_FIELDS),
      resourceFieldRef &&
      invalidValue(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"),
    ];
  }
  return resourceFieldRef
    ? validateResourceReference(resourceFieldRef, `${at}.resourceFieldRef`, true)
    : required(at, "one of fieldRef and resourceFieldRef is required");
}

const TOKEN = rules("core validateProjectionSources", [
  "expirationSeconds",
  atLeast(600, "may not specify a duration less than 10 minutes"),
  must("may not specify a duration larger than 2^32 seconds", (value: number) => value <= 2 ** 32),
]);

const SOURCES = ["secret", "configMap", "downwardAPI", "serviceAccountToken"];

/** Core `validateProjectionSources`, of all sources together: no two may put a file at one path. */
export function projections({ sources = [] }: Json, at: string): Findings {
  const paths = new Set<string>();
  const taken = (path: string | undefined, by: string) => {
    const isTaken = path && paths.has(path);
    if (path) paths.add(path);
    return isTaken && invalidValue(at, by, "conflicting duplicate paths");
  };
  return sources.map((source: Json, index: number) => {
    const place = `${at}.sources[${index}]`, { downwardAPI, serviceAccountToken: token } = source;
    return [
      ["secret", "configMap"].filter((kind) => source[kind]).map((kind) => {
        const { name = "", items = [] } = source[kind], inside = `${place}.${kind}`;
        return [
          !name && required(`${inside}.name`),
          items.map((
            item: Json,
            each: number,
          ) => [KEY_TO_PATH(item, `${inside}.items[${each}]`), taken(item.path, name)]),
        ];
      }),
      // Kubernetes leaves out which of the items it is, and which of the sources has the token.
      (downwardAPI?.items ?? []).map((item: Json) => [
        DOWNWARD_API_FILE(item, `${place}.downwardAPI`),
        taken(item.path, item.path),
      ]),
      token && [
        TOKEN(token, `${place}.serviceAccountToken`),
        token.path ? LOCAL_PATH(token.path, `${at}.path`) : required(`${at}.path`),
      ],
      SOURCES.filter((kind) => source[kind]).length > 1 &&
      forbidden(place, "may not specify more than 1 volume type per source"),
    ];
  });
}
