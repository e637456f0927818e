import { unitsOf } from "../kube/quantity.ts";

/** Requests of resources. Whole numbers, so that sums stay exact. */
export interface Requests {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

const NOTHING: Requests = { cpuMillis: 0, memoryBytes: 0 };

/**
 * Returns what the Pods of one Job request together, as the scheduler counts: of a Pod its containers and sidecars, or the
 * init container that needs more, with the overhead; times the Pods that run at once. The template may be any JSON.
 */
export function requestsOfJob(jobTemplate: unknown): Requests {
  const job = fieldsOf(fieldsOf(jobTemplate).spec);
  const { cpuMillis, memoryBytes } = requestsOfPod(fieldsOf(fieldsOf(job.template).spec));
  const pods = Math.min(countOf(job.parallelism), countOf(job.completions, Infinity));
  return { cpuMillis: cpuMillis * pods, memoryBytes: memoryBytes * pods };
}

/** `1.5 GiB` */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[power]}`;
}

function requestsOfPod({ containers, initContainers, overhead }: Fields): Requests {
  let sidecars: Requests = NOTHING;
  let starting: Requests = NOTHING;
  for (const container of listOf(initContainers)) {
    const own = requestsOf(container.resources);
    if (container.restartPolicy === "Always") sidecars = sum(sidecars, own);
    starting = most(starting, container.restartPolicy === "Always" ? sidecars : sum(sidecars, own));
  }
  const running = listOf(containers).reduce<Requests>(
    (all, { resources }) => sum(all, requestsOf(resources)),
    sidecars,
  );
  return sum(most(running, starting), amountsOf(fieldsOf(overhead)));
}

/** A limit is a request too, where there is no other. */
function requestsOf(resources: unknown): Requests {
  const { requests, limits } = fieldsOf(resources);
  return amountsOf({ ...fieldsOf(limits), ...fieldsOf(requests) });
}

function amountsOf(list: Fields): Requests {
  return { cpuMillis: unitsOf(list.cpu, "milli"), memoryBytes: unitsOf(list.memory, "whole") };
}

function sum(a: Requests, b: Requests): Requests {
  return { cpuMillis: a.cpuMillis + b.cpuMillis, memoryBytes: a.memoryBytes + b.memoryBytes };
}

function most(a: Requests, b: Requests): Requests {
  return {
    cpuMillis: Math.max(a.cpuMillis, b.cpuMillis),
    memoryBytes: Math.max(a.memoryBytes, b.memoryBytes),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(json: unknown): Fields {
  return typeof json === "object" && json !== null ? json as Fields : {};
}

function listOf(json: unknown): Fields[] {
  return Array.isArray(json) ? json.map(fieldsOf) : [];
}

function countOf(json: unknown, byDefault = 1): number {
  return typeof json === "number" && json >= 0 ? json : byDefault;
}
