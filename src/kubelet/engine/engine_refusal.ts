import type { Container, PodSpec, SecurityContext } from "kubernetes-types/core/v1";
import { firstRefusal, type Refusal, type Rule, unsupported, unusableFields } from "../inputs/check.ts";
import { isScratch } from "../inputs/volumes.ts";
import type { MachineAccess } from "./engine_options.ts";
import { isUnder } from "./host_paths.ts";
import { sharesAny } from "./sandboxes.ts";

/** The capabilities that the baseline of Kubernetes' Pod Security Standards allows; engines give most of them anyway. */
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

/** Of a Pod or a container: containers get the engine's own profiles and settings of the kernel. */
const OF_SECURITY = ["seccompProfile", "appArmorProfile", "seLinuxOptions", "windowsOptions", "sysctls", "procMount"];

/** Returns the first thing in a Pod that a container engine cannot do here or must not, if there is one. */
export function engineRefusal(spec: PodSpec, access: MachineAccess): Refusal | undefined {
  return firstRefusal(spec, {
    pod: unsupported(spec, "spec", ["hostNetwork", "hostPID", "hostIPC"]),
    hostPath: (volume, path) => ({
      what: `Volume "${volume}" has the hostPath ${path}, which`,
      isAsked: !isUnder(path, access.hostPaths),
      why: "is under none that --allow-host-path names",
    }),
    container: (container, field) => [
      ...securityRules(container.securityContext ?? {}, `${field}.securityContext`, access),
      ...containerRules(spec, container, field),
    ],
    security: (context, field) => unsupported(context, field, OF_SECURITY),
  });
}

/** Returns what has no effect on a container of an engine. */
export function ignoredByEngine(container: Container, { imagePullSecrets }: PodSpec): string[] {
  const limits = Object.keys(container.resources?.limits ?? {}).filter((name) => name !== "cpu" && name !== "memory");
  const secrets = imagePullSecrets?.length ? ["imagePullSecrets (log the engine in to the registry)"] : [];
  return [...unusableFields(container), ...limits.map((name) => `resources.limits.${name}`), ...secrets];
}

function securityRules({ privileged, capabilities }: SecurityContext, field: string, access: MachineAccess): Rule[] {
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
  ];
}

function containerRules(spec: PodSpec, container: Container, field: string): Rule[] {
  const { ports = [], volumeMounts = [] } = container;
  // Another container at work could put a symbolic link in the place of what is to be mounted.
  const shared = sharesAny(spec) ? spec.volumes?.filter(isScratch).map(({ name }) => name) : [];
  return [
    ...unsupported(container, field, ["volumeDevices"]),
    ...ports.flatMap((port, index) => unsupported(port, `${field}.ports[${index}]`, ["hostPort"])),
    ...volumeMounts.flatMap((mount, index) => [
      ...unsupported(mount, `${field}.volumeMounts[${index}]`, ["mountPropagation"]),
      {
        what: `${field}.volumeMounts[${index}].subPath`,
        isAsked: (mount.subPath || mount.subPathExpr) && shared?.includes(mount.name),
        why: "is not possible where containers run beside each other: mount all of the emptyDir",
      },
    ]),
  ];
}
