import type { Row, Target } from "../../wire.ts";
import { fragmentOf } from "../model/address.ts";
import { actionsOn, isRemedy, jobToRead, useRights } from "../model/rights.ts";
import { targetOfRow } from "./act.ts";
import { askTo } from "./asked.ts";
import { BUTTONS } from "./texts.ts";

/** What one can do about a CronJob: what may not be done is not there. */
export function RowActions({ row, isListed = false }: { row: Row; isListed?: boolean }) {
  const rights = useRights(row.namespace);
  const job = jobToRead(row);
  return (
    <div class="actions">
      {actionsOn(row, rights).map((action, index) => (
        <button
          type="button"
          key={action}
          class={index === 0 && isRemedy(row, action) ? "first" : ""}
          onClick={() => askTo(action, [row])}
        >
          {BUTTONS[action]}
        </button>
      ))}
      {isListed && rights.mayReadLogs && job !== undefined &&
        <a class="button" href={logsOf(row, job)}>Logs</a>}
      {isListed && <a class="button" href={pageOf(row)}>Explain</a>}
    </div>
  );
}

export function logsOf(of: Target, job: string) {
  return fragmentOf({ view: "cronjob", target: of, params: { job } });
}

export function pageOf(row: Row) {
  return fragmentOf({ view: "cronjob", target: targetOfRow(row), params: {} });
}
