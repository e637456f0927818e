import type { Json } from "../../resource_kind.ts";
import {
  atMostBytes,
  between,
  type Check,
  DESCENDING_PATH,
  each,
  FILE_MODE,
  MAX_WHOLE,
  must,
  named,
  namedIfGiven,
  NO_BACKSTEPS,
  oneOf,
  REQUIRED,
  rules,
} from "./check.ts";
import {
  duplicate,
  eachInvalid,
  type Findings,
  forbidden,
  found,
  invalidValue,
  notSupported,
  required,
} from "./field_errors.ts";
import { labelErrors, subdomainErrors } from "./names.ts";
import { CLAIM_TEMPLATE } from "./volume_claim.ts";
import { DOWNWARD_API_FILE, KEY_TO_PATH, projections } from "./volume_files.ts";

const HOST_PATH_TYPES = oneOf(
  ...["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"],
);
const PARTITION: Check = must("must be between 1 and 255, inclusive", (value: number) => value >= 0 && value <= 255);
const ABSOLUTE = must("must be an absolute path", (path: string) => path.startsWith("/"));
const SECRET_REFERENCE = rules("core validateStorageOSVolumeSource", ["name", REQUIRED]);

/** What each source of a volume must be, by its field; in the order in which Kubernetes looks for them. */
const SOURCES: Readonly<Record<string, Check>> = {
  emptyDir: rules("core validateVolumeSource", ["sizeLimit", negativeSize]),
  hostPath: rules(
    "core validateHostPathVolumeSource",
    ["path", REQUIRED, NO_BACKSTEPS],
    ["type", (type, at, { path }: Json) => path !== "" && HOST_PATH_TYPES(type, at)],
  ),
  gitRepo: rules("core validateGitRepoVolumeSource", ["repository", REQUIRED], ["directory", DESCENDING_PATH]),
  gcePersistentDisk: rules(
    "core validateGCEPersistentDiskVolumeSource",
    ["pdName", REQUIRED],
    ["partition", PARTITION],
  ),
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
  nfs: rules("core validateNFSVolumeSource", [["server", "path"], REQUIRED], ["path", ABSOLUTE]),
  iscsi: rules(
    "core validateISCSIVolumeSource",
    ["targetPortal", REQUIRED],
    ["iqn", REQUIRED, iscsiName],
    ["lun", between(0, 255)],
    ({ chapAuthDiscovery, chapAuthSession, secretRef }, at) =>
      (chapAuthDiscovery || chapAuthSession) && !secretRef && required(`${at}.secretRef`),
    ["initiatorName", (name, at) => iscsiName(name, at.replace("initiatorName", "initiatorname"))],
  ),
  glusterfs: rules("core validateGlusterfsVolumeSource", [["endpoints", "path"], REQUIRED]),
  flocker,
  persistentVolumeClaim: rules("core validatePersistentClaimVolumeSource", ["claimName", REQUIRED]),
  rbd: rules("core validateRBDVolumeSource", [["monitors", "image"], REQUIRED]),
  cinder: rules("core validateCinderVolumeSource", ["volumeID", REQUIRED], ["secretRef", SECRET_REFERENCE]),
  cephfs: rules("core validateCephFSVolumeSource", ["monitors", REQUIRED]),
  quobyte: rules("core validateQuobyteVolumeSource", quobyteRegistry, ["volume", REQUIRED]),
  downwardAPI: rules(
    "core validateDownwardAPIVolumeSource",
    ["defaultMode", FILE_MODE],
    // Kubernetes leaves out which of the items it is.
    ({ items = [] }, at) => items.map((item: Json) => DOWNWARD_API_FILE(item, at)),
  ),
  fc: fibreChannel,
  flexVolume: rules("core validateFlexVolumeSource", ["driver", REQUIRED], ["options", reservedOptions]),
  configMap: rules(
    "core validateConfigMapVolumeSource",
    ["name", REQUIRED],
    ["defaultMode", FILE_MODE],
    ["items", each(KEY_TO_PATH)],
  ),
  azureFile: rules("core validateAzureFile", [["secretName", "shareName"], REQUIRED]),
  vsphereVolume: rules("core validateVsphereVolumeSource", ["volumePath", REQUIRED]),
  photonPersistentDisk: rules("core validatePhotonPersistentDiskVolumeSource", ["pdID", REQUIRED]),
  portworxVolume: rules("core validatePortworxVolumeSource", ["volumeID", REQUIRED]),
  azureDisk: rules(
    "core validateAzureDisk",
    [["diskName", "diskURI"], REQUIRED],
    ["cachingMode", oneOf("None", "ReadOnly", "ReadWrite")],
    ["kind", oneOf("Dedicated", "Managed", "Shared")],
    azureUri,
  ),
  storageos: rules(
    "core validateStorageOSVolumeSource",
    ["volumeName", REQUIRED, named(labelErrors)],
    ["volumeNamespace", named(labelErrors)],
    ["secretRef", SECRET_REFERENCE],
  ),
  projected: rules("core validateProjectedVolumeSource", ["defaultMode", FILE_MODE], projections),
  scaleIO: rules("core validateScaleIOVolumeSource", [["gateway", "system", "volumeName"], REQUIRED]),
  csi: rules(
    "core validateCSIVolumeSource",
    ["driver", REQUIRED, csiDriver],
    [
      "nodePublishSecretRef",
      SECRET_REFERENCE,
      ({ name }, at) => namedIfGiven(subdomainErrors)(name, at.replace("nodePublishSecretRef", "name")),
    ],
  ),
  ephemeral: rules("core validateEphemeralVolumeSource", ["volumeClaimTemplate", REQUIRED, CLAIM_TEMPLATE]),
  image: rules("core validateImageVolumeSource", ["pullPolicy", oneOf("Always", "IfNotPresent", "Never")]),
};

