/** An annotation that said once what a field of the security context says now. */
export interface Former {
  readonly field: string;
  /** In messages. */
  readonly name: string;
  readonly ofPod?: string;
  /** Before the container's name. */
  readonly ofContainers: string;
  readonly runtimeDefault: readonly string[];
  /** The warning. */
  readonly instead: string;
}

export const SECCOMP = {
  field: "seccompProfile",
  name: "seccomp",
  ofPod: "seccomp.security.alpha.kubernetes.io/pod",
  ofContainers: "container.seccomp.security.alpha.kubernetes.io/",
  runtimeDefault: ["runtime/default", "docker/default"],
  instead: 'non-functional in v1.27+; use the "seccompProfile" field instead',
} satisfies Former;

export const APP_ARMOR = {
  field: "appArmorProfile",
  name: "apparmor",
  ofContainers: "container.apparmor.security.beta.kubernetes.io/",
  runtimeDefault: ["runtime/default"],
  instead: 'deprecated since v1.30; use the "appArmorProfile" field instead',
} satisfies Former;

/** Before the name of a profile on the node. */
export const LOCAL = "localhost/";
