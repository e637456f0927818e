import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { APPLIED_FROM, AppliedObjects } from "./applied_objects.ts";
import { doubtOf, type OtherSource } from "./doubt.ts";
import { type FileNews, formatNote } from "./news.ts";
import { withSuccessors } from "./successors.ts";
import { describe, type Doubted, type Elsewhere, identityOfWanted, placeOf, type Plan, planOf } from "./plan.ts";
import { type ReasonsOf, refusalsOf } from "./refusal.ts";
import {
  type Applied,
  type FileNote,
  type FileSource,
  groupOf,
  identityOf,
  isSameText,
  type SourceText,
  type Wanted,
} from "./source.ts";

/**
 * Keeps on the server what one source wants.
 *
 * Flow
 * 1. It reads the source. If that says what it said before, and nothing was refused then, that is all.
 * 2. It asks the server which objects it has of the source, by their label; {@linkcode planOf} says what is to be done.
 * 3. It applies what has changed, then deletes what is not wanted any more; CronJobs go first, so that
 *    none runs a time that its successor runs, and only once the server takes that ({@linkcode withSuccessors}). One refusal keeps nothing else from being done.
 *
 * Guarantees: only what was applied from the source is ever deleted, and nothing that another source wants, or may want, which
 * is followed too: that one takes it over. A start does all of it anew, so that it leads to the
 * same as if the program had been there all the time.
 *
 * Caveats: what is changed on the server by hand is set back when its manifest changes, or at the next start.
 */
export class SourceFollower {
  readonly source: FileSource;
  readonly #client: KubeClient;
  readonly #report: (news: FileNews) => void;
  readonly #beside: readonly SourceFollower[];
  readonly #reasonsOf: ReasonsOf;
  /** What was applied by this process, by identity. */
  readonly #done = new Map<string, string>();
  #text: SourceText | undefined;
  /** What is wrong now; each is reported once. */
  #notes = new Set<string>();
  #kept = 0;
  #mustTryAgain = false;
  #isHeir = false;
  /** What it wants, or may want, of what others have applied, as of the last look at which there was something in it. */
  #contested: ReadonlySet<string> | undefined;
  #isUnsettled = false;
  /** What was left for others at the last look. */
  #handedOver = new Set<string>();

  /** @param options.beside the followers of all sources, once they are made; it may be among them */
  constructor(
    source: FileSource,
    options: {
      client: KubeClient;
      report: (news: FileNews) => void;
      beside?: readonly SourceFollower[];
      reasonsOf?: ReasonsOf;
    },
  ) {
    this.source = source;
    this.#client = options.client;
    this.#report = options.report;
    this.#beside = options.beside ?? [];
    this.#reasonsOf = options.reasonsOf ?? (() => Promise.resolve([]));
  }

  /** What stood in the source at the last look. */
  get text(): SourceText | undefined {
    return this.#text;
  }

  /** Why the source could not be read at the last look, if nothing of it was known either. */
  get unknownBecause(): string | undefined {
    return this.#text?.kind === "gone" && this.#kept === 0 ? this.#text.reason : undefined;
  }

  /** Whether something waits for it that another source wants no more. */
  get isHeir(): boolean {
    return this.#isHeir;
  }

  /** Whether something waits for another source to be looked at. */
  get isUnsettled(): boolean {
    return this.#isUnsettled;
  }

