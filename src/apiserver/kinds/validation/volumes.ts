import type { Json } from "../../resource_kind.ts";
import {
  type Check,
  each,
  FILE_MODE,
  LOCAL_PATH,
  named,
  NO_BACKSTEPS,
  orElse,
  repeatedBy,
  REQUIRED,
  rules,
} from "./check.ts";
import { validateFieldReference, VOLUME_FIELDS } from "./downward_api.ts";
import { duplicate, type Findings, forbidden, found, invalidValue, required } from "./field_errors.ts";
import { labelErrors } from "./names.ts";

const KEY_TO_PATH = rules(
  "core validateKeyToPath",
  ["key", REQUIRED],
  ["path", REQUIRED, LOCAL_PATH],
  ["mode", FILE_MODE],
);
const FILES = [["defaultMode", FILE_MODE], ["items", each(KEY_TO_PATH)]] as const;

const DOWNWARD_API_FILE = rules(
  "core validateDownwardAPIVolumeFile",
  ["path", REQUIRED, LOCAL_PATH],
  ["fieldRef", (reference, at) => validateFieldReference(reference, at, VOLUME_FIELDS)],
  ({ fieldRef, resourceFieldRef }, at) =>
    !fieldRef && !resourceFieldRef && required(at, "one of fieldRef and resourceFieldRef is required"),
  ["mode", FILE_MODE],
);

const NAMED_SOURCE = rules("core validateProjectionSources", ["name", REQUIRED], ["items", each(KEY_TO_PATH)]);
const PROJECTION = rules(
  "core validateProjectionSources",
  [["secret", "configMap"], NAMED_SOURCE],
  // Kubernetes leaves out which of the items it is.
  ["downwardAPI", ({ items = [] }: Json, at) => items.map((item: Json) => DOWNWARD_API_FILE(item, at))],
  (source, at) => Object.keys(source).length > 1 && forbidden(at, "may not specify more than 1 volume type per source"),
);

/** Of two files at one path, one would be lost. */
function onePathEach({ sources = [] }: Json, at: string): Findings {
  const items: Json[] = sources.flatMap(({ secret, configMap, downwardAPI }: Json) =>
    [secret, configMap, downwardAPI].flatMap((source) => source?.items ?? [])
  );
  return Array.from(
    repeatedBy(items, "path"),
    ({ path }) => path && invalidValue(at, path, "conflicting duplicate paths"),
  );
}

/** The sources of volumes that a runtime of this program carries out; it refuses all others itself. */
const SOURCES: Readonly<Record<string, Check>> = {
  hostPath: rules("core validateHostPathVolumeSource", ["path", REQUIRED, NO_BACKSTEPS]),
  secret: rules("core validateSecretVolumeSource", ["secretName", REQUIRED], ...FILES),
  configMap: rules("core validateConfigMapVolumeSource", ["name", REQUIRED], ...FILES),
  downwardAPI: rules(
    "core validateDownwardAPIVolumeSource",
    ["defaultMode", FILE_MODE],
    ["items", each(DOWNWARD_API_FILE)],
  ),
  projected: rules(
    "core validateProjectedVolumeSource",
    ["defaultMode", FILE_MODE],
    ["sources", orElse([]), each(PROJECTION)],
    onePathEach,
  ),
};

const VOLUME = rules("core ValidateVolumes", oneSource, ["name", REQUIRED, named(labelErrors)]);

/** Returns the errors of volumes, and the volumes without one: only these can be mounted. */
export function validateVolumes(
  volumes: readonly Json[],
  at: string,
): { errors: Findings; valid: ReadonlyMap<string, Json> } {
  const valid = new Map<string, Json>();
  const errors = volumes.map((volume, index) => {
    const place = `${at}[${index}]`, { name } = volume;
    const wrong = found(VOLUME(volume, place), valid.has(name) && duplicate(`${place}.name`, name));
    if (wrong.length === 0) valid.set(name, volume);
    return wrong;
  });
  return { errors, valid };
}

function oneSource(volume: Json, at: string): Findings {
  const [first, ...others] = Object.keys(volume).filter((field) => field !== "name" && volume[field] !== undefined);
  if (first === undefined) return required(at, "must specify a volume type");
  return [
    SOURCES[first]?.(volume[first], `${at}.${first}`),
    others.map((source) => forbidden(`${at}.${source}`, "may not specify more than 1 volume type")),
  ];
}
