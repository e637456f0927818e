import type { Json } from "../../resource_kind.ts";
import { type Check, each, FILE_MODE, named, NO_BACKSTEPS, REQUIRED, rules } from "./check.ts";
import { duplicate, type Findings, forbidden, found, required } from "./field_errors.ts";
import { labelErrors } from "./names.ts";
import { DOWNWARD_API_FILE, KEY_TO_PATH, projections } from "./volume_files.ts";

const FILES = [["defaultMode", FILE_MODE], ["items", each(KEY_TO_PATH)]] as const;

/** The sources of volumes that a runtime of this program carries out; it refuses all others itself. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: rules("core validateVolumeSource", ["sizeLimit", negativeSize]),
  hostPath: rules("core validateHostPathVolumeSource", ["path", REQUIRED, NO_BACKSTEPS]),
  secret: rules("core validateSecretVolumeSource", ["secretName", REQUIRED], ...FILES),
  configMap: rules("core validateConfigMapVolumeSource", ["name", REQUIRED], ...FILES),
  downwardAPI: rules(
    "core validateDownwardAPIVolumeSource",
    ["defaultMode", FILE_MODE],
    ["items", each(DOWNWARD_API_FILE)],
  ),
  projected: rules("core validateProjectedVolumeSource", ["defaultMode", FILE_MODE], projections),
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

function negativeSize(size: string, at: string): Findings {
  return size.startsWith("-") && forbidden(at, "must not be negative");
}
