import type { Json } from "../resource_kind.ts";
import { isWhole } from "../../kube/quantity.ts";
import type { Nested } from "./nested.ts";
import { APP_ARMOR, SECCOMP } from "./profile_annotations.ts";
import { inside, repeatedBy } from "./validation/check.ts";
import { ofContainers } from "./validation/pod_scope.ts";

const IN_BYTES = ["memory", "ephemeral-storage"];

/** Returns what there is to say of containers alone, of the names of their ports, and of their ports. */
export function containerWarnings(template: Json, path: string): Nested<string> {
  const { spec } = template, place = inside(path, "spec");
  return [
    ofContainers(spec, place, ({ name, securityContext, resources = {}, env = [] }, at) => [
      !securityContext?.seccompProfile &&
      annotated(template, path, SECCOMP.ofContainers + name, SECCOMP.instead),
      // A Pod's annotation becomes the field.
      path && !securityContext?.appArmorProfile && !spec.securityContext?.appArmorProfile &&
      annotated(template, path, APP_ARMOR.ofContainers + name, APP_ARMOR.instead),
      IN_BYTES.map((resource) =>
        ["limits", "requests"].map((list) => fractions(resources[list], `${at}.resources.${list}`, [resource]))
      ),
      hiddenVariables(env, `${at}.env`),
    ]),
    portNames(spec, place),
    ports(spec, place),
  ];
}

/** Says of an annotation, if there is one, what takes its place. */
export function annotated({ metadata }: Json, at: string, key: string, instead: string): Nested<string> {
  return metadata?.annotations?.[key] !== undefined && `${inside(at, "metadata.annotations")}[${key}]: ${instead}`;
}

/** Says of amounts that they are no whole bytes. */
export function fractions(
  amounts: Json | undefined,
  at: string,
  counted: readonly string[] = IN_BYTES,
): Nested<string> {
  return counted.map((resource) => {
    const amount = amounts?.[resource], shown = JSON.stringify(amount);
    return amount !== undefined && !isWhole(amount) &&
      `${at}[${resource}]: fractional byte value ${shown} is invalid, must be an integer`;
  });
}

/** A variable that is given twice loses the first when the object is applied: both have the same key. */
function hiddenVariables(variables: Json[], at: string): Nested<string> {
  const repeated = repeatedBy(variables, "name");
  return variables.map((variable, index) => {
    const { name, value = "", valueFrom } = variable;
    const reference = `$(${name})`;
    // A variable may build on what it was before.
    const builds = !valueFrom && value !== reference && value.includes(reference);
    return !builds && repeated.has(variable) &&
      `${at}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
  });
}

/** Of containers that run together. */
function portNames(spec: Json, path: string): Nested<string> {
  const first = new Map<string, string>();
  return ofContainers(
    spec,
    path,
    ({ ports = [], restartPolicy }, container) =>
      ports.map(({ name }: Json, index: number) => {
        if (!name || (restartPolicy !== "Always" && container.includes("initContainers"))) return [];
        const at = `${container}.ports[${index}]`, other = first.get(name);
        if (other === undefined) first.set(name, at);
        return other !== undefined &&
          `${at}: duplicate port name ${JSON.stringify(name)} with ${other}, ` +
            `services and probes that select ports by name will use ${other}`;
      }),
  );
}

/** Across all containers. */
function ports(spec: Json, path: string): Nested<string> {
  const seen = new Map<string, { at: string; port: Json }[]>();
  return ofContainers(spec, path, ({ ports = [] }, container) =>
    ports.map((port: Json, index: number) => {
      const at = `${container}.ports[${index}]`;
      const { hostIP = "", hostPort = 0, containerPort, protocol, name = "" } = port;
      const struct =
        `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      const same = seen.getOrInsertComputed(`${containerPort}/${protocol}`, () => []);
      const conflicts = same.map((other) => {
        const how = conflict(port, other.port);
        return how && `${at}: ${how} port definition with ${other.at}`;
      });
      same.push({ at, port });
      return [hostIP && !hostPort && `${at}: hostIP set without hostPort: ${struct}`, conflicts];
    }));
}

/** Says how two definitions of the same container port are in each other's way. */
function conflict(one: Json, other: Json): string | undefined {
  const [ip = "", port = 0, otherIP = "", otherPort = 0] = [one.hostIP, one.hostPort, other.hostIP, other.hostPort];
  if (ip === otherIP && port === otherPort) return "duplicate";
  if (port === 0 || otherPort === 0) return "overlapping";
  return port === otherPort && (ip === "") !== (otherIP === "") ? "dangerously ambiguous" : undefined;
}
