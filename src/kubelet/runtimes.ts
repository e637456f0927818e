import type { Pod } from "../kube/resource.ts";
import type { ContainerRuntime } from "./runtime.ts";
import type { Refusal } from "./inputs/check.ts";
import type { PodDirectory } from "./files/pod_directory.ts";
import type { RunFiles, RuntimeName } from "./files/run_files.ts";

/** The runtime of a Pod's containers, or why there is none. */
export interface RuntimeChoice {
  readonly runtime: ContainerRuntime;
  readonly refusal?: Refusal | undefined;
}

/**
 * The container runtimes of this node. A Pod chooses among those that the operator allows and never gets another one; the
 * first is for those that don't choose.
 */
export class ContainerRuntimes {
  readonly #known: ReadonlyMap<RuntimeName, ContainerRuntime>;
  readonly #allowed: readonly ContainerRuntime[];

  /**
   * @param known all that former lives of the program may have started containers with
   * @param allowed at least one of them
   */
  constructor(known: readonly ContainerRuntime[], allowed: readonly RuntimeName[]) {
    this.#known = new Map(known.map((runtime) => [runtime.name, runtime]));
    this.#allowed = allowed.map((name) => this.#get(name));
  }

  /** Returns what runs a Pod. One that has begun stays with what it began with. */
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

  /** Returns the runtime that a run was started with, allowed or not: what it has started is to be ended by it. */
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

/** Chooses among the runtimes that the operator allows. Set on a Pod, by the template of its CronJob. */
export const RUNTIME_ANNOTATION = "cronjob-controller.dev/container-runtime";