  /**
   * Looks at the source, and does what is to be done.
   *
   * @throws when the server cannot be asked; nothing is lost then, and the next call does it
   */
  async look(): Promise<void> {
    const text = await this.source.read();
    if (this.#text !== undefined && isSameText(text, this.#text) && !this.#mustTryAgain && !this.#isHeir) return;
    this.#mustTryAgain = true;
    this.#isHeir = false;
    const objects = new AppliedObjects(this.#client);
    const all = await objects.all();
    const applied = this.#own(all);
    const others = await this.#others(all);
    const elsewhere = this.#wantedElsewhere(others, all);
    const reading = this.source.understand(text, applied);
    const isEmpty = this.source.isEmpty(text);
    const there = new Set(applied.map(identityOf));
    // Another source may have taken it over, or it was deleted by hand.
    const isDone = (wanted: Wanted) => {
      const identity = identityOfWanted(wanted);
      return there.has(identity) && this.#done.get(identity) === textOf(wanted);
    };
    const wholePlan = planOf({
      reading,
      isEmpty,
      applied,
      elsewhere,
      doubtOf: (each) => others.map((other) => doubtOf(other, each)).find((doubt) => doubt !== undefined),
      isDone,
    });
    const tryOut = (wanted: Wanted) => objects.apply(wanted, this.source.id, { dryRun: true });
    const { plan, refused, staying } = await withSuccessors(wholePlan, applied, tryOut);
    const takenOver = this.#takeovers(plan.apply, all);
    const refusals = await this.#carryOut(plan, applied, objects);
    for (const { wanted, error } of refused) refusals.push(...await this.#refused(wanted, error));
    this.#handOver(plan.handedOver);
    const left = isEmpty ? this.#emptiness(text, plan.spared) : plan.spared.map((each) => this.#leftAlone(each));
    this.#reportNotes([...plan.faults, ...refusals], [
      ...reading.remarks,
      ...takenOver,
      ...left,
      ...staying.map(({ kind, name }) => ({
        file: this.source.path,
        message: `${kind} ${name} stays until the server takes the CronJobs that stand in its place`,
      })),
      ...plan.doubted.flatMap((each) => this.#doubted(each)),
    ]);
    this.#text = text;
    // Whether others take over what was left for them is for the next look.
    this.#mustTryAgain = [refusals, plan.doubted, plan.handedOver].some(({ length }) => length > 0);
    this.#isUnsettled = plan.doubted.some(({ doubt }) => doubt.kind === "unsettled");
    if (!isEmpty) {
      const inVain = reading.wanted.map(identityOfWanted).filter((identity) => elsewhere.get(identity)?.isApplied);
      const ofOthers = all.filter((each) => each.sourceId !== this.source.id && reading.mayName(each));
      this.#contested = new Set([...inVain, ...ofOthers.map(identityOf)]);
    }
    this.#kept = applied.length;
  }

  #own(all: readonly Applied[]): Applied[] {
    return all.filter(({ sourceId }) => sourceId === this.source.id);
  }

  /** What other sources say now: their files may have changed since they were last looked at. */
  async #others(all: readonly Applied[]): Promise<OtherSource[]> {
    const others: OtherSource[] = [];
    for (const other of this.#beside) {
      if (other === this) continue;
      const own = other.#own(all);
      const { source } = other;
      const text = await source.read();
      const reading = source.understand(text, own);
      const hasApplied = own.length > 0;
      others.push({ source, text, reading, known: other.#text, contested: other.#contested, hasApplied });
    }
    return others;
  }

  #wantedElsewhere(others: readonly OtherSource[], all: readonly Applied[]): Map<string, Elsewhere> {
    const elsewhere = new Map<string, Elsewhere>();
    for (const { source, reading } of others) {
      const own = all.filter(({ sourceId }) => sourceId === source.id);
      const applied = new Set(own.map(identityOf));
      for (const wanted of reading.wanted) {
        const identity = identityOfWanted(wanted);
        const isApplied = applied.has(identity);
        if (isApplied || !elsewhere.has(identity)) elsewhere.set(identity, { place: placeOf(wanted), isApplied });
      }
    }
    return elsewhere;
  }

  /** Leaves objects for others to apply, which then are theirs. */
  #handOver(objects: readonly Applied[]): void {
    const before = this.#handedOver;
    this.#handedOver = new Set(objects.map(identityOf));
    // What the server refuses to others is theirs to try again.
    if (this.#handedOver.isSubsetOf(before)) return;
    for (const other of this.#beside) other.#isHeir = other !== this;
  }

  /** Says what is taken over from other sources: those that are followed, and those of former starts. */
  #takeovers(apply: readonly Wanted[], all: readonly Applied[]): FileNote[] {
    const former = new Map(all.map((each) => [identityOf(each), each.sourceId]));
    const taken = Map.groupBy(apply, (wanted) => former.get(identityOfWanted(wanted)) ?? this.source.id);
    taken.delete(this.source.id);
    return Array.from(taken, ([sourceId, objects]) => {
      const other = this.#beside.find(({ source }) => source.id === sourceId)?.source.path;
      const from = other ?? `a folder or crontab that is not followed now (${sourceId})`;
      const [first, ...others] = objects as [Wanted, ...Wanted[]];
      if (others.length > 0) {
        return { file: this.source.path, message: `${objects.length} objects are taken over from ${from}` };
      }
      const message = `${describe(first)} is taken over from ${from}`;
      return { file: first.file, ...first.position("metadata.name"), message };
    });
  }

  async #carryOut(plan: Plan, before: readonly Applied[], objects: AppliedObjects): Promise<FileNote[]> {
    const refusals: FileNote[] = [];
    for (const applied of plan.removeFirst) refusals.push(...await this.#remove(applied, objects));
    const versions = new Map(before.map(({ uid, resourceVersion }) => [uid, resourceVersion]));
    for (const wanted of plan.apply) {
      try {
        const { uid, resourceVersion } = await objects.apply(wanted, this.source.id);
        this.#done.set(identityOfWanted(wanted), textOf(wanted));
        if (versions.get(uid) !== resourceVersion) this.#report({ kind: "applied", wanted });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refusals.push(...await this.#refused(wanted, error));
      }
    }
    for (const applied of plan.remove) refusals.push(...await this.#remove(applied, objects));
    return refusals;
  }

  async #refused(wanted: Wanted, error: ApiError): Promise<FileNote[]> {
    this.#done.delete(identityOfWanted(wanted));
    return refusalsOf(wanted, error, await this.#reasonsOf(wanted, error));
  }

  async #remove(applied: Applied, objects: AppliedObjects): Promise<FileNote[]> {
    try {
      await objects.remove(applied);
      this.#report({ kind: "deleted", applied, source: this.source.path });
      return [];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // It is gone, or another has taken its place.
      if (error.isNotFound || error.isConflict) return [];
      const { kind, name } = applied;
      return [{ file: this.source.path, message: `Cannot delete ${kind} ${name}: ${error.message}` }];
    }
  }

  /** Why nothing is deleted, if there is anything. */
  #emptiness(text: SourceText, spared: readonly Applied[]): FileNote[] {
    const { path: file, id } = this.source;
    const reason = text.kind === "gone" ? text.reason : "there is nothing in it";
    if (spared.length === 0) return text.kind === "gone" ? [{ file, message: reason }] : [];
    const kinds = [...new Set(spared.map(kindForKubectl))].join(",");
    const command = `kubectl delete ${kinds} --all-namespaces --selector ${APPLIED_FROM}=${id}`;
    const what = spared.length === 1 ? "the one object" : `the ${spared.length} objects`;
    return [{ file, message: `${reason}: ${what} applied from it stay${spared.length === 1 ? "s" : ""}; ${command}` }];
  }

