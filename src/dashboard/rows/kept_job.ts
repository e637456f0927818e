import type { Child } from "../../cronjob/api/job.ts";
import type { Cached } from "../../runtime/store.ts";

/** A Job as text: of the thousands that are kept few are looked at at a time, and an object takes much more. */
export class KeptJob implements Cached {
  /** Kept once for all Jobs of a CronJob. */
  readonly owner: Child["owner"];
  readonly #text: string;

  /** @param neighbour another Job, which is likely to have the same owner */
  constructor(child: Child, neighbour: Pick<Child, "owner"> | undefined) {
    const { owner, metadata: { ownerReferences: _, ...metadata }, ...facts } = child;
    this.owner = isSame(owner, neighbour?.owner) ? neighbour?.owner : owner;
    this.#text = JSON.stringify({ ...facts, metadata });
  }

  get metadata(): Child["metadata"] {
    return this.read().metadata;
  }

  read(): Child {
    return { ...JSON.parse(this.#text), owner: this.owner };
  }
}

function isSame(owner: Child["owner"], other: Child["owner"]): boolean {
  return owner?.uid === other?.uid && owner?.name === other?.name && owner?.flavour === other?.flavour;
}
