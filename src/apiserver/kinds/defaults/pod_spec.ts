import type { Json } from "../../resource_kind.ts";

const READ_ALL_MODE = 0o644;

/** Gives fields that are not given their values. */
function fill(object: Json, defaults: Json): void {
  for (const field in defaults) object[field] ??= defaults[field];
}

/** What Kubernetes assumes in the spec of a Pod or of a Pod template where nothing is said. */
export function setPodSpecDefaults(spec: Json): void {
  fill(spec, {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  mirrorServiceAccount(spec);
  for (const container of allContainers(spec)) setContainerDefaults(container, spec.hostNetwork === true);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  dropWhatIsOff(spec);
}

/** Fields that Kubernetes 1.36 knows and yet does not keep, as their features are not switched on. */
function dropWhatIsOff(spec: Json): void {
  delete spec.schedulingGroup;
  for (const { lifecycle } of allContainers(spec)) delete lifecycle?.stopSignal;
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
}

/** Returns every container of a Pod spec: ordinary, init, ephemeral. */
export function allContainers(spec: Json): Json[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The account has an old and a new name for the same field. */
function mirrorServiceAccount(spec: Json): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function setContainerDefaults(container: Json, hostNetwork: boolean): void {
  container.imagePullPolicy ??= hasMovingTag(container.image ?? "") ? "Always" : "IfNotPresent";
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) {
    port.protocol ??= "TCP";
    if (hostNetwork) port.hostPort ??= port.containerPort;
  }
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= "v1";
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) setProbeDefaults(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop]) {
    if (handler) setHandlerDefaults(handler);
  }
}

const OF_PROBES = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

function setProbeDefaults(probe: Json): void {
  setHandlerDefaults(probe);
  fill(probe, OF_PROBES);
}

function setHandlerDefaults({ httpGet, grpc }: Json): void {
  if (httpGet) fill(httpGet, { path: "/", scheme: "HTTP" });
  if (grpc) grpc.service ??= "";
}

/** An image without a tag or digest, or with the tag `latest`, may be another one tomorrow. */
function hasMovingTag(image: string): boolean {
  if (image.includes("@")) return false;
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined || tag === "latest";
}

const OF_FILES = { defaultMode: READ_ALL_MODE };

/** By the source of a volume. */
const OF_VOLUMES: Readonly<Record<string, Json>> = {
  secret: OF_FILES,
  configMap: OF_FILES,
  downwardAPI: OF_FILES,
  projected: OF_FILES,
  hostPath: { type: "" },
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  azureDisk: { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
};

function setVolumeDefaults(volume: Json): void {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of sources) fill(volume[source], OF_VOLUMES[source] ?? {});
  const { image, ephemeral, downwardAPI, projected } = volume;
  if (image) image.pullPolicy ??= hasMovingTag(image.reference ?? "") ? "Always" : "IfNotPresent";
  if (ephemeral?.volumeClaimTemplate?.spec) ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  setFieldRefDefaults(downwardAPI?.items);
  for (const { serviceAccountToken, downwardAPI } of projected?.sources ?? []) {
    if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
    setFieldRefDefaults(downwardAPI?.items);
  }
}

function setFieldRefDefaults(items: Json[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ??= "v1";
}
