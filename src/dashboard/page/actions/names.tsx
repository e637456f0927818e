import type { Row } from "../../wire.ts";
import { nameOf } from "../model/order.ts";

export function Names({ rows }: { rows: readonly Row[] }) {
  return (
    <ul class="well names" tabindex={0} aria-label="CronJobs">
      {rows.map((row) => <li key={row.id} dir="auto">{nameOf(row)}</li>)}
    </ul>
  );
}
