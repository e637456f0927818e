import type { FieldError, Json } from "../../resource_kind.ts";
import {
  atLeast,
  type Check,
  DESCENDING_PATH,
  each,
  FILE_MODE,
  LOCAL_PATH,
  must,
  named,
  NO_BACKSTEPS,
  oneOf,
  REQUIRED,
  rules,
} from "./check.ts";
import { duplicate, forbidden, invalidValue, required, tooLong } from "./field_errors.ts";
import { validateFieldReference, validateResourceReference, VOLUME_FIELDS } from "./downward_api.ts";
import { labelErrors, subdomainErrors } from "./names.ts";

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];
const PARTITION: Check = must("must be between 1 and 255, inclusive", (value: number) => value >= 0 && value <= 255);

const KEY_TO_PATH = rules(
  "core validateKeyToPath",
  ["key", REQUIRED],
  ["path", REQUIRED, LOCAL_PATH],
  ["mode", FILE_MODE],
);

const DOWNWARD_API_FILE = rules(
  "core validateDownwardAPIVolumeFile",
  ["path", REQUIRED, LOCAL_PATH],
  ["", downwardApiSource],
  ["mode", FILE_MODE],
);

const SECRET_REFERENCE = rules("core validateStorageOSVolumeSource", ["name", REQUIRED]);

/** What each source of a volume must be, by its field; in the order in which Kubernetes looks for them. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: rules("core validateVolumeSource", ["sizeLimit", negativeSize]),
  hostPath: rules(
    "core validateHostPathVolumeSource",
    ["path", REQUIRED, NO_BACKSTEPS],
    ["type", (type, at, scope) => scope?.path === "" ? [] : oneOf(...HOST_PATH_TYPES)(type, at, scope)],
  ),
  gitRepo: rules(
    "core validateGitRepoVolumeSource",
    ["repository", REQUIRED],
    ["directory", DESCENDING_PATH],
  ),
  gcePersistentDisk: rules("core validateGCEPersistentDiskVolumeSource", ["pdName", REQUIRED], [
    "partition",
    PARTITION,
  ]),
  awsElasticBlockStore: rules(
    "core validateAWSElasticBlockStoreVolumeSource",
    ["volumeID", REQUIRED],
    ["partition", PARTITION],
  ),
  secret: rules(
    "core validateSecretVolumeSource",
    ["secretName", REQUIRED],
    ["defaultMode", FILE_MODE],
    ["items", each(KEY_TO_PATH)],
  ),
  nfs: rules(
    "core validateNFSVolumeSource",
    ["server", REQUIRED],
    ["path", REQUIRED, must("must be an absolute path", (path: string) => path.startsWith("/"))],
  ),
  iscsi: rules("core validateISCSIVolumeSource", ["targetPortal", REQUIRED], ["iqn", REQUIRED, iscsiName], [
    "lun",
    must("must be between 0 and 255, inclusive", (lun: number) => lun >= 0 && lun <= 255),
  ]),
  glusterfs: rules("core validateGlusterfsVolumeSource", ["endpoints", REQUIRED], ["path", REQUIRED]),
  flocker: flocker,
  persistentVolumeClaim: rules("core validatePersistentClaimVolumeSource", ["claimName", REQUIRED]),
  rbd: rules("core validateRBDVolumeSource", ["monitors", REQUIRED], ["image", REQUIRED]),
  cinder: rules("core validateCinderVolumeSource", ["volumeID", REQUIRED], ["secretRef", SECRET_REFERENCE]),
  cephfs: rules("core validateCephFSVolumeSource", ["monitors", REQUIRED]),
  quobyte: rules("core validateQuobyteVolumeSource", ["registry", REQUIRED], ["volume", REQUIRED]),
  downwardAPI: rules(
    "core validateDownwardAPIVolumeSource",
    ["defaultMode", FILE_MODE],
    // Kubernetes leaves out which of the items it is.
    ["", ({ items = [] }: Json, at, scope) => items.flatMap((item: Json) => DOWNWARD_API_FILE(item, at, scope))],
  ),
  fc: fibreChannel,
  flexVolume: rules("core validateFlexVolumeSource", ["driver", REQUIRED], ["options", reservedOptions]),
  configMap: rules(
    "core validateConfigMapVolumeSource",
    ["name", REQUIRED],
    ["defaultMode", FILE_MODE],
    ["items", each(KEY_TO_PATH)],
  ),
  azureFile: rules("core validateAzureFile", ["secretName", REQUIRED], ["shareName", REQUIRED]),
  vsphereVolume: rules("core validateVsphereVolumeSource", ["volumePath", REQUIRED]),
  photonPersistentDisk: rules("core validatePhotonPersistentDiskVolumeSource", ["pdID", REQUIRED]),
  portworxVolume: rules("core validatePortworxVolumeSource", ["volumeID", REQUIRED]),
  azureDisk: rules(
    "core validateAzureDisk",
    ["diskName", REQUIRED],
    ["diskURI", REQUIRED],
    ["cachingMode", oneOf("None", "ReadOnly", "ReadWrite")],
    ["kind", oneOf("Dedicated", "Managed", "Shared")],
  ),
  storageos: rules(
    "core validateStorageOSVolumeSource",
    ["volumeName", REQUIRED, named(labelErrors)],
    ["volumeNamespace", named(labelErrors)],
    ["secretRef", SECRET_REFERENCE],
  ),
  projected: rules("core validateProjectedVolumeSource", ["defaultMode", FILE_MODE], ["", projections]),
  scaleIO: rules("core validateScaleIOVolumeSource", ["gateway", REQUIRED], ["system", REQUIRED], [
    "volumeName",
    REQUIRED,
  ]),
  csi: rules("core validateCSIVolumeSource", ["driver", REQUIRED, csiDriver], [
    "nodePublishSecretRef",
    SECRET_REFERENCE,
  ]),
  ephemeral: rules("core validateEphemeralVolumeSource", ["volumeClaimTemplate", REQUIRED, volumeClaimTemplate]),
  image: rules("core validateImageVolumeSource", [
    "pullPolicy",
    oneOf("Always", "IfNotPresent", "Never"),
  ]),
};

/** Where Kubernetes' path of an extra source is not the field's name. */
const SPELLED_OTHERWISE: Readonly<Record<string, string>> = { downwardAPI: "downwarAPI", cephfs: "cephFS" };

