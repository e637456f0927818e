import type { DetailRun, Row } from "../../wire.ts";
import { setParams } from "../model/address.ts";
import { useNow } from "../model/clock.ts";
import { distanceOf, durationText } from "../../../view/times.ts";
import { type Watched, watchedInWords } from "../../../view/watched.ts";
import { TRIGGERS } from "../../../view/cron_job_view.ts";
import { OutcomeLabel } from "../parts/run_shapes.tsx";
import { bringIntoView, Button, type Column, Panel, Table } from "../parts/elements.tsx";
import { When, ZoneName } from "../parts/time_text.tsx";

interface RunsProps {
  /** The newest first; undefined while others are looked for. */
  readonly runs: readonly DetailRun[] | undefined;
  readonly note: string | undefined;
  /** The month or the day that they are of; "" for the newest. */
  readonly days: string;
  /** When they were watched; undefined where none is remembered. */
  readonly watched: Watched | undefined;
  readonly row: Row;
  readonly shownJob: string | undefined;
  readonly mayReadLogs: boolean;
  readonly onShow: (job: string) => void;
}

export function Runs({ runs, note, days, watched, ...props }: RunsProps) {
  const { row: { durations, zone }, mayReadLogs } = props;
  const columns: Column[] = [
    [["Time ", <ZoneName key="zone" of={zone} />], ""],
    "Outcome",
    ...mayReadLogs ? ["Logs"] : [],
    ["Started", "late"],
    ["Took", "right"],
    "Why",
  ];
  const aside = days === ""
    ? durations && (
      <span class="quiet num">
        median {durationText(durations.p50Seconds * 1_000)} · p95 {durationText(durations.p95Seconds * 1_000)}
      </span>
    )
    : <Button class="small" onClick={() => setParams({ days: "" })}>Show the newest</Button>;
  return (
    <Panel id="runs" title={days === "" ? "Runs" : `Runs of ${days}`} aside={aside}>
      {!runs?.length
        ? <p class="quiet">{!runs ? "Looking…" : note ? "All known runs succeeded." : "No run is known."}</p>
        : (
          <Table class="runs-table" columns={columns}>
            {runs.map((run) => <Run key={`${run.scheduledTime} ${run.job} ${run.startedAt}`} run={run} {...props} />)}
          </Table>
        )}
      {runs && note && <p class="quiet">{note}</p>}
      {runs && watched && <p class="quiet">{watchedInWords(watched, zone)}.</p>}
    </Panel>
  );
}

function Run(
  { run, row: { zone }, shownJob, mayReadLogs, onShow }: Omit<RunsProps, "runs" | "note" | "days" | "watched"> & {
    run: DetailRun;
  },
) {
  const { scheduledTime, startedAt, outcome, trigger, ms, reason, why, job } = run;
  const at = scheduledTime ?? startedAt;
  const isShown = job !== undefined && job === shownJob;
  const explain = () => {
    setParams({ why: job ?? `at=${new Date(at ?? 0).toISOString()}` });
    bringIntoView("why");
  };
  return (
    <tr class={isShown ? "shown" : ""}>
      <td class="num">
        <span class="line">
          {at !== undefined && <When at={at} zone={zone} isFull />}
          {trigger !== "Schedule" && <span class="tag">{TRIGGERS[trigger]}</span>}
        </span>
      </td>
      <td>
        <OutcomeLabel outcome={outcome} />
      </td>
      {mayReadLogs && (
        <td>
          {job !== undefined && (
            <Button
              class="small"
              aria-pressed={isShown}
              aria-label={`Logs of ${job}`}
              onClick={() => onShow(job)}
            >
              Logs
            </Button>
          )}
        </td>
      )}
      <td class="num late">
        {scheduledTime !== undefined && startedAt !== undefined && trigger === "Schedule" &&
          `+${distanceOf(scheduledTime, startedAt)}`}
      </td>
      <td class="num right">
        {ms !== undefined
          ? durationText(ms)
          : outcome === "Running" && startedAt !== undefined && <SoFar since={startedAt} />}
      </td>
      <td>
        <span class="line">
          <bdi title={reason}>{why ?? reason}</bdi>
          {outcome !== "Succeeded" && (
            <Button class="small" aria-label={`Explain ${job ?? "this run"}`} onClick={explain}>
              Explain
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function SoFar({ since }: { since: number }) {
  return <>{distanceOf(since, useNow())} so far</>;
}
