import type { Row } from "../../wire.ts";
import { address } from "../model/address.ts";
import { rows } from "../model/live_rows.ts";
import { grouped } from "../model/numbers.ts";
import { namespacesOf } from "../model/order.ts";
import { actionsOn, useRights } from "../model/rights.ts";
import { select, selection } from "../model/selection.ts";
import { useValue } from "../model/value.ts";
import { askTo } from "./act.ts";
import { TEXTS } from "./texts.ts";
import { Button } from "../parts/elements.tsx";

/** Ticks these rows. */
export function Tick({ rows, label }: { rows: readonly Row[]; label: string }) {
  const selected = useValue(selection);
  const count = rows.reduce((sum, { id }) => selected.has(id) ? sum + 1 : sum, 0);
  return (
    <input
      type="checkbox"
      class="tick"
      aria-label={`Select ${label}`}
      checked={count > 0 && count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={(event) => select(rows.map(({ id }) => id), event.currentTarget.checked)}
    />
  );
}

/** The actions on all CronJobs that are ticked. */
export function SelectionBar() {
  const ids = useValue(selection);
  const all = useValue(rows);
  const { view } = useValue(address);
  const chosen = Array.from(ids).flatMap((id) => all.get(id) ?? []);
  const namespaces = namespacesOf(chosen);
  // There one acts on what is shown.
  if (chosen.length === 0 || view === "cronjob") return null;
  return (
    <div class="card bar selection" role="region" aria-label="Selection">
      <strong class="num">{grouped(chosen.length)} selected</strong>
      <ForAll key={namespaces.join(" ")} rows={chosen} namespaces={namespaces} />
      <Button class="plain" onClick={() => selection.set(new Set())}>Clear</Button>
    </div>
  );
}

const ACTIONS: readonly (keyof typeof TEXTS)[] = ["run", "pause", "resume", "delete-job", "backfill"];

/** An action that suits only some of the CronJobs is done to these. The namespaces stay the same as long as it lives. */
function ForAll({ rows, namespaces }: { rows: readonly Row[]; namespaces: readonly string[] }) {
  const rights = Object.fromEntries(namespaces.map((namespace) => [namespace, useRights(namespace)]));
  const possible = rows.map((row) => ({ row, actions: actionsOn(row, rights[row.namespace]) }));
  return (
    <div class="bar actions">
      {ACTIONS.map((action) => {
        const fits = possible.filter(({ actions }) => actions.includes(action)).map(({ row }) => row);
        if (fits.length === 0) return null;
        return (
          <Button key={action} onClick={() => askTo(action, fits)}>
            {TEXTS[action].button}
            {fits.length < rows.length && <span class="num">({grouped(fits.length)})</span>}
          </Button>
        );
      })}
    </div>
  );
}
