import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { AppliedObjects } from "./applied_objects.ts";
import { type FileNews, formatNote } from "./news.ts";
import { planAll } from "./plan.ts";
import { type ReasonsOf, refusalOf, refusalsOf } from "./refusal.ts";
import { remarksOn } from "./remarks.ts";
import {
  type Applied,
  type FileNote,
  type FileSource,
  identityOf,
  type SourceText,
  titleOf,
  type Wanted,
} from "./source.ts";
import { type SafePlan, withSuccessors } from "./successors.ts";

/** A source, and the facts that are known of it. */
interface Followed {
  readonly source: FileSource;
  /** The source's text at the last look. */
  text: SourceText | undefined;
  /** The objects of others that it wanted, or may have meant, at the last look at which it was not empty. */
  claimed: ReadonlySet<string> | undefined;
  /** The texts of the objects that this process has applied, by identity. */
  readonly done: Map<string, string>;
  /** The present faults; each is reported once. */
  notes: ReadonlySet<string>;
}

/**
 * Keeps on the server what sources want.
 *
 * Flow
 * 1. The follower reads the sources. If their texts are the same as before, and nothing was refused then, that is all.
 * 2. The server says, by a label, which objects it has of each source; {@linkcode planAll} says what is to be done.
 * 3. The follower applies changed objects, then deletes those that are not wanted any more. CronJobs are deleted first, so that
 *    none runs a time that its successor runs, and only once the server takes the successor ({@linkcode withSuccessors}). A
 *    refusal keeps nothing else from being done.
 *
 * Guarantees: only objects that were applied from a source are ever deleted, and none that another source wants, or may want:
 * that source takes it over. A start does all of this anew, so that it leads to the same as if the program had never ended.
 *
 * Caveats: a change by hand on the server is set back when the object's manifest changes, or at the next start.
 */
export class SourcesFollower {
  readonly #client: KubeClient;
  readonly #report: (news: FileNews) => void;
  readonly #reasonsOf: ReasonsOf;
  readonly #followed: readonly Followed[];
  #mustTryAgain = false;

