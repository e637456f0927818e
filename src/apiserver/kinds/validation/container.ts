import type { FieldError, Json } from "../../resource_kind.ts";
import { compareQuantities } from "../../schema/quantity.ts";
import {
  duplicate,
  eachInvalid,
  forbidden,
  invalidValue,
  notFound,
  notNegative,
  oneOf,
  required,
} from "./field_errors.ts";
import {
  configKeyErrors,
  environmentNameErrors,
  labelErrors,
  portNameErrors,
  portNumberErrors,
  subdomainErrors,
} from "./names.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];
const TERMINATION_MESSAGE_POLICIES = ["File", "FallbackToLogsOnError"];
const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const VALUE_SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];

/** What is wrong with a Pod spec's containers, ordinary and init. */
export function validateContainers(spec: Json, path: string, volumes: ReadonlySet<string>): FieldError[] {
  const containers: Json[] = spec.containers ?? [], initContainers: Json[] = spec.initContainers ?? [];
  const errors: FieldError[] = [];
  if (containers.length === 0) errors.push(required(`${path}.containers`));
  const names = new Set<string>();
  for (const [list, field] of [[containers, "containers"], [initContainers, "initContainers"]] as const) {
    for (const [index, container] of list.entries()) {
      const at = `${path}.${field}[${index}]`;
      errors.push(...validateContainer(container, at, volumes));
      if (container.name && names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
      names.add(container.name);
      errors.push(...validateLifecycleAndProbes(container, at, field === "initContainers"));
    }
  }
  return errors;
}

function validateContainer(container: Json, at: string, volumes: ReadonlySet<string>): FieldError[] {
  return [
    ...(container.name
      ? eachInvalid(`${at}.name`, container.name, labelErrors(container.name))
      : [required(`${at}.name`)]),
    ...validateImage(container.image, `${at}.image`),
    ...oneOf(
      `${at}.terminationMessagePolicy`,
      container.terminationMessagePolicy ?? "File",
      TERMINATION_MESSAGE_POLICIES,
    ),
    ...validatePorts(container.ports ?? [], `${at}.ports`),
    ...validateEnvironment(container.env ?? [], `${at}.env`),
    ...validateEnvironmentSources(container.envFrom ?? [], `${at}.envFrom`),
    ...validateMounts(container.volumeMounts ?? [], `${at}.volumeMounts`, volumes),
    ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy ?? "Always", PULL_POLICIES),
    ...validateResources(container.resources ?? {}, `${at}.resources`),
  ];
}

function validateImage(image: string | undefined, at: string): FieldError[] {
  if (!image) return [required(at)];
  return image.trim() === image ? [] : [invalidValue(at, image, "must not have leading or trailing whitespace")];
}

function validatePorts(ports: Json[], path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (port.name) {
      errors.push(...eachInvalid(`${at}.name`, port.name, portNameErrors(port.name)));
      if (names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(`${at}.containerPort`));
    else errors.push(...eachInvalid(`${at}.containerPort`, port.containerPort, portNumberErrors(port.containerPort)));
    if (port.hostPort) errors.push(...eachInvalid(`${at}.hostPort`, port.hostPort, portNumberErrors(port.hostPort)));
    errors.push(...oneOf(`${at}.protocol`, port.protocol, PROTOCOLS));
    return errors;
  });
}

function validateEnvironment(variables: Json[], path: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(variable.name
        ? eachInvalid(`${at}.name`, variable.name, environmentNameErrors(variable.name))
        : [required(`${at}.name`)]),
      ...(variable.valueFrom ? validateValueSource(variable, `${at}.valueFrom`) : []),
    ];
  });
}