const VOLUME = rules("core ValidateVolumes", ["", volumeSource], ["name", REQUIRED, named(labelErrors)]);

/**
 * What is wrong with volumes, and those with which nothing is: only these can be mounted.
 *
 * @param podName of a Pod, whose name is part of the names of its volumes' claims
 */
export function validateVolumes(
  volumes: readonly Json[],
  at: string,
  podName: string | undefined,
): { errors: FieldError[]; valid: ReadonlyMap<string, Json> } {
  const valid = new Map<string, Json>();
  const created = podName === undefined
    ? []
    : volumes.filter(({ ephemeral }) => ephemeral).map(({ name }) => `${podName}-${name}`);
  const errors = volumes.flatMap((volume, index) => {
    const place = `${at}[${index}]`, { name, persistentVolumeClaim: claim } = volume;
    const found = [
      ...VOLUME(volume, place, undefined),
      ...(valid.has(name) ? [duplicate(`${place}.name`, name)] : []),
    ];
    if (found.length === 0) valid.set(name, volume);
    const own = "must not reference a PVC that gets created for an ephemeral volume";
    return claim && created.includes(claim.claimName)
      ? [...found, invalidValue(`${place}.persistentVolumeClaim.claimName`, claim.claimName, own)]
      : found;
  });
  return { errors, valid };
}

function volumeSource(volume: Json, at: string): FieldError[] {
  const given = Object.keys(SOURCES).filter((source) => volume[source] !== undefined);
  if (given.length === 0) return [required(at, "must specify a volume type")];
  return given.flatMap((source, index) =>
    // What an emptyDir says is looked at beside another source.
    index === 0
      ? SOURCES[source](volume[source], `${at}.${source}`, volume[source])
      : [forbidden(`${at}.${SPELLED_OTHERWISE[source] ?? source}`, "may not specify more than 1 volume type")]
  );
}

function negativeSize(size: string, at: string): FieldError[] {
  return size.startsWith("-") ? [forbidden(at, "SizeLimit field must be a valid resource quantity")] : [];
}

const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function iscsiName(name: string, at: string): FieldError[] {
  const pattern = ISCSI_NAMES[name.slice(0, 3)];
  if (!pattern) return [invalidValue(at, name, "must be valid format starting with iqn, eui, or naa")];
  return pattern.test(name) ? [] : [invalidValue(at, name, "must be valid format")];
}

function flocker({ datasetName, datasetUUID }: Json, at: string): FieldError[] {
  if (!datasetName && !datasetUUID) return [required(at, "one of datasetName and datasetUUID is required")];
  return [
    ...(datasetName && datasetUUID
      ? [invalidValue(at, "resource", "datasetName and datasetUUID can not be specified simultaneously")]
      : []),
    ...(datasetName?.includes("/") ? [invalidValue(`${at}.datasetName`, datasetName, "must not contain '/'")] : []),
  ];
}

