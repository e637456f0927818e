import type { FieldError, Json } from "../../resource_kind.ts";
import { forbidden } from "./field_errors.ts";

/** An annotation that said once what a field of the security context says now. */
interface Former {
  readonly field: string;
  /** In messages. */
  readonly name: string;
  readonly ofPod?: string;
  /** Before the container's name. */
  readonly ofContainers: string;
  readonly runtimeDefault: readonly string[];
}

const FORMER: readonly Former[] = [
  {
    field: "seccompProfile",
    name: "seccomp",
    ofPod: "seccomp.security.alpha.kubernetes.io/pod",
    ofContainers: "container.seccomp.security.alpha.kubernetes.io/",
    runtimeDefault: ["runtime/default", "docker/default"],
  },
  {
    field: "appArmorProfile",
    name: "apparmor",
    ofContainers: "container.apparmor.security.beta.kubernetes.io/",
    runtimeDefault: ["runtime/default"],
  },
];

const LOCAL = "localhost/";

/** Core `validateSeccompAnnotationsAndFields`, `validateAppArmorAnnotationsAndFieldsMatchOnCreate`. */
export function validateProfileAnnotations({ metadata, spec }: Json): FieldError[] {
  const annotations: Json = metadata.annotations ?? {};
  return FORMER.flatMap((former) => [
    ...(former.ofPod ? contradictions(former, annotations[former.ofPod], spec.securityContext, "spec") : []),
    ...["initContainers", "containers"].flatMap((list) =>
      (spec[list] ?? []).flatMap(({ name, securityContext }: Json, index: number) =>
        contradictions(former, annotations[former.ofContainers + name], securityContext, `spec.${list}[${index}]`)
      )
    ),
  ]);
}

function contradictions(
  { field, name, runtimeDefault }: Former,
  annotation: string | undefined,
  context: Json | undefined,
  path: string,
): FieldError[] {
  const profile = context?.[field], at = `${path}.securityContext.${field}`;
  if (annotation === undefined || !profile) return [];
  const allowed: Record<string, (text: string) => boolean> = {
    Unconfined: (text) => text === "unconfined",
    RuntimeDefault: (text) => runtimeDefault.includes(text),
    Localhost: (text) => text.startsWith(LOCAL),
  };
  if (!(allowed[profile.type]?.(annotation) ?? true)) {
    return [forbidden(`${at}.type`, `${name} type in annotation and field must match`)];
  }
  return profile.type === "Localhost" && annotation.slice(LOCAL.length) !== profile.localhostProfile
    ? [forbidden(`${at}.localhostProfile`, `${name} profile in annotation and field must match`)]
    : [];
}
