import { formatTime } from "../../schedule/epoch_ms.ts";
import type { SimulationReport } from "../../simulate/report.ts";

/** Returns a line for each run, where they are listed; else for each five minutes. */
export function formatCsv({ load: { cells }, runs }: SimulationReport): string {
  const rows = runs
    ? [
      ["startsAt", "endsAt", "scheduledTime", "namespace", "name", "replaced"],
      ...runs.map((run) => [
        run.startsAt,
        run.endsAt,
        run.scheduledTime ?? "",
        run.namespace,
        run.name,
        String(run.replaced),
      ]),
    ]
    : [
      ["from", "startsInBusiestMinute", "activeAtMost"],
      ...cells.starts.map((starts, i) => [
        formatTime(Date.parse(cells.from) + i * cells.minutes * 60_000),
        String(starts),
        String(cells.active[i]),
      ]),
    ];
  return rows.map((row) => row.map(quoted).join(",")).join("\n");
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
