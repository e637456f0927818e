import type { Json } from "../resource_kind.ts";
import { labelErrors } from "./validation/names.ts";

// What kube-apiserver says of objects that it takes, but that will likely surprise.

const TIME_ZONE_IN_SCHEDULE = "CRON_TZ or TZ used in spec.schedule is not officially supported, " +
  "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";

/** Only a new Pod is looked at, since little of a Pod can change. */
export function podWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  if (old) return [];
  return [...nameWarnings(metadata.name, "the Pod's hostname"), ...podSpecWarnings(spec, "spec")];
}

export function jobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return [
    ...(old ? [] : nameWarnings(metadata.name, "Pod names and hostnames")),
    ...podSpecWarnings(spec.template.spec, "spec.template.spec"),
  ];
}

export function cronJobWarnings({ spec }: Json): string[] {
  return [
    ...podSpecWarnings(spec.jobTemplate.spec.template.spec, "spec.jobTemplate.spec.template.spec"),
    ...(spec.schedule.includes("TZ") ? [TIME_ZONE_IN_SCHEDULE] : []),
  ];
}

function nameWarnings(name: string, use: string): string[] {
  const messages = labelErrors(name);
  if (messages.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; ` +
    `a DNS label is recommended: [${messages.join(" ")}]`,
  ];
}

function podSpecWarnings(spec: Json, path: string): string[] {
  return ["initContainers", "containers"].flatMap((list) =>
    (spec[list] ?? []).flatMap((container: Json, index: number) => [
      ...environmentWarnings(container.env ?? [], `${path}.${list}[${index}].env`),
      ...portWarnings(container.ports ?? [], `${path}.${list}[${index}].ports`),
    ])
  );
}

/** A variable that is given twice loses the first when the object is applied: both have the same key. */
function environmentWarnings(variables: Json[], path: string): string[] {
  const values = new Map<string, string>();
  return variables.flatMap(({ name, value = "" }, index) => {
    const previous = values.get(name);
    values.set(name, value);
    // A variable may build on what it was before.
    if (previous === undefined || value.includes(`$(${name})`)) return [];
    return [
      `${path}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

function portWarnings(ports: Json[], path: string): string[] {
  return ports.flatMap((port, index) => {
    const same = (other: Json) => other.containerPort === port.containerPort && other.protocol === port.protocol;
    const first = ports.findIndex(same);
    return first < index ? [`${path}[${index}]: duplicate port definition with ${path}[${first}]`] : [];
  });
}