function fibreChannel({ targetWWNs = [], wwids = [], lun }: Json, at: string): FieldError[] {
  const field = `${at}.targetWWNs`;
  if (targetWWNs.length === 0 && wwids.length === 0) {
    return [required(field, "must specify either targetWWNs or wwids, but not both")];
  }
  const both = targetWWNs.length > 0 && wwids.length > 0
    ? [invalidValue(field, targetWWNs, "targetWWNs and wwids can not be specified simultaneously")]
    : [];
  if (targetWWNs.length === 0) return both;
  if (lun === undefined) return [...both, required(`${at}.lun`, "lun is required if targetWWNs is specified")];
  return [
    ...both,
    ...(lun < 0 || lun > 255 ? [invalidValue(`${at}.lun`, lun, "must be between 0 and 255, inclusive")] : []),
  ];
}

function reservedOptions(options: Json, at: string): FieldError[] {
  return Object.keys(options).sort().filter((key) => /(^|\.)(kubernetes|k8s)\.io$/i.test(key.split("/")[0]))
    .map((key) => invalidValue(`${at}[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"));
}

function csiDriver(driver: string, at: string): FieldError[] {
  return [
    ...(driver.length > 63 ? [tooLong(at, 63)] : []),
    ...subdomainErrors(driver.toLowerCase()).map((message) => invalidValue(at, driver, message)),
  ];
}

function volumeClaimTemplate({ spec = {} }: Json, at: string): FieldError[] {
  return CLAIM(spec, `${at}.spec`, undefined);
}

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

const CLAIM = rules(
  "core ValidatePersistentVolumeClaimSpec",
  [
    "",
    ({ accessModes = [] }: Json, at) =>
      accessModes.length ? [] : [required(`${at}.accessModes`, "at least 1 access mode is required")],
  ],
  ["accessModes", (modes: string[], at, scope) => modes.flatMap((mode) => oneOf(...ACCESS_MODES)(mode, at, scope))],
  ["", ({ resources }: Json, at) => resources?.requests?.storage ? [] : [required(`${at}.resources[storage]`)]],
  ["storageClassName", named(subdomainErrors)],
);

function downwardApiSource({ fieldRef, resourceFieldRef }: Json, at: string): FieldError[] {
  if (fieldRef) {
    return [
      ...validateFieldReference(fieldRef, `${at}.fieldRef`, VOLUME_FIELDS),
      ...(resourceFieldRef
        ? [invalidValue(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")]
        : []),
    ];
  }
  if (resourceFieldRef) return validateResourceReference(resourceFieldRef, `${at}.resourceFieldRef`, true);
  return [required(at, "one of fieldRef and resourceFieldRef is required")];
}

const TOKEN = rules(
  "core validateProjectionSources",
  ["expirationSeconds", atLeast(600, "may not specify a duration less than 10 minutes")],
  [
    "expirationSeconds",
    must("may not specify a duration larger than 2^32 seconds", (value: number) => value <= 2 ** 32),
  ],
);

/** Of all sources together: no two may put a file at one path. */
function projections({ sources = [] }: Json, at: string): FieldError[] {
  const paths = new Set<string>();
  const taken = (path: string | undefined, by: string) => {
    if (!path) return [];
    if (paths.has(path)) return [invalidValue(at, by, "conflicting duplicate paths")];
    paths.add(path);
    return [];
  };
  return sources.flatMap((source: Json, index: number) => {
    const place = `${at}.sources[${index}]`;
    const errors: FieldError[] = [];
    for (const kind of ["secret", "configMap"]) {
      if (!source[kind]) continue;
      const { name = "", items = [] } = source[kind];
      if (!name) errors.push(required(`${place}.${kind}.name`));
      items.forEach((item: Json, each: number) => {
        errors.push(...KEY_TO_PATH(item, `${place}.${kind}.items[${each}]`, undefined), ...taken(item.path, name));
      });
    }
    for (const item of source.downwardAPI?.items ?? []) {
      errors.push(...DOWNWARD_API_FILE(item, `${place}.downwardAPI`, undefined), ...taken(item.path, item.path));
    }
    const token = source.serviceAccountToken;
    if (token) {
      errors.push(...TOKEN(token, `${place}.serviceAccountToken`, undefined));
      if (!token.path) errors.push(required(`${at}.path`));
      else errors.push(...LOCAL_PATH(token.path, `${at}.path`, undefined));
    }
    const given = ["secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle"];
    if (given.filter((kind) => source[kind]).length > 1) {
      errors.push(forbidden(place, "may not specify more than 1 volume type per source"));
    }
    return errors;
  });
}