function validateValueSource({ value, valueFrom }: Json, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const given = VALUE_SOURCES.filter((source) => valueFrom[source]);
  for (const source of ["configMapKeyRef", "secretKeyRef"]) {
    const reference = valueFrom[source];
    if (!reference) continue;
    if (!reference.name) errors.push(required(`${at}.${source}.name`));
    if (!reference.key) errors.push(required(`${at}.${source}.key`));
    else errors.push(...eachInvalid(`${at}.${source}.key`, reference.key, configKeyErrors(reference.key)));
  }
  if (valueFrom.fieldRef && !valueFrom.fieldRef.fieldPath) errors.push(required(`${at}.fieldRef.fieldPath`));
  if (valueFrom.resourceFieldRef && !valueFrom.resourceFieldRef.resource) {
    errors.push(required(`${at}.resourceFieldRef.resource`));
  }
  if (given.length === 0) {
    errors.push(invalidValue(
      at,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
    ));
  } else if (value) errors.push(invalidValue(at, "", "may not be specified when `value` is not empty"));
  else if (given.length > 1) errors.push(invalidValue(at, "", "may not have more than one field specified at a time"));
  return errors;
}

function validateEnvironmentSources(sources: Json[], path: string): FieldError[] {
  return sources.flatMap((source, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    for (const reference of ["configMapRef", "secretRef"]) {
      if (!source[reference]) continue;
      const name = source[reference].name;
      errors.push(
        ...(name ? eachInvalid(`${at}.${reference}.name`, name, subdomainErrors(name)) : [
          required(`${at}.${reference}.name`),
        ]),
      );
    }
    if (!source.configMapRef && !source.secretRef) {
      errors.push(invalidValue(at, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (source.configMapRef && source.secretRef) {
      errors.push(invalidValue(at, "", "may not have more than one field specified at a time"));
    }
    return errors;
  });
}

function validateMounts(mounts: Json[], path: string, volumes: ReadonlySet<string>): FieldError[] {
  const places = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (!mount.name) errors.push(required(`${at}.name`));
    if (!mount.mountPath) errors.push(required(`${at}.mountPath`));
    if (places.has(mount.mountPath)) errors.push(invalidValue(`${at}.mountPath`, mount.mountPath, "must be unique"));
    places.add(mount.mountPath);
    if (mount.name && !volumes.has(mount.name)) errors.push(notFound(`${at}.name`, mount.name));
    return errors;
  });
}

function validateResources({ limits = {}, requests = {} }: Json, at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [field, amounts] of [["limits", limits], ["requests", requests]] as const) {
    for (const [resource, amount] of Object.entries(amounts).sort()) {
      if (compareQuantities(amount as string, "0") < 0) {
        errors.push(invalidValue(`${at}.${field}[${resource}]`, amount, "must be greater than or equal to 0"));
      }
    }
  }
  for (const [resource, amount] of Object.entries(requests).sort()) {
    const limit = limits[resource];
    if (limit !== undefined && compareQuantities(amount as string, limit) > 0) {
      errors.push(
        invalidValue(`${at}.requests`, amount, `must be less than or equal to ${resource} limit of ${limit}`),
      );
    }
  }
  return errors;
}

function validateLifecycleAndProbes(container: Json, at: string, isInit: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const restartable = !isInit || container.restartPolicy === "Always";
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"]) {
    const probe = container[name];
    if (!probe) continue;
    if (!restartable) {
      errors.push(forbidden(`${at}.${name}`, "may not be set for init containers without restartPolicy=Always"));
      continue;
    }
    errors.push(...validateHandler(probe, `${at}.${name}`));
    for (
      const field of ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
    ) {
      errors.push(...notNegative(`${at}.${name}.${field}`, probe[field]));
    }
    if (name !== "readinessProbe" && probe.successThreshold !== undefined && probe.successThreshold !== 1) {
      errors.push(invalidValue(`${at}.${name}.successThreshold`, probe.successThreshold, "must be 1"));
    }
  }
  for (const name of ["postStart", "preStop"]) {
    const handler = container.lifecycle?.[name];
    if (!handler) continue;
    if (!restartable) {
      errors.push(forbidden(`${at}.lifecycle`, "may not be set for init containers without restartPolicy=Always"));
    } else errors.push(...validateHandler(handler, `${at}.lifecycle.${name}`));
  }
  return errors;
}

function validateHandler(handler: Json, at: string): FieldError[] {
  const given = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"].filter((name) => handler[name]);
  if (given.length === 0) return [required(at, "must specify a handler type")];
  const errors = given.slice(1).map((name) => forbidden(`${at}.${name}`, "may not specify more than 1 handler type"));
  if (handler.exec && (handler.exec.command ?? []).length === 0) errors.push(required(`${at}.exec.command`));
  return errors;
}
