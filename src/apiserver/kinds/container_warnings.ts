import { asManyAsAreSent } from "../http/warnings.ts";
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
    asManyAsAreSent(ports(spec, place)),
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

interface Definition {
  readonly at: string;
  readonly port: Json;
  /** How many there are before it. */
  readonly order: number;
}

/** Across all containers. */
function* ports(spec: Json, path: string): Generator<string> {
  const definitions = ofContainers(
    spec,
    path,
    ({ ports = [] }, container) =>
      ports.map((port: Json, index: number) => ({ at: `${container}.ports[${index}]`, port })),
  )
    .flat().map((definition, order) => ({ ...definition, order }));
  const groups = Map.groupBy(definitions, ({ port }) => `${port.containerPort}/${port.protocol}`);
  const placed = new Map<Definition[], Map<string, Definition[]>>();
  for (const definition of definitions) {
    const { at, port } = definition, { hostIP = "", hostPort = 0, containerPort, protocol, name = "" } = port;
    if (hostIP && !hostPort) {
      yield `${at}: hostIP set without hostPort: ` +
        `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    }
    const group = groups.get(`${containerPort}/${protocol}`)!;
    if (group.length === 1) continue;
    const places = placed.getOrInsertComputed(group, () => new Map()), { filed, rivals } = placesOf(hostPort, hostIP);
    for (
      const other of rivals.flatMap((place) => places.get(place) ?? []).sort((one, next) => one.order - next.order)
    ) {
      yield `${at}: ${conflict(port, other.port)} port definition with ${other.at}`;
    }
    for (const place of filed) places.getOrInsertComputed(place, () => []).push(definition);
  }
}

/** Returns under what a definition of a container port is found, and where those are that are in its way. */
function placesOf(hostPort: number, hostIP: string): { filed: readonly string[]; rivals: readonly string[] } {
  const [onNoHost, onPort, onAddress] = ["no host port", `${hostPort}`, `${hostPort} ${hostIP}`];
  if (hostPort === 0) return { filed: ["any", onNoHost], rivals: ["any"] };
  const rivals = hostIP ? [onNoHost, onAddress, `${hostPort} `] : [onNoHost, onPort];
  return { filed: ["any", onPort, onAddress], rivals };
}

/** Says how two definitions that are in each other's way are so. */
function conflict(one: Json, other: Json): string {
  const [ip = "", port = 0, otherIP = "", otherPort = 0] = [one.hostIP, one.hostPort, other.hostIP, other.hostPort];
  if (ip === otherIP && port === otherPort) return "duplicate";
  return port === 0 || otherPort === 0 ? "overlapping" : "dangerously ambiguous";
}
