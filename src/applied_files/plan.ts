import { rankOf } from "./kind_order.ts";
import {
  type Applied,
  type FileNote,
  type FileSource,
  identityOf,
  nameOf,
  type Reading,
  type SourceText,
  titleOf,
  type Wanted,
} from "./source.ts";

/** The plan for a source. */
export interface Plan {
  /** CronJobs: a successor under another name, or of another API, must not run a time that they run. */
  readonly removeFirst: readonly Applied[];
  /** In the order in which they need each other. */
  readonly apply: readonly Wanted[];
  readonly remove: readonly Applied[];
  /** Objects that are not wanted any more, and stay all the same. */
  readonly spared: readonly Applied[];
  /** Objects that stay because another source may want them. */
  readonly doubted: readonly Doubted[];
  readonly faults: readonly FileNote[];
}

export interface Doubted {
  readonly applied: Applied;
  /** The path of the source that may want it. */
  readonly by: string;
  readonly reason: string;
}

/** A source, and its objects on the server. */
export interface SourceLook {
  readonly source: Pick<FileSource, "path" | "isEmpty">;
  readonly text: SourceText;
  readonly reading: Reading;
  /** Its objects on the server. */
  readonly applied: readonly Applied[];
  /** The objects of others that it wanted, or may have meant, when it was last not empty. Undefined where it always was. */
  readonly claimed: ReadonlySet<string> | undefined;
  /** Whether it is known that an object was applied just as it is wanted. */
  isDone(wanted: Wanted): boolean;
}

/** Kinds whose removal would also remove all that is in them, including objects that no file made. */
const NEVER_REMOVED = ["Namespace", "CustomResourceDefinition"];

/**
 * Returns the plan of each source, so that the server has the objects that all of them want.
 *
 * Nothing is removed for a source that is empty or gone: a disk that is not mounted, or an editor at work, looks like that. Nor
 * is an object removed that an unreadable file may mean, or that another source wants, or may want.
 *
 * An object that two sources want belongs to the source that has applied it, or else to the first. Where that source wants it no
 * more, the other takes it over.
 */
export function planAll(looks: readonly SourceLook[]): Plan[] {
  const owned = new Map<string, { readonly wanted: Wanted; readonly look: SourceLook }>();
  for (const look of looks) {
    const applied = new Set(look.applied.map(identityOf));
    for (const wanted of look.reading.wanted) {
      const identity = identityOf(wanted);
      const owner = owned.get(identity);
      if (!owner || (owner.look !== look && applied.has(identity))) owned.set(identity, { wanted, look });
    }
  }
  return looks.map((look) => planOf(look, looks, (named) => owned.get(identityOf(named))?.wanted));
}

function planOf(
  look: SourceLook,
  looks: readonly SourceLook[],
  ownedAs: (named: Pick<Wanted, "object">) => Wanted | undefined,
): Plan {
  const { source, text, reading, applied, isDone } = look;
  const { own = [], twice = [] } = Object.groupBy(
    reading.wanted,
    (wanted) => ownedAs(wanted) === wanted ? "own" : "twice",
  );
  const unwanted = applied.filter((each) => ownedAs(each) === undefined);
  const isEmpty = source.isEmpty(text);
  const { spared = [], removable = [] } = Object.groupBy(
    unwanted,
    ({ object: { kind } }) => isEmpty || NEVER_REMOVED.includes(kind) ? "spared" : "removable",
  );
  const others = looks.filter((other) => other !== look);
  const judged = removable.filter((each) => !reading.mayMean(each)).map((applied) => ({
    applied,
    doubts: others.flatMap((other) => doubtOf(other, applied)),
  }));
  const doubted = judged.flatMap(({ doubts }) => doubts.slice(0, 1));
  const { removeFirst = [], remove = [] } = Object.groupBy(
    judged.flatMap(({ applied, doubts }) => doubts.length > 0 ? [] : [applied]),
    ({ object: { kind } }) => kind === "CronJob" ? "removeFirst" : "remove",
  );
  const waiting = new Set(doubted.map(({ applied }) => nameOf(applied)));
  return {
    removeFirst,
    apply: own.filter((wanted) => !isDone(wanted) && !waiting.has(nameOf(wanted)))
      .toSorted((a, b) => rankOf(a.object.kind) - rankOf(b.object.kind)),
    remove,
    doubted,
    spared,
    faults: [
      ...reading.faults,
      ...twice.map((wanted) => {
        const { file, position } = ownedAs(wanted)!;
        const message = `${titleOf(wanted)} stands in ${file}:${position("metadata.name").line} already`;
        return { file: wanted.file, ...wanted.position("metadata.name"), message };
      }),
    ],
  };
}

/** Returns why another source may want an object, although its text does not say so; one doubt at most. */
function doubtOf({ source, text, reading, claimed, applied: own }: SourceLook, applied: Applied): Doubted[] {
  const doubt = (reason: string) => [{ applied, by: source.path, reason }];
  if (!source.isEmpty(text)) return reading.mayMean(applied) ? doubt("it cannot be read whole") : [];
  const mayHaveIt = claimed?.has(identityOf(applied)) ?? own.length > 0;
  return mayHaveIt ? doubt(text.kind === "gone" ? text.reason : "there is nothing in it") : [];
}