/** Where Kubernetes' path of an extra source, or of what is in the only one, is not the field's name. */
const SPELLED_OTHERWISE: Readonly<Record<string, string>> = { downwardAPI: "downwarAPI", cephfs: "cephFS" };
const INSIDE_SPELLED_OTHERWISE: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };

const MAX_PORTAL = 64;

const VOLUME = rules(
  "core ValidateVolumes",
  volumeSource,
  ({ name, iscsi }, at) => {
    const why = `Total length of <volume name>:<iscsi.targetPortal> must be under ${MAX_PORTAL} characters ` +
      "if iscsi.initiatorName is specified.";
    return iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal}`.length > MAX_PORTAL &&
      invalidValue(`${at}.name`, name, why);
  },
  ["name", REQUIRED, named(labelErrors)],
);

/**
 * Returns what is wrong with volumes, and those with which nothing is: only these can be mounted.
 *
 * @param podName of a Pod, whose name is part of the names of its volumes' claims
 */
export function validateVolumes(
  volumes: readonly Json[],
  at: string,
  podName: string | undefined,
): { errors: Findings; valid: ReadonlyMap<string, Json> } {
  const valid = new Map<string, Json>();
  const created = new Set(
    volumes.filter(({ ephemeral }) => ephemeral && podName !== undefined).map(({ name }) => `${podName}-${name}`),
  );
  const own = "must not reference a PVC that gets created for an ephemeral volume";
  const errors = volumes.map((volume, index) => {
    const place = `${at}[${index}]`, { name, persistentVolumeClaim: claim } = volume;
    const wrong = found(
      VOLUME(volume, place),
      ofPod(volume, place, podName),
      valid.has(name) && duplicate(`${place}.name`, name),
    );
    if (wrong.length === 0) valid.set(name, volume);
    return [
      wrong,
      claim && created.has(claim.claimName) &&
      invalidValue(`${place}.persistentVolumeClaim.claimName`, claim.claimName, own),
    ];
  });
  return { errors, valid };
}

function volumeSource(volume: Json, at: string): Findings {
  const [first, ...others] = Object.keys(SOURCES).filter((source) => volume[source] !== undefined);
  if (first === undefined) return required(at, "must specify a volume type");
  return [
    SOURCES[first]!(volume[first], `${at}.${INSIDE_SPELLED_OTHERWISE[first] ?? first}`, volume[first]),
    others.map((source) =>
      forbidden(`${at}.${SPELLED_OTHERWISE[source] ?? source}`, "may not specify more than 1 volume type")
    ),
  ];
}

/** Of an image the Pod alone must name it, and of a claim to be made its name must be one. */
function ofPod({ name, image, ephemeral }: Json, at: string, podName: string | undefined): Findings {
  const claim = `${podName}-${name}`;
  return [
    image && podName !== undefined && !image.reference && required(`${at}.image.reference`),
    !image && ephemeral && podName && name &&
    subdomainErrors(claim).map((why) => invalidValue(`${at}.name`, name, `PVC name ${JSON.stringify(claim)}: ${why}`)),
  ];
}

function negativeSize(size: string, at: string): Findings {
  return size.startsWith("-") && forbidden(at, "SizeLimit field must be a valid resource quantity");
}

const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

function iscsiName(name: string, at: string): Findings {
  const pattern = ISCSI_NAMES[name.slice(0, 3)];
  if (!pattern) return invalidValue(at, name, "must be valid format starting with iqn, eui, or naa");
  return !pattern.test(name) && invalidValue(at, name, "must be valid format");
}

function flocker({ datasetName, datasetUUID }: Json, at: string): Findings {
  return [
    !datasetName && !datasetUUID && required(at, "one of datasetName and datasetUUID is required"),
    datasetName && datasetUUID &&
    invalidValue(at, "resource", "datasetName and datasetUUID can not be specified simultaneously"),
    datasetName?.includes("/") && invalidValue(`${at}.datasetName`, datasetName, "must not contain '/'"),
  ];
}

function fibreChannel({ targetWWNs = [], wwids = [], lun }: Json, at: string): Findings {
  const field = `${at}.targetWWNs`, byTarget = targetWWNs.length > 0, byId = wwids.length > 0;
  return [
    !byTarget && !byId && required(field, "must specify either targetWWNs or wwids, but not both"),
    byTarget && byId && invalidValue(field, targetWWNs, "targetWWNs and wwids can not be specified simultaneously"),
    byTarget && lun === undefined && required(`${at}.lun`, "lun is required if targetWWNs is specified"),
    byTarget && lun !== undefined && between(0, 255)(lun, `${at}.lun`),
  ];
}

function reservedOptions(options: Json, at: string): Findings {
  return Object.keys(options).sort().filter((key) => /^([^/]*\.)?(kubernetes|k8s)\.io(\/|$)/i.test(key))
    .map((key) => invalidValue(`${at}[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"));
}

const HOST_AND_PORT = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

function quobyteRegistry({ registry, tenant = "" }: Json, path: string): Findings {
  const at = `${path}.registry`, why = "must be a host:port pair or multiple pairs separated by commas";
  if (!registry) return required(at, why);
  if (tenant.length > 64) {
    return required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters");
  }
  const wrong = registry.split(",").filter((pair: string) => !HOST_AND_PORT.test(pair));
  return wrong.slice(0, MAX_WHOLE).map(() => invalidValue(at, registry, why));
}

const MANAGED_DISK = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

function azureUri({ kind, diskURI = "" }: Json, at: string): Findings {
  const [start, form] = kind === "Managed" ? ["/subscriptions/", MANAGED_DISK] : ["https://", BLOB];
  return kind !== undefined && !diskURI.startsWith(start) && notSupported(`${at}.diskURI`, diskURI, [form]);
}

function csiDriver(driver: string, at: string): Findings {
  return [atMostBytes(63)(driver, at), eachInvalid(at, driver, subdomainErrors(driver.toLowerCase()))];
}
