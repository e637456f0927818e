import type { Container, PodSpec } from "kubernetes-types/core/v1";
import type { KubeClient } from "../../../src/kube/client.ts";
import { type Pod, PODS } from "../../../src/kube/resource.ts";
import { Kubelet, type KubeletOptions } from "../../../src/kubelet/kubelet.ts";
import type { CannotStart, OutputLine } from "../../../src/kubelet/context.ts";
import type { EventRecord } from "../../../src/runtime/event_recorder.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { present } from "../../support/present.ts";
import type { Loose } from "../../../src/base/loose.ts";

export const NODE = "test-node";

type UnstoredPod = Parameters<typeof create>[1];

/** A Pod on the test's node with one container called `main`. */
export function podOf(name: string, container: Partial<Container>, spec: Loose<Partial<PodSpec>> = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: present<PodSpec>({
      nodeName: NODE,
      restartPolicy: "Never",
      containers: [{ name: "main", image: "busybox", ...container }],
      ...spec,
    }),
  };
}

/** A container that runs a shell script. */
export function shell(script: string): Partial<Container> {
  return { command: ["sh", "-c", script] };
}

function create(client: KubeClient, pod: ReturnType<typeof podOf>): Promise<Pod> {
  return client.create(PODS, pod);
}

/** A kubelet at work on an API server. */
export class TestKubelet implements AsyncDisposable {
  readonly client: KubeClient;
  readonly dataDir: string;
  readonly events: EventRecord[] = [];
  readonly output: OutputLine[] = [];
  readonly troubles: CannotStart[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly kubelet: Kubelet;

  constructor(api: TestApiServer, options: Partial<KubeletOptions> = {}) {
    this.client = options.client ?? api.client;
    this.dataDir = api.dataDir;
    this.kubelet = new Kubelet({
      client: this.client,
      clock: new SystemClock(),
      dataDir: api.dataDir,
      nodeName: NODE,
      recorder: { record: (event) => void this.events.push(event) },
      onOutput: (line) => void this.output.push(line),
      onCannotStart: (trouble) => void this.troubles.push(trouble),
      ...options,
    });
    this.#running = this.kubelet.run(this.#stop.signal);
    this.#running.catch(() => {});
  }

  create(pod: UnstoredPod): Promise<Pod> {
    return create(this.client, pod);
  }

  get(name: string): Promise<Pod> {
    return this.client.get(PODS, { name, namespace: "default" });
  }

  /** The Pod, once it is as `wanted`. */
  until(name: string, wanted: (pod: Pod) => unknown): Promise<Pod> {
    return until(async () => {
      const pod = await this.get(name);
      return wanted(pod) ? pod : undefined;
    });
  }

  /** The Pod, once its phase is a last one. */
  finished(name: string): Promise<Pod> {
    return this.until(name, ({ status }) => status?.phase === "Succeeded" || status?.phase === "Failed");
  }

  running(name: string): Promise<Pod> {
    return this.until(name, ({ status }) => status?.containerStatuses?.some(({ state }) => state?.running));
  }

  /** Resolves once the API has the Pod no more. */
  async deleted(name: string): Promise<void> {
    await until(() => this.get(name).then(() => false, () => true));
  }

  log(pod: Pod, options: { container?: string; restartCount?: number } = {}): string {
    const { container = "main", restartCount = 0 } = options;
    return Deno.readTextFileSync(`${this.dataDir}/pods/${pod.metadata.uid}/${container}/${restartCount}.log`);
  }

  /** Whether there is a folder of the Pod of this UID. */
  hasFolderOf(uid: string): boolean {
    return Array.from(Deno.readDirSync(`${this.dataDir}/pods`)).some(({ name }) => name === uid);
  }

  reasons(type: "Normal" | "Warning" = "Warning"): string[] {
    return this.events.filter((event) => event.type === type).map(({ reason }) => reason);
  }

  /** A clean stop. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** An API server, and a kubelet that works on it. */
export async function startKubelet(
  options: Partial<KubeletOptions> = {},
): Promise<TestKubelet & { api: TestApiServer }> {
  const api = await startTestApiServer();
  const kubelet = new TestKubelet(api, options);
  await kubelet.kubelet.ready();
  return Object.assign(kubelet, {
    api,
    async [Symbol.asyncDispose]() {
      await kubelet.stop();
      await api[Symbol.asyncDispose]();
    },
  });
}

/** Looks every few milliseconds until there is something; fails after a while. */
export async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`Waited in vain: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The pid that a script has written into a file. */
export function pidIn(path: string): Promise<number> {
  return until(() => {
    try {
      const text = Deno.readTextFileSync(path);
      return text.endsWith("\n") && Number(text);
    } catch {
      return false;
    }
  });
}

/** Whether a process is there and has not ended. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}
