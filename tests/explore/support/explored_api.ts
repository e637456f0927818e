import type { KubeObject } from "../../../src/kube/object.ts";
import { type Job, JOBS } from "../../../src/kube/resource.ts";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";
import { FakeApi, type OnStored } from "../../runtime/support/fake_api.ts";
import { digestOf } from "./digest.ts";

/** The API server in memory, which distinguishes its states. */
export class ExploredApi extends FakeApi {
  /** By resource and name. */
  readonly #stored = new Map<string, { object: KubeObject; digest: number }>();
  #log = 0;

  constructor(now: () => EpochMs, onStored: OnStored) {
    super(now);
    this.onStored = (plural, name, object) => {
      this.#note(plural, name, object);
      onStored(plural, name, object);
    };
  }

  /** Distinguishes the objects that there are from all others. */
  get digest(): number {
    return digestOf([...this.#stored].map(([key, { digest }]) => `${key} ${digest}`).sort().join());
  }

  /** Distinguishes the order of all changes so far from all others. */
  get logDigest(): number {
    return this.#log;
  }

  jobs(): Job[] {
    return [...this.#stored].filter(([key]) => key.startsWith(JOBS.plural)).map(([, { object }]) => object as Job);
  }

  #note(plural: string, name: string, object: KubeObject | undefined): void {
    const key = `${plural} ${name}`;
    const digest = object && digestOf(JSON.stringify(object));
    this.#log = digestOf(`${key} ${digest}`, this.#log);
    if (object && digest !== undefined) this.#stored.set(key, { object, digest });
    else this.#stored.delete(key);
  }
}
