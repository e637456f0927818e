import type { Pod } from "../kube/resource.ts";
import type { ContainerRuntime } from "./runtime.ts";
import type { Refusal } from "./inputs/check.ts";
import type { PodDirectory } from "./files/pod_directory.ts";
import type { RunFiles, RuntimeName } from "./files/run_files.ts";

/** The runtime of a Pod's containers, and why the Pod may not run there. */
export interface RuntimeChoice {
  readonly runtime: ContainerRuntime;
  readonly refusal?: Refusal | undefined;
}

/** The container runtimes of this node. A Pod chooses one that the operator allows, or else gets the first of these. */
export class ContainerRuntimes {
  readonly #known: ReadonlyMap<RuntimeName, ContainerRuntime>;
  readonly #allowed: readonly ContainerRuntime[];

  /**
   * @param known every runtime that a former life of the program may have used
   * @param allowed at least one of the known ones
   */
  constructor(known: readonly ContainerRuntime[], allowed: readonly RuntimeName[]) {
    this.#known = new Map(known.map((runtime) => [runtime.name, runtime]));
    this.#allowed = allowed.map((name) => this.#get(name));
  }

  /** Returns the runtime of a Pod. A Pod that has begun keeps its runtime. */
  choose(pod: Pod, directory: PodDirectory): RuntimeChoice {
    const [begun] = directory.runsOf(pod).flatMap(({ runs }) => runs.slice(-1));
    if (begun) return { runtime: this.of(begun) };
    const chosen = pod.metadata.annotations?.[RUNTIME_ANNOTATION];
    const runtime = chosen === undefined ? this.#allowed[0] : this.#allowed.find(({ name }) => name === chosen);
    if (runtime) return { runtime, refusal: runtime.refusalOf(pod) };
    const names = this.#allowed.map(({ name }) => name).join(", ");
    const message =
      `Annotation ${RUNTIME_ANNOTATION} asks for the container runtime "${chosen}", which is not allowed ` +
      `here: choose out of ${names}, or leave the annotation out`;
    return { runtime: this.#allowed[0]!, refusal: { reason: "NotAllowed", message } };
  }

  /** Returns the runtime that a run was started with, allowed or not: no other one can end the run. */
  of(run: RunFiles): ContainerRuntime {
    return this.#get(run.readIntent()?.runtime ?? "process");
  }

  allows({ name }: ContainerRuntime): boolean {
    return this.#allowed.some((runtime) => runtime.name === name);
  }

  /** Ends and removes what allowed runtimes still run for Pods that are not known. */
  removeStrangers(isKnown: (uid: string) => boolean): void {
    for (const runtime of this.#allowed) runtime.removeStrangers?.(isKnown);
  }

  /** Resolves once nothing is under way that the program must not leave. */
  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map((runtime) => runtime.close?.()));
  }

  #get(name: RuntimeName): ContainerRuntime {
    const runtime = this.#known.get(name);
    if (!runtime) throw new Error(`Cannot use container runtime "${name}": it is not known`);
    return runtime;
  }
}

/** Chooses the runtime of a Pod. The Pod has it from the template of its CronJob. */
export const RUNTIME_ANNOTATION = "cronjob-controller.dev/container-runtime";
