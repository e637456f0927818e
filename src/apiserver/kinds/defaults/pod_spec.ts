import type { Json } from "../../resource_kind.ts";

const READ_ALL_MODE = 0o644;

/** What Kubernetes assumes in the spec of a Pod or of a Pod template where nothing is said. */
export function setPodSpecDefaults(spec: Json): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  spec.schedulerName ??= "default-scheduler";
  mirrorServiceAccount(spec);
  for (const container of allContainers(spec)) setContainerDefaults(container, spec.hostNetwork === true);
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
}

/** Every container of a Pod spec: ordinary, init, ephemeral. */
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

function setProbeDefaults(probe: Json): void {
  setHandlerDefaults(probe);
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
}

function setHandlerDefaults(handler: Json): void {
  if (handler.httpGet) {
    handler.httpGet.path ??= "/";
    handler.httpGet.scheme ??= "HTTP";
  }
  if (handler.grpc) handler.grpc.service ??= "";
}

/** An image without a tag or digest, or with the tag `latest`, may be another one tomorrow. */
function hasMovingTag(image: string): boolean {
  if (image.includes("@")) return false;
  const tag = image.slice(image.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined || tag === "latest";
}

const VOLUME_DEFAULTS: Record<string, (source: Json) => void> = {
  secret: setModeDefault,
  configMap: setModeDefault,
  downwardAPI(source) {
    setModeDefault(source);
    setFieldRefDefaults(source.items);
  },
  projected(source) {
    setModeDefault(source);
    for (const { serviceAccountToken, downwardAPI } of source.sources ?? []) {
      if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= 3600;
      if (downwardAPI) setFieldRefDefaults(downwardAPI.items);
    }
  },
  hostPath: (source) => source.type ??= "",
  ephemeral(source) {
    if (source.volumeClaimTemplate?.spec) source.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  },
};

function setVolumeDefaults(volume: Json): void {
  const sources = Object.keys(volume).filter((key) => key !== "name");
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of sources) VOLUME_DEFAULTS[source]?.(volume[source]);
}

function setModeDefault(source: Json): void {
  source.defaultMode ??= READ_ALL_MODE;
}

function setFieldRefDefaults(items: Json[] | undefined): void {
  for (const { fieldRef } of items ?? []) if (fieldRef) fieldRef.apiVersion ??= "v1";
}
