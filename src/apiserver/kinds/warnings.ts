import type { Json } from "../resource_kind.ts";
import { flattened, type Nested } from "./nested.ts";
import { labelErrors } from "./validation/names.ts";
import { repeatedBy } from "./validation/check.ts";

// Warnings about objects that the server accepts, and that are likely to surprise.

type Warnings = Nested<string>;

/** Returns the warnings about a new Pod; of one that changes there are none, since little of it can change. */
export function podWarnings(pod: Json, old: Json | undefined): string[] {
  return flattened(!old && [nameWarning(pod.metadata.name, "the Pod's hostname"), hiddenVariables(pod, "")]);
}

/** Returns the warnings about a Job and its Pod template. */
export function jobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return flattened([
    !old && nameWarning(metadata.name, "Pod names and hostnames"),
    hiddenVariables(spec.template, "spec.template."),
  ]);
}

/** Returns the warnings about a CronJob and its Job template. */
export function cronJobWarnings({ metadata, spec }: Json, old: Json | undefined): string[] {
  return flattened([
    !old && nameWarning(metadata.name, "Pod names and hostnames"),
    hiddenVariables(spec.jobTemplate.spec.template, "spec.jobTemplate.spec.template."),
    old && spec.schedule.includes("TZ") &&
    "spec.schedule: a zone in a schedule is refused of new CronJobs: use timeZone",
  ]);
}

function nameWarning(name: string, use: string): Warnings {
  const why = labelErrors(name).join(" ");
  return why && `metadata.name: it is used in ${use}, which a name that is no DNS label can break: ${why}`;
}

/** A variable that is given twice loses the first when the object is applied: both have the same key. */
function hiddenVariables({ spec }: Json, path: string): Warnings {
  return ofContainers(spec, `${path}spec`, ({ env = [] }, at) => {
    const repeated = repeatedBy(env, "name");
    return env.map((variable: Json, index: number) => {
      const { name, value = "", valueFrom } = variable, reference = `$(${name})`;
      // A variable may build on its former value.
      const builds = !valueFrom && value !== reference && value.includes(reference);
      return !builds && repeated.has(variable) &&
        `${at}.env[${index}]: hides previous definition of ${
          JSON.stringify(name)
        }, which may be dropped when using apply`;
    });
  });
}

/** Returns what `find` returns of each container of a Pod spec, init containers first. */
function ofContainers<T>(spec: Json, path: string, find: (container: Json, at: string) => T): T[] {
  return ["initContainers", "containers"].flatMap((list) =>
    (spec[list] ?? []).map((container: Json, index: number) => find(container, `${path}.${list}[${index}]`))
  );
}
