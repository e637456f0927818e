import { unitsOf } from "../kube/quantity.ts";

/** Requests to nodes. Whole numbers, so that sums stay exact. */
export interface Requests {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

type Amounts = Readonly<Record<"cpu" | "memory", number>>;
const NOTHING: Amounts = { cpu: 0, memory: 0 };

/**
 * Returns what the Pods of one Job request together, as the scheduler counts: the containers of a Pod and its sidecars, or
 * the init container that needs more, with the overhead; as many times as Pods run beside each other. The template may be
 * any JSON.
 */
export function requestsOfJob(jobTemplate: unknown): Requests {
  const job = fieldsOf(fieldsOf(jobTemplate).spec);
  const pod = requestsOfPod(fieldsOf(fieldsOf(job.template).spec));
  const pods = Math.min(countOf(job.parallelism), countOf(job.completions, Infinity));
  return { cpuMillis: pod.cpu * pods, memoryBytes: pod.memory * pods };
}

/** `1.5 GiB` */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[power]}`;
}

function requestsOfPod({ containers, initContainers, overhead }: Fields): Amounts {
  let sidecars: Amounts = NOTHING;
  let starting: Amounts = NOTHING;
  for (const container of listOf(initContainers)) {
    const own = requestsOf(container.resources);
    if (container.restartPolicy === "Always") sidecars = sum(sidecars, own);
    starting = most(starting, container.restartPolicy === "Always" ? sidecars : sum(sidecars, own));
  }
  const running = listOf(containers).reduce<Amounts>((all, { resources }) => sum(all, requestsOf(resources)), sidecars);
  return sum(most(running, starting), amountsOf(fieldsOf(overhead)));
}

/** A limit is a request too, where there is no other. */
function requestsOf(resources: unknown): Amounts {
  const { requests, limits } = fieldsOf(resources);
  return amountsOf({ ...fieldsOf(limits), ...fieldsOf(requests) });
}

/** Thousandths of processors, and bytes. */
function amountsOf(list: Fields): Amounts {
  return { cpu: unitsOf(list.cpu, "milli"), memory: unitsOf(list.memory, "whole") };
}

function sum(a: Amounts, b: Amounts): Amounts {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory };
}

function most(a: Amounts, b: Amounts): Amounts {
  return { cpu: Math.max(a.cpu, b.cpu), memory: Math.max(a.memory, b.memory) };
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
