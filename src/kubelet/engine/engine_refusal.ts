import type { Container, PodSpec } from "kubernetes-types/core/v1";
import { firstRefusal, notAllowed, type Refusal, unusableFields } from "../inputs/check.ts";
import { isScratch } from "../inputs/volumes.ts";
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
export interface MachineAccess {
  /** Paths that they may mount what lies under. */
  readonly hostPaths: readonly string[];
  /** Whether they may be privileged. */
  readonly privileged: boolean;
}

/** Returns the first thing in a Pod that a container engine cannot do here or must not, if there is one. */
export function engineRefusal(spec: PodSpec, options: MachineAccess): Refusal | undefined {
  for (const field of HOST_NAMESPACES) {
    if (spec[field]) return notAllowed(`spec.${field} is not possible: containers do not share the machine's own`);
  }
  if (spec.securityContext?.sysctls?.length) return unsupported("spec.securityContext.sysctls");
  return firstRefusal(spec, {
    hostPath: ({ name }, path) =>
      isUnder(path, options.hostPaths)
        ? undefined
        : notAllowed(`Volume "${name}" has the hostPath ${path}, which is under none that --allow-host-path names`),
    container: (container, field) => checkContainer(container, field, options) ?? checkSubPaths(spec, container, field),
    security: checkProfiles,
  });
}

/** Returns what has no effect on a container of an engine. */
export function ignoredByEngine(container: Container): string[] {
  const limits = Object.keys(container.resources?.limits ?? {}).filter((name) => name !== "cpu" && name !== "memory");
  return [...unusableFields(container), ...limits.map((name) => `resources.limits.${name}`)];
}

function checkContainer(container: Container, field: string, access: MachineAccess): Refusal | undefined {
  const { securityContext: security, volumeDevices = [], ports = [] } = container;
  if (security?.privileged && !access.privileged) {
    return notAllowed(
      `${field}.securityContext.privileged is not possible without --allow-privileged: it gives the container the machine`,
    );
  }
  // A privileged one has all there are.
  const asked = security?.privileged ? [] : security?.capabilities?.add ?? [];
  const added = asked.filter((name) => !CAPABILITIES.has(name.replace(/^CAP_/, "")));
  if (added.length > 0) {
    return notAllowed(
      `${field}.securityContext.capabilities.add [${
        added.join(", ")
      }] is not possible: only what the baseline of the ` +
        "Pod Security Standards has can be added",
    );
  }
  if (security?.procMount && security.procMount !== "Default") {
    return notAllowed(`${field}.securityContext.procMount ${security.procMount} is not possible`);
  }
  if (volumeDevices.length > 0) return unsupported(`${field}.volumeDevices`);
  const hostPort = ports.findIndex((port) => port.hostPort);
  if (hostPort >= 0) return unsupported(`${field}.ports[${hostPort}].hostPort`);
  const mount = (container.volumeMounts ?? []).findIndex((each) =>
    each.mountPropagation && each.mountPropagation !== "None"
  );
  if (mount >= 0) return notAllowed(`${field}.volumeMounts[${mount}].mountPropagation is not possible`);
  return undefined;
}

/** Another container at work could put a symbolic link in the place of what is to be mounted. */
function checkSubPaths(spec: PodSpec, { volumeMounts = [] }: Container, field: string): Refusal | undefined {
  const shared = sharesAny(spec) ? spec.volumes?.filter(isScratch).map(({ name }) => name) : [];
  const index = volumeMounts.findIndex(({ name, subPath, subPathExpr }) =>
    (subPath || subPathExpr) && shared?.includes(name)
  );
  if (index < 0) return undefined;
  return notAllowed(
    `${field}.volumeMounts[${index}].subPath is not possible where containers run beside each other: mount all of the emptyDir`,
  );
}

/** Profiles of the machine's security modules, of which containers get the engine's own. */
function checkProfiles(security: object | undefined, field: string): Refusal | undefined {
  const { seccompProfile, appArmorProfile, seLinuxOptions, windowsOptions } = (security ?? {}) as Profiles;
  for (const [name, profile] of Object.entries({ seccompProfile, appArmorProfile })) {
    if (profile?.type && profile.type !== "RuntimeDefault") {
      return notAllowed(`${field}.${name} ${profile.type} is not possible: containers get the engine's own profile`);
    }
  }
  for (const [name, options] of Object.entries({ seLinuxOptions, windowsOptions })) {
    if (options) return unsupported(`${field}.${name}`);
  }
  return undefined;
}

interface Profiles {
  readonly seccompProfile?: { readonly type?: string };
  readonly appArmorProfile?: { readonly type?: string };
  readonly seLinuxOptions?: object;
  readonly windowsOptions?: object;
}

function unsupported(field: string): Refusal {
  return { reason: "UnsupportedField", message: `${field} is not supported here: leave the field out` };
}