  #leftAlone(applied: Applied): FileNote {
    const { kind, name } = applied;
    const command = `kubectl delete ${kindForKubectl(applied)} ${name}`;
    const message = `${kind} ${name} stays, though no file has it any more: all that is in it would go too; ${command}`;
    return { file: this.source.path, message };
  }

  /** What is only being changed is no news. */
  #doubted({ applied, doubt }: Doubted): FileNote[] {
    if (doubt.kind === "unsettled") return [];
    const { kind, namespace, name } = applied;
    const where = namespace === undefined ? "" : ` --namespace ${namespace}`;
    const command = `kubectl delete ${kindForKubectl(applied)} ${name}${where}`;
    const message = `${kind} ${name} stays, as ${doubt.path} may have it: ${doubt.reason}; ${command}`;
    return [{ file: this.source.path, message }];
  }

  #reportNotes(faults: readonly FileNote[], remarks: readonly FileNote[]): void {
    const notes = new Set<string>();
    const once = (note: FileNote, kind: "refused" | "remark") => {
      const text = formatNote(note);
      if (!notes.has(text) && !this.#notes.has(text)) this.#report({ kind, note });
      notes.add(text);
    };
    for (const fault of faults) once(fault, "refused");
    for (const remark of remarks) once(remark, "remark");
    this.#notes = notes;
  }
}

/** `cronjob.cronjob-controller.dev`: without the group, kubectl takes the kind of that name in `batch`. */
function kindForKubectl({ apiVersion, kind }: Applied): string {
  return [kind.toLowerCase(), groupOf(apiVersion)].filter((part) => part !== "").join(".");
}

function textOf({ object, origin }: Wanted): string {
  return JSON.stringify([object, origin]);
}
