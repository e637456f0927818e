import type { Position } from "../manifest_files/yaml_documents.ts";
import { rankOf } from "./kind_order.ts";
import type { Doubt } from "./doubt.ts";
import { type Applied, type FileNote, identityOf, nameOf, type Reading, type Wanted } from "./source.ts";

/** What is to be done for a source. */
export interface Plan {
  /** CronJobs: what takes their place, under another name or of another API, must not run a time that they run. */
  readonly removeFirst: readonly Applied[];
  /** In the order in which they need each other. */
  readonly apply: readonly Wanted[];
  readonly remove: readonly Applied[];
  /** What is not wanted any more, and stays all the same. */
  readonly spared: readonly Applied[];
  /** What another source is to take over, as it wants it still. */
  readonly handedOver: readonly Applied[];
  /** What stays until it is known whether another source wants it. */
  readonly doubted: readonly Doubted[];
  readonly faults: readonly FileNote[];
}

export interface Doubted {
  readonly applied: Applied;
  readonly doubt: Doubt;
}

export interface Facts {
  readonly reading: Reading;
  /** Whether nothing stands in the source at all. */
  readonly isEmpty: boolean;
  /** What of it is on the server. */
  readonly applied: readonly Applied[];
  /** What other sources want that are followed too, by identity. */
  readonly elsewhere: ReadonlyMap<string, Elsewhere>;
  /** What speaks against deleting an object that is not wanted any more, though no other source is known to want it. */
  doubtOf(applied: Applied): Doubt | undefined;
  /** Whether it is known that an object was applied just as it is wanted. */
  isDone(wanted: Wanted): boolean;
}

/** An object that another source wants. */
export interface Elsewhere {
  /** Where it stands there: `other/report.yaml:1`. */
  readonly place: string;
  /** Whether it is that source's on the server too. */
  readonly isApplied: boolean;
}

/** With them would go all that is in them, whatever made it. */
const NEVER_REMOVED = ["Namespace", "CustomResourceDefinition"];

/**
 * Returns what is to be done so that the server has what a source wants.
 *
 * Nothing is removed for a source that is empty or gone: that is what a disk that is not mounted, or an editor at work, looks
 * like. Nor is anything that a file may mean which cannot be read, or that another source wants, or may want.
 *
 * An object that two sources want is of the one that has applied it, as long as that wants it.
 */
export function planOf({ reading, isEmpty, applied, elsewhere, doubtOf, isDone }: Facts): Plan {
  const first = new Map<string, Wanted>();
  const faults: FileNote[] = [...reading.faults];
  for (const wanted of reading.wanted) {
    const identity = identityOfWanted(wanted);
    const owner = elsewhere.get(identity);
    const other = first.get(identity);
    const place = owner?.isApplied ? owner.place : other && placeOf(other);
    if (place === undefined) first.set(identity, wanted);
    else {
      const message = `${describe(wanted)} stands in ${place} already`;
      faults.push({ file: wanted.file, ...wanted.position("metadata.name"), message });
    }
  }
  const unwanted = applied.filter((each) => !first.has(identityOf(each)));
  const isHandedOver = (each: Applied) => elsewhere.has(identityOf(each));
  const mustStay = (each: Applied) => !isHandedOver(each) && (isEmpty || NEVER_REMOVED.includes(each.kind));
  const removable = unwanted.filter((each) => !mustStay(each) && !isHandedOver(each) && !reading.mayMean(each));
  const judged = removable.map((applied) => ({ applied, doubt: doubtOf(applied) }));
  const doubted = judged.flatMap(({ applied, doubt }) => doubt ? [{ applied, doubt }] : []);
  const { removeFirst = [], remove = [] } = Object.groupBy(
    judged.flatMap(({ applied, doubt }) => doubt ? [] : [applied]),
    ({ kind }) => kind === "CronJob" ? "removeFirst" : "remove",
  );
  const waiting = new Set(doubted.map(({ applied }) => nameOf(applied)));
  return {
    removeFirst,
    apply: [...first.values()].filter((wanted) => !isDone(wanted) && !waiting.has(nameOfWanted(wanted))).toSorted((
      a,
      b,
    ) => rankOf(a.object.kind) - rankOf(b.object.kind)),
    remove,
    doubted,
    spared: unwanted.filter(mustStay),
    handedOver: unwanted.filter((each) => isHandedOver(each) && !reading.mayMean(each)),
    faults,
  };
}

/** `CronJob default/report`. */
export function describe({ object: { kind, metadata: { namespace, name } } }: Pick<Wanted, "object">): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** Returns what distinguishes an object of a file from others on the server, whatever the version of its API. */
export function identityOfWanted({ object: { apiVersion, kind, metadata: { namespace, name } } }: Wanted): string {
  return identityOf({ apiVersion, kind, namespace, name });
}

function nameOfWanted({ object: { kind, metadata: { namespace, name } } }: Wanted): string {
  return nameOf({ kind, namespace, name });
}

/** Returns `file:line`. */
export function placeOf({ file, position }: Wanted): string {
  const { line }: Position = position("metadata.name");
  return `${file}:${line}`;
}
