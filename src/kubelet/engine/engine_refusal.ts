import type { Container, PodSpec, SecurityContext } from "kubernetes-types/core/v1";
import { firstRefusal, type Refusal, refusalBy, type Rule, unusableFields } from "../inputs/check.ts";
import { isScratch } from "../inputs/volumes.ts";
import type { EngineOptions } from "./engine_options.ts";
import { isUnder } from "./host_paths.ts";
import { sharesAny } from "./sandboxes.ts";

/** What the baseline of Kubernetes' Pod Security Standards lets containers have; engines give most of them anyway. */
const CAPABILITIES = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** What would take a container out of its walls, and why it is not to be had. */
const HOST_NAMESPACES = ["hostNetwork", "hostPID", "hostIPC"] as const;

/** What of the machine the operator lets containers have. */
type MachineAccess = Pick<EngineOptions, "hostPaths" | "privileged">;

const UNSUPPORTED = { why: "is not supported here: leave the field out", reason: "UnsupportedField" };

/** Returns the first thing in a Pod that a container engine cannot do here or must not, if there is one. */
export function engineRefusal(spec: PodSpec, access: MachineAccess): Refusal | undefined {
  const why = "is not possible: containers do not share the machine's own";
  return refusalBy([
    ...HOST_NAMESPACES.map((field) => ({ what: `spec.${field}`, isAsked: spec[field], why })),
    { what: "spec.securityContext.sysctls", isAsked: spec.securityContext?.sysctls?.length, ...UNSUPPORTED },
  ]) ?? firstRefusal(spec, {
    hostPath: (volume, path) => ({
      what: `Volume "${volume}" has the hostPath ${path}, which`,
      isAsked: !isUnder(path, access.hostPaths),
      why: "is under none that --allow-host-path names",
    }),
    container: (container, field) => [
      ...securityRules(container.securityContext ?? {}, `${field}.securityContext`, access),
      ...containerRules(spec, container, field),
    ],
    security: profileRules,
  });
}

/** Returns what has no effect on a container of an engine. */
export function ignoredByEngine(container: Container, { imagePullSecrets }: PodSpec): string[] {
  const limits = Object.keys(container.resources?.limits ?? {}).filter((name) => name !== "cpu" && name !== "memory");
  const secrets = imagePullSecrets?.length ? ["imagePullSecrets (log the engine in to the registry)"] : [];
  return [...unusableFields(container), ...limits.map((name) => `resources.limits.${name}`), ...secrets];
}

function securityRules(
  { privileged, capabilities, procMount }: SecurityContext,
  field: string,
  access: MachineAccess,
): Rule[] {
  // A privileged one has all there are.
  const asked = privileged ? [] : capabilities?.add ?? [];
  const added = asked.filter((name) => !CAPABILITIES.has(name.replace(/^CAP_/, "")));
  return [
    {
      what: `${field}.privileged`,
      isAsked: privileged && !access.privileged,
      why: "is not possible without --allow-privileged: it gives the container the machine",
    },
    {
      what: `${field}.capabilities.add [${added.join(", ")}]`,
      isAsked: added.length > 0,
      why: "is not possible: only what the baseline of the Pod Security Standards has can be added",
    },
    { what: `${field}.procMount`, isAsked: procMount && procMount !== "Default", ...UNSUPPORTED },
  ];
}

function containerRules(spec: PodSpec, container: Container, field: string): Rule[] {
  const { volumeDevices, ports, volumeMounts } = container;
  // Another container at work could put a symbolic link in the place of what is to be mounted.
  const shared = sharesAny(spec) ? spec.volumes?.filter(isScratch).map(({ name }) => name) : [];
  return [
    { what: `${field}.volumeDevices`, isAsked: volumeDevices?.length, ...UNSUPPORTED },
    ...(ports ?? []).map(({ hostPort }, index) => ({
      what: `${field}.ports[${index}].hostPort`,
      isAsked: hostPort,
      ...UNSUPPORTED,
    })),
    ...(volumeMounts ?? []).flatMap(({ name, subPath, subPathExpr, mountPropagation }, index) => [
      {
        what: `${field}.volumeMounts[${index}].mountPropagation`,
        isAsked: mountPropagation && mountPropagation !== "None",
        ...UNSUPPORTED,
      },
      {
        what: `${field}.volumeMounts[${index}].subPath`,
        isAsked: (subPath || subPathExpr) && shared?.includes(name),
        why: "is not possible where containers run beside each other: mount all of the emptyDir",
      },
    ]),
  ];
}

/** Of profiles of the machine's security modules containers get the engine's own. */
function profileRules(security: object, field: string): Rule[] {
  const { seccompProfile, appArmorProfile, seLinuxOptions, windowsOptions } = security as Profiles;
  return [
    ...Object.entries({ seccompProfile, appArmorProfile }).map(([name, profile]) => ({
      what: `${field}.${name} ${profile?.type}`,
      isAsked: profile?.type && profile.type !== "RuntimeDefault",
      why: "is not possible: containers get the engine's own profile",
    })),
    ...Object.entries({ seLinuxOptions, windowsOptions }).map(([name, options]) => ({
      what: `${field}.${name}`,
      isAsked: options,
      ...UNSUPPORTED,
    })),
  ];
}

interface Profiles {
  readonly seccompProfile?: { readonly type?: string };
  readonly appArmorProfile?: { readonly type?: string };
  readonly seLinuxOptions?: object;
  readonly windowsOptions?: object;
}
