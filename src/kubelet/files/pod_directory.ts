import { controllerOf } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import { containersOf } from "../inputs/check.ts";
import { readJson, removePath, replaceFile } from "./disk.ts";
import { RunFiles, runsIn } from "./run_files.ts";

/** The logs of the containers of a Pod that is gone. */
export interface PodLogs {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The Job that controlled it. */
  readonly jobUid: string | undefined;
  readonly runs: readonly { readonly container: string; readonly files: RunFiles }[];
}

/**
 * Where a Pod lives on disk: `<data dir>/pods/<uid>/`, with a directory for each container. The names of what is ours
 * contain a dot, which the name of a container can't.
 */
export class PodDirectory {
  readonly path: string;

  constructor(podsDirectory: string, uid: string) {
    this.path = `${podsDirectory}/${uid}`;
  }

  get volumes(): string {
    return `${this.path}/.volumes`;
  }

  create(pod: Pod): void {
    Deno.mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const { metadata: { name, namespace, uid, ownerReferences }, spec } = pod;
    const kept = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, uid, ownerReferences }, spec };
    replaceFile(`${this.path}/pod.json`, JSON.stringify(kept));
  }

  /** The Pod as it was when it was taken; undefined if it never was, or a power failure took the file's contents. */
  readPod(): Pod | undefined {
    return readJson<Pod | undefined>(`${this.path}/pod.json`, () => undefined);
  }

  run(container: string, restartCount: number): RunFiles {
    return new RunFiles(`${this.path}/${container}`, restartCount);
  }

  /** In rising order. */
  runs(container: string): RunFiles[] {
    return runsIn(`${this.path}/${container}`).map((restartCount) => this.run(container, restartCount));
  }

  /** Returns all containers of a Pod, each with its runs. */
  runsOf(pod: Pod) {
    return containersOf(pod.spec!).map((placed) => ({ ...placed, runs: this.runs(placed.container.name) }));
  }

  /** Returns the logs of all runs. */
  logsOf(pod: Pod): PodLogs {
    const { namespace, name, uid } = pod.metadata;
    const { kind, uid: jobUid } = controllerOf(pod) ?? {};
    const runs = this.runsOf(pod).flatMap(({ container, runs }) =>
      runs.map((files) => ({ container: container.name, files }))
    );
    return { pod: { namespace: namespace!, name, uid }, jobUid: kind === "Job" ? jobUid : undefined, runs };
  }

  /** Removes the files of older runs of a container. */
  removeRunsBefore(container: string, restartCount: number): void {
    for (const run of this.runs(container)) if (run.restartCount < restartCount) run.remove();
  }

  remove(): void {
    removePath(this.path);
  }
}