  constructor(
    readonly sources: readonly FileSource[],
    { client, report, reasonsOf = () => Promise.resolve([]) }: {
      client: KubeClient;
      report: (news: FileNews) => void;
      reasonsOf?: ReasonsOf;
    },
  ) {
    this.#client = client;
    this.#report = report;
    this.#reasonsOf = reasonsOf;
    this.#followed = sources.map((source) => (
      { source, text: undefined, claimed: undefined, done: new Map(), notes: new Set() }
    ));
  }

  /** The sources' texts at the last look. */
  get texts(): readonly (SourceText | undefined)[] {
    return this.#followed.map(({ text }) => text);
  }

  /**
   * Looks at the sources, and applies and deletes by the plan. Returns the sources that cannot be read, and of which the server
   * has no object either.
   *
   * @throws when the server cannot be asked; nothing is lost then, and the next call does it
   */
  async look(): Promise<{ readonly source: FileSource; readonly reason: string }[]> {
    const texts = await readAll(this.sources);
    if (!this.#mustTryAgain && isDeepStrictEqual(texts, this.texts)) return [];
    this.#mustTryAgain = true;
    const objects = new AppliedObjects(this.#client);
    const all = await objects.all();
    const looks = this.#followed.map((followed, i) => lookAt(followed, texts[i]!, all));
    const plans = planAll(looks);
    const works: Work[] = [];
    for (const [i, look] of looks.entries()) {
      const tryOut = (wanted: Wanted) => objects.apply(wanted, look.source.id, { dryRun: true });
      const { plan, refused, staying } = await withSuccessors(plans[i]!, look.applied, tryOut);
      const work: Work = { ...look, plan, staying, refusals: [], taken: [] };
      for (const { wanted, error } of refused) await this.#noteRefusal(work, wanted, error);
      works.push(work);
    }
    for (const work of works) for (const each of work.plan.removeFirst) await this.#remove(work, each, objects);
    for (const work of works) for (const each of work.plan.apply) await this.#apply(work, each, objects);
    for (const work of works) for (const each of work.plan.remove) await this.#remove(work, each, objects);
    for (const work of works) {
      this.#reportNotes(work, [...work.plan.faults, ...work.refusals], remarksOn(work, all, this.sources));
      noteLook(work, all);
    }
    this.#mustTryAgain = works.some(({ refusals }) => refusals.length > 0);
    return works.flatMap(({ source, text, applied }) =>
      text.kind === "gone" && applied.length === 0 ? [{ source, reason: text.reason }] : []
    );
  }

  async #apply(work: Work, wanted: Wanted, objects: AppliedObjects): Promise<void> {
    try {
      const { object: { metadata } } = await objects.apply(wanted, work.source.id);
      work.followed.done.set(identityOf(wanted), textOf(wanted));
      work.taken.push(wanted);
      const isAsBefore = work.applied.some(({ object: { metadata: { uid, resourceVersion } } }) =>
        uid === metadata.uid && resourceVersion === metadata.resourceVersion
      );
      const detail = `${titleOf(wanted)}  ${wanted.file}:${wanted.position("").line}`;
      if (!isAsBefore) this.#report({ kind: "applied", detail });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.#noteRefusal(work, wanted, error);
    }
  }

  async #noteRefusal({ followed, refusals }: Work, wanted: Wanted, error: ApiError): Promise<void> {
    followed.done.delete(identityOf(wanted));
    refusals.push(...refusalsOf(wanted, error, await this.#reasonsOf(wanted, error)));
  }

  async #remove({ source: { path }, refusals }: Work, applied: Applied, objects: AppliedObjects): Promise<void> {
    const error = await refusalOf(objects.remove(applied));
    if (!error) return this.#report({ kind: "deleted", detail: `${titleOf(applied)}  no longer in ${path}` });
    // The object is gone, or another has taken its place.
    if (error.isNotFound || error.isConflict) return;
    const { kind, metadata: { name } } = applied.object;
    refusals.push({ file: path, message: `Cannot delete ${kind} ${name}: ${error.message}` });
  }

  #reportNotes({ followed }: Work, faults: readonly FileNote[], remarks: readonly FileNote[]): void {
    const notes = new Set<string>();
    const once = (note: FileNote, kind: FileNews["kind"]) => {
      const detail = formatNote(note);
      if (!notes.has(detail) && !followed.notes.has(detail)) this.#report({ kind, detail });
      notes.add(detail);
    };
    for (const fault of faults) once(fault, "refused");
    for (const remark of remarks) once(remark, "note");
    followed.notes = notes;
  }
}

/** The work under way for a source. */
interface Work extends ReturnType<typeof lookAt>, Pick<SafePlan, "plan" | "staying"> {
  /** Objects that the server accepted. */
  readonly taken: Wanted[];
  /** Faults of the objects that it refused. */
  readonly refusals: FileNote[];
}

function lookAt(followed: Followed, text: SourceText, all: readonly Applied[]) {
  const { source, claimed, done } = followed;
  const applied = all.filter(({ sourceId }) => sourceId === source.id);
  const there = new Set(applied.map(identityOf));
  // Another source may have taken an applied object over, or a user may have deleted it.
  const isDone = (wanted: Wanted) => {
    const identity = identityOf(wanted);
    return there.has(identity) && done.get(identity) === textOf(wanted);
  };
  return { followed, source, text, reading: source.understand(text, applied), applied, claimed, isDone };
}

/** Remembers the facts of a look that the next look needs. */
function noteLook({ followed, source, text, reading }: Work, all: readonly Applied[]): void {
  followed.text = text;
  if (source.isEmpty(text)) return;
  const wanted = new Set(reading.wanted.map(identityOf));
  const claimed = all.filter((each) =>
    each.sourceId !== source.id && (wanted.has(identityOf(each)) || reading.mayMean(each))
  );
  followed.claimed = new Set(claimed.map(identityOf));
}

/** Reads all sources at once. */
export async function readAll(sources: readonly FileSource[]): Promise<SourceText[]> {
  return await Promise.all(sources.map((source) => source.read()));
}

function textOf({ object, origin }: Wanted): string {
  return JSON.stringify([object, origin]);
}
