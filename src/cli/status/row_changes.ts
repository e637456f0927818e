import type { CronJobView } from "../../view/cron_job_view.ts";
import { jsonOf } from "../../view/json.ts";

/** Finds the rows that differ from those that were shown before, however the time since has passed. */
export class RowChanges {
  #before = new Map<string, string>();

  /** Of those that are shown no longer, such as one that is fine again, how it is now is a change; others are gone. */
  since(views: readonly CronJobView[], rows: readonly CronJobView[]) {
    const before = this.#before;
    const isRow = new Set(rows);
    this.#before = new Map(rows.map((view) => [keyOf(view), JSON.stringify(jsonOf(view))]));
    const left = views.filter((view) => !isRow.has(view) && before.has(keyOf(view)));
    const changed = rows.filter((view) => this.#before.get(keyOf(view)) !== before.get(keyOf(view)));
    const there = new Set(views.map(keyOf));
    return { changed: [...changed, ...left], gone: [...before.keys()].filter((key) => !there.has(key)) };
  }
}

function keyOf({ apiVersion, namespace, name }: CronJobView): string {
  return `CronJob ${namespace}/${name} (${apiVersion})`;
}
