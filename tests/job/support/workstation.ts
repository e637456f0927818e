import type { JobSpec } from "kubernetes-types/batch/v1";
import type { Container, PodSpec } from "kubernetes-types/core/v1";
import { JobController } from "../../../src/job/controller.ts";
import { TtlController } from "../../../src/job/ttl_controller.ts";
import { ApiError } from "../../../src/kube/api_error.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { type Job, JOBS, NAMESPACES, type Pod, PODS } from "../../../src/kube/resource.ts";
import { Kubelet } from "../../../src/kubelet/kubelet.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { EventRecorder } from "../../../src/runtime/event_recorder.ts";
import { Manager } from "../../../src/runtime/manager.ts";
import { startProgram } from "../../e2e/support/api.ts";
import { startTestApiServer } from "../../support/api_server.ts";
import { jobOf } from "../../support/job.ts";
import { COMPILED, eventually } from "../../support/program.ts";
import { followJobs } from "../../support/follow_jobs.ts";

/** How long to wait for anything, all scenarios at the same time; the program replaces failed Pods after 10 s, 20 s and so on. */
const PATIENCE_MS = 240_000;

/** Our API server, kubelet and Job controllers together. In this process, failed Pods are replaced after 50 ms instead of 10 s. */
export interface Workstation extends AsyncDisposable {
  readonly client: KubeClient;
  /** For kubectl. */
  readonly kubeconfigPath: string;
  namespace(name: string): Promise<Bench>;
}

export async function startWorkstation(): Promise<Workstation> {
  return COMPILED ? await startProgramWorkstation() : await startOwnWorkstation();
}

/** The compiled program's, with the times that Kubernetes has. */
async function startProgramWorkstation(): Promise<Workstation> {
  const program = await startProgram("gc,job,kubelet,ttl");
  return {
    client: program.client,
    kubeconfigPath: program.kubeconfigPath,
    namespace: (name) => makeNamespace(program.client, name),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

async function makeNamespace(client: KubeClient, name: string): Promise<Bench> {
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return new Bench(client, name);
}

async function startOwnWorkstation(): Promise<Workstation> {
  const api = await startTestApiServer();
  const { client } = api;
  const clock = new SystemClock();
  const recorder = new EventRecorder({ client, clock, component: "job-controller" });
  const manager = new Manager({ clock })
    .add(recorder)
    .add(new Kubelet({ client, clock, dataDir: api.dataDir, recorder, nodeName: "node", stopGraceMs: 100 }))
    .add(new TtlController({ client, clock }))
    .add(
      new JobController({
        client,
        clock,
        jobs: followJobs({ client, clock }),
        recorder,
        mode: "all",
        backoff: { firstMs: 50, maxMs: 200 },
        statusBatchMs: 50,
      }),
    );
  const end = new AbortController();
  const running = manager.run(end.signal);
  return {
    client,
    kubeconfigPath: api.server.kubeconfigPath,
    namespace: (name) => makeNamespace(client, name),
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      await api[Symbol.asyncDispose]();
    },
  };
}

type SpecPart = Partial<Omit<JobSpec, "template">> & {
  /** Run by `sh -c`. */
  script: string;
  restartPolicy?: string;
  container?: Partial<Container>;
  pod?: Partial<PodSpec>;
};

/** A namespace to try Jobs out in. */
export class Bench {
  readonly client: KubeClient;
  readonly namespace: string;

  constructor(client: KubeClient, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  async run(name: string, { script, restartPolicy = "Never", container, pod, ...spec }: SpecPart): Promise<Job> {
    const containers = [{ name: "main", image: "none", command: ["sh", "-c", script], ...container }];
    const template = { spec: { restartPolicy, terminationGracePeriodSeconds: 1, containers, ...pod } };
    return await this.client.create(JOBS, jobOf({ name, namespace: this.namespace, spec: { ...spec, template } }));
  }

  job(name: string): Promise<Job> {
    return this.client.get(JOBS, { name, namespace: this.namespace });
  }

  async pods(): Promise<Pod[]> {
    return (await this.client.list(PODS, { namespace: this.namespace })).items;
  }

  patchJob(name: string, body: unknown, subresource?: "status"): Promise<Job> {
    return this.client.patch(JOBS, { name, namespace: this.namespace }, { type: "merge", body }, { subresource });
  }

  patchPod(name: string, body: unknown, subresource?: "status"): Promise<Pod> {
    return this.client.patch(PODS, { name, namespace: this.namespace }, { type: "merge", body }, { subresource });
  }

  deletePod(name: string): Promise<void> {
    return this.client.delete(PODS, { name, namespace: this.namespace });
  }

  async evictPod(name: string): Promise<void> {
    const answer = await this.client.raw(`/api/v1/namespaces/${this.namespace}/pods/${name}/eviction`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name } }),
    });
    await answer.body?.cancel();
  }

  /** Waits for the Job's Complete or Failed condition; gives the Job. */
  async ended(name: string): Promise<Job> {
    return await this.until(`Job ${name} has ended`, async () => {
      const job = await this.job(name);
      return outcomeOf(job) === undefined ? undefined : job;
    });
  }

  async gone(name: string): Promise<void> {
    await this.until(`Job ${name} is gone`, async () => {
      try {
        await this.job(name);
        return undefined;
      } catch (error) {
        if (error instanceof ApiError && error.isNotFound) return true;
        throw error;
      }
    });
  }

  /** Looks again and again until `look` gives something. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    try {
      return await eventually(what, look, PATIENCE_MS);
    } catch (error) {
      throw new Error(`Waited in vain in ${this.namespace} until ${what}: ${await this.#state()}`, { cause: error });
    }
  }

  async #state(): Promise<string> {
    const jobs = (await this.client.list(JOBS, { namespace: this.namespace })).items;
    return JSON.stringify({ jobs: jobs.map(({ status }) => status), pods: await this.pods() });
  }
}

/** `Complete CompletionsReached`, `Failed DeadlineExceeded`, …; undefined as long as the Job goes on. */
export function outcomeOf(job: Job): string | undefined {
  const condition = job.status?.conditions?.find(({ type, status }) =>
    status === "True" && (type === "Complete" || type === "Failed")
  );
  return condition && `${condition.type} ${condition.reason}`;
}
