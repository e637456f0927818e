import { APPLIED_FROM } from "./applied_objects.ts";
import type { SourceLook } from "./plan.ts";
import { type Applied, type FileNote, type FileSource, groupOf, identityOf, titleOf, type Wanted } from "./source.ts";
import type { SafePlan } from "./successors.ts";

/** Remarks on the work for a source. */
interface Done extends SourceLook, Pick<SafePlan, "plan" | "staying"> {
  readonly source: FileSource;
  readonly taken: readonly Wanted[];
}

/** Returns what people should know of a source beside what is wrong: what is taken over, and what stays. */
export function remarksOn(done: Done, all: readonly Applied[], sources: readonly FileSource[]): FileNote[] {
  const { source, text, reading, plan, staying } = done;
  const { path: file } = source;
  return [
    ...reading.remarks,
    ...takeovers(done, all, sources),
    ...source.isEmpty(text) ? emptiness(done) : plan.spared.map((each) => ({
      file,
      message: stays(each, "though no file has it any more: all that is in it would go too"),
    })),
    ...staying.map(({ object: { kind, metadata: { name } } }) => ({
      file,
      message: `${kind} ${name} stays until the server takes the CronJobs that stand in its place`,
    })),
    ...plan.doubted.map(({ applied, by, reason }) => ({
      file,
      message: stays(applied, `as ${by} may have it: ${reason}`),
    })),
  ];
}

/** Says what is taken over from other sources: those that are followed, and those of former starts. */
function takeovers(
  { source, taken: objects }: Done,
  all: readonly Applied[],
  sources: readonly FileSource[],
): FileNote[] {
  const former = new Map(all.map((each) => [identityOf(each), each.sourceId]));
  const taken = Map.groupBy(objects, (wanted) => former.get(identityOf(wanted)) ?? source.id);
  taken.delete(source.id);
  return Array.from(taken, ([sourceId, objects]) => {
    const other = sources.find(({ id }) => id === sourceId)?.path;
    const from = other ?? `a folder or crontab that is not followed now (${sourceId})`;
    const [first, ...others] = objects as [Wanted, ...Wanted[]];
    if (others.length > 0) {
      return { file: source.path, message: `${objects.length} objects are taken over from ${from}` };
    }
    const message = `${titleOf(first)} is taken over from ${from}`;
    return { file: first.file, ...first.position("metadata.name"), message };
  });
}

/** Says why nothing is deleted, if there is anything. */
function emptiness({ source: { path: file, id }, text, plan: { spared } }: Done): FileNote[] {
  const reason = text.kind === "gone" ? text.reason : "there is nothing in it";
  if (spared.length === 0) return text.kind === "gone" ? [{ file, message: reason }] : [];
  const kinds = [...new Set(spared.map(kindForKubectl))].join(",");
  const command = `kubectl delete ${kinds} --all-namespaces --selector ${APPLIED_FROM}=${id}`;
  const what = spared.length === 1 ? "the one object" : `the ${spared.length} objects`;
  return [{ file, message: `${reason}: ${what} applied from it stay${spared.length === 1 ? "s" : ""}; ${command}` }];
}

function stays(applied: Applied, why: string): string {
  const { kind, metadata: { namespace, name } } = applied.object;
  const where = namespace === undefined ? "" : ` --namespace ${namespace}`;
  return `${kind} ${name} stays, ${why}; kubectl delete ${kindForKubectl(applied)} ${name}${where}`;
}

/** `cronjob.cronjob-controller.dev`: without the group, kubectl takes the kind of that name in `batch`. */
function kindForKubectl({ object: { apiVersion, kind } }: Applied): string {
  return [kind.toLowerCase(), groupOf(apiVersion)].filter((part) => part !== "").join(".");
}
