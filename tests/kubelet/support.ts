import type { Container, PodSpec } from "kubernetes-types/core/v1";
import { type Pod, PODS } from "../../src/kube/resource.ts";
import { Kubelet, type KubeletOptions } from "../../src/kubelet/kubelet.ts";
import type { OutputLine } from "../../src/kubelet/pod_worker.ts";
import type { EventRecord } from "../../src/runtime/event_recorder.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { FakeCluster } from "./fake_cluster.ts";

const NODE = "test-node";

export type UnstoredPod = { metadata: Pod["metadata"]; spec: PodSpec };

/** A Pod with one container called `main`. */
export function podOf(name: string, container: Partial<Container>, spec: Partial<PodSpec> = {}): UnstoredPod {
  return {
    metadata: { name, namespace: "default" } as Pod["metadata"],
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", ...container }], ...spec },
  };
}

export interface TestKubelet extends AsyncDisposable {
  readonly cluster: FakeCluster;
  readonly dataDir: string;
  readonly events: EventRecord[];
  readonly output: OutputLine[];
  create(pod: UnstoredPod): Pod;
  /** The Pod, once its phase is a last one. */
  finished(name: string): Pod | undefined;
  log(pod: Pod, options?: { container?: string; restartCount?: number }): string;
  /** A clean stop; the data directory and the cluster stay. */
  stop(): Promise<void>;
}

/** A kubelet on a fake cluster, with a directory of its own. Disposing of it stops it and removes the directory. */
export async function startKubelet(
  options: Partial<KubeletOptions> & { cluster?: FakeCluster; keep?: boolean } = {},
): Promise<TestKubelet> {
  const cluster = options.cluster ?? new FakeCluster();
  const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "kubelet-" });
  const events: EventRecord[] = [];
  const output: OutputLine[] = [];
  const kubelet = new Kubelet({
    client: cluster.client,
    clock: new SystemClock(),
    nodeName: NODE,
    recorder: { record: (event) => void events.push(event) },
    onOutput: (line) => void output.push(line),
    ...options,
    dataDir,
  });
  const stop = new AbortController();
  const running = kubelet.run(stop.signal);
  running.catch(() => {});
  await kubelet.ready();
  return {
    cluster,
    dataDir,
    events,
    output,
    create: (pod) => cluster.put(PODS, pod) as unknown as Pod,
    finished: (name) => {
      const pod = cluster.pod(name);
      return pod?.status?.phase === "Succeeded" || pod?.status?.phase === "Failed" ? pod : undefined;
    },
    log: (pod, { container = "main", restartCount = 0 } = {}) =>
      Deno.readTextFileSync(`${dataDir}/pods/${pod.metadata.uid}/${container}/${restartCount}.log`),
    stop: async () => {
      stop.abort();
      await running;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      if (!options.keep) await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** Looks every few milliseconds until there is something; fails after a while. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited in vain: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
