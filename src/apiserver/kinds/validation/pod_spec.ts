import type { FieldError, Json } from "../../resource_kind.ts";
import { validateContainers } from "./container.ts";
import {
  duplicate,
  eachInvalid,
  forbidden,
  invalidValue,
  notNegative,
  notSupported,
  oneOf,
  required,
} from "./field_errors.ts";
import { labelErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";
import { validateAnnotations, validateLabels } from "./object_meta.ts";

const RESTART_POLICIES = ["Always", "OnFailure", "Never"];
const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const TOLERATION_OPERATORS = ["Equal", "Exists"];
const TAINT_EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const MAX_INT32 = 2 ** 31 - 1;

/** What is wrong with a Pod template. `path` is where it stands: `spec.template`. */
export function validatePodTemplate(template: Json, path: string): FieldError[] {
  return [
    ...validateLabels(template.metadata?.labels, `${path}.labels`),
    ...validateAnnotations(template.metadata?.annotations, `${path}.annotations`),
    ...validatePodSpec(template.spec, `${path}.spec`),
    ...((template.spec.ephemeralContainers ?? []).length > 0
      ? [forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}

export function validatePodSpec(spec: Json, path: string): FieldError[] {
  const volumes = new Set<string>((spec.volumes ?? []).map(({ name }: Json) => name));
  return [
    ...validateVolumes(spec.volumes ?? [], `${path}.volumes`),
    ...validateContainers(spec, path, volumes),
    ...(spec.restartPolicy === undefined
      ? [required(`${path}.restartPolicy`)]
      : oneOf(`${path}.restartPolicy`, spec.restartPolicy, RESTART_POLICIES)),
    ...(spec.dnsPolicy === undefined
      ? [required(`${path}.dnsPolicy`)]
      : oneOf(`${path}.dnsPolicy`, spec.dnsPolicy, DNS_POLICIES)),
    ...validateLabels(spec.nodeSelector, `${path}.nodeSelector`),
    ...nameIfAny(spec.serviceAccountName, `${path}.serviceAccountName`),
    ...nameIfAny(spec.nodeName, `${path}.nodeName`),
    ...validateActiveDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...(spec.hostname ? eachInvalid(`${path}.hostname`, spec.hostname, labelErrors(spec.hostname)) : []),
    ...(spec.subdomain ? eachInvalid(`${path}.subdomain`, spec.subdomain, labelErrors(spec.subdomain)) : []),
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...nameIfAny(spec.priorityClassName, `${path}.priorityClassName`),
    ...nameIfAny(spec.runtimeClassName, `${path}.runtimeClassName`),
    ...(spec.preemptionPolicy === undefined ? [] : oneOf(`${path}.preemptionPolicy`, spec.preemptionPolicy, [
      "Never",
      "PreemptLowerPriority",
    ])),
    ...notNegative(`${path}.terminationGracePeriodSeconds`, spec.terminationGracePeriodSeconds),
  ];
}

export function validateActiveDeadline(seconds: number | undefined, path: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_INT32)) return [];
  return [invalidValue(path, seconds, `must be between 1 and ${MAX_INT32}, inclusive`)];
}

function validateVolumes(volumes: Json[], path: string): FieldError[] {
  const seen = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const sources = Object.keys(volume).filter((key) => key !== "name");
    if (sources.length === 0) errors.push(required(at, "must specify a volume type"));
    for (const extra of sources.slice(1)) {
      errors.push(forbidden(`${at}.${extra}`, "may not specify more than 1 volume type"));
    }
    if (!volume.name) errors.push(required(`${at}.name`));
    else errors.push(...eachInvalid(`${at}.name`, volume.name, labelErrors(volume.name)));
    if (seen.has(volume.name)) errors.push(duplicate(`${at}.name`, volume.name));
    seen.add(volume.name);
    if (volume.hostPath && !volume.hostPath.path) errors.push(required(`${at}.hostPath.path`));
    if (volume.secret && !volume.secret.secretName) errors.push(required(`${at}.secret.secretName`));
    if (volume.configMap && !volume.configMap.name) errors.push(required(`${at}.configMap.name`));
    if (volume.persistentVolumeClaim && !volume.persistentVolumeClaim.claimName) {
      errors.push(required(`${at}.persistentVolumeClaim.claimName`));
    }
    return errors;
  });
}

function validateTolerations(tolerations: Json[], path: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (toleration.key) errors.push(...eachInvalid(`${at}.key`, toleration.key, qualifiedNameErrors(toleration.key)));
    if (!toleration.key && toleration.operator !== "Exists") {
      errors.push(invalidValue(
        `${at}.operator`,
        toleration.operator ?? "",
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ));
    }
    if (toleration.tolerationSeconds !== undefined && toleration.effect !== "NoExecute") {
      errors.push(
        invalidValue(
          `${at}.effect`,
          toleration.effect ?? "",
          "effect must be 'NoExecute' when `tolerationSeconds` is set",
        ),
      );
    }
    if (toleration.operator && !TOLERATION_OPERATORS.includes(toleration.operator)) {
      errors.push(notSupported(`${at}.operator`, toleration.operator, TOLERATION_OPERATORS));
    } else if (toleration.operator === "Exists" && toleration.value) {
      errors.push(invalidValue(`${at}.operator`, toleration, "value must be empty when `operator` is 'Exists'"));
    }
    if (toleration.effect && !TAINT_EFFECTS.includes(toleration.effect)) {
      errors.push(notSupported(`${at}.effect`, toleration.effect, TAINT_EFFECTS));
    }
    return errors;
  });
}

function nameIfAny(name: string | undefined, path: string): FieldError[] {
  return name ? eachInvalid(path, name, subdomainErrors(name)) : [];
}
