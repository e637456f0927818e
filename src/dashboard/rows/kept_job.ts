import type { Child } from "../../cronjob/api/job.ts";
import type { Cached } from "../../runtime/store.ts";
import { parseTime } from "../../base/epoch_ms.ts";

/** What is read of a Job beside its metadata. When it was created stands there already. */
type Fact = Exclude<keyof Child, "metadata" | "owner" | "createdAt">;

/** How most Jobs are, in the order in which facts are written: what is so is left out. The rarest stand at the end. */
const USUAL: { readonly [F in Fact]: Child[F] } = {
  scheduledTime: undefined,
  startTime: undefined,
  endTime: undefined,
  state: "succeeded",
  podsSeen: "some",
  isMadeForRun: true,
  failedPods: undefined,
  endReason: undefined,
  failureMessage: undefined,
  isEnding: false,
  manual: false,
  triggeredBy: undefined,
  backfill: undefined,
  isSuspended: false,
};
const FACTS = Object.entries(USUAL) as readonly [Fact, unknown][];

/** A Job as text: of the thousands that are kept few are looked at at a time, and an object takes four times as much. */
export class KeptJob implements Cached {
  /** Kept once for all Jobs of a CronJob. */
  readonly owner: Child["owner"];
  readonly #text: string;

  /** @param neighbour another Job, which is likely to have the same owner */
  constructor(child: Child, neighbour: Pick<Child, "owner"> | undefined) {
    this.owner = isSame(child.owner, neighbour?.owner) ? neighbour?.owner : child.owner;
    const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = child.metadata;
    const facts = FACTS.map(([fact, usual]) => Object.is(child[fact], usual) ? null : child[fact]);
    const values = [name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, ...facts];
    this.#text = JSON.stringify(values.slice(0, values.findLastIndex((value) => (value ?? null) !== null) + 1));
  }

  get metadata(): Child["metadata"] {
    return metadataIn(JSON.parse(this.#text));
  }

  read(): Child {
    const values = JSON.parse(this.#text);
    const metadata = metadataIn(values);
    const { creationTimestamp } = metadata;
    const child: Record<string, unknown> = { metadata, owner: this.owner, createdAt: parseTime(creationTimestamp) };
    FACTS.forEach(([fact, usual], index) => child[fact] = values[FIRST_FACT + index] ?? usual);
    return child as unknown as Child;
  }
}

/** What stands before facts is what `metadataIn` reads. */
const FIRST_FACT = 6;

function metadataIn(values: readonly (string | null)[]): Child["metadata"] {
  const [name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp] = values
    .slice(0, FIRST_FACT).map((value) => value ?? undefined);
  return { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } as Child["metadata"];
}

function isSame(owner: Child["owner"], other: Child["owner"]): boolean {
  return owner?.uid === other?.uid && owner?.name === other?.name && owner?.flavour === other?.flavour;
}
