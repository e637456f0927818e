import type { DetailRun, Row } from "../../wire.ts";
import { setParams } from "../model/address.ts";
import { useNow } from "../model/clock.ts";
import { distanceOf, durationText } from "../../../view/times.ts";
import { OUTCOMES, runShape } from "../parts/run_shapes.tsx";
import { bringIntoView } from "../parts/bring_into_view.ts";
import { When, ZoneName } from "../parts/time_text.tsx";

/** The newest first. */
export function Runs(
  { runs, row, shownJob, mayReadLogs, onShow }: {
    runs: readonly DetailRun[];
    row: Row;
    shownJob: string | undefined;
    mayReadLogs: boolean;
    onShow: (job: string) => void;
  },
) {
  const longest = Math.max(1, ...runs.map(({ ms = 0 }) => ms));
  return (
    <section class="panel" aria-labelledby="runs">
      <h2 id="runs">
        Runs{row.durations && (
          <span class="quiet num">
            median {durationText(row.durations.p50Seconds * 1_000)} · p95{" "}
            {durationText(row.durations.p95Seconds * 1_000)}
          </span>
        )}
      </h2>
      {runs.length === 0 ? <p class="quiet">It has not run yet.</p> : (
        <div class="wide">
          <table class="runs-table">
            <thead>
              <tr>
                <th scope="col">
                  Time <ZoneName of={row.zone} />
                </th>
                <th scope="col">Outcome</th>
                {mayReadLogs && <th scope="col">Logs</th>}
                <th scope="col" class="late">Started</th>
                <th scope="col" class="took">Took</th>
                <td class="bar-cell"></td>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <Run
                  key={`${run.scheduledTime} ${run.job} ${run.startedAt}`}
                  run={run}
                  zone={row.zone}
                  longest={longest}
                  isShown={run.job !== undefined && run.job === shownJob}
                  mayReadLogs={mayReadLogs}
                  onShow={onShow}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const TRIGGERS = { Schedule: "", Manual: "by hand", Backfill: "back-fill" };

function Run(
  { run, zone, longest, isShown, mayReadLogs, onShow }: {
    run: DetailRun;
    zone: string;
    longest: number;
    isShown: boolean;
    mayReadLogs: boolean;
    onShow: (job: string) => void;
  },
) {
  const { scheduledTime, startedAt, outcome, trigger, ms, reason, why, job } = run;
  const at = scheduledTime ?? startedAt;
  return (
    <tr class={isShown ? "shown" : ""}>
      <td class="num">
        <span class="line nowrap">
          {at !== undefined &&
            <When at={at} zone={zone} isFull />}
          {TRIGGERS[trigger] &&
            <span class="tag">{TRIGGERS[trigger]}</span>}
        </span>
      </td>
      <td class={`outcome is-${outcome}`}>
        <svg width="12" height="18" aria-hidden="true">
          {runShape({
            outcome,
            x: 3,
            y: 16,
            width: 6,
            height: 14,
          })}
        </svg>
        {capital(OUTCOMES[outcome])}
      </td>
      {mayReadLogs && (
        <td>
          {job !== undefined &&
            (
              <button
                type="button"
                class="small"
                aria-pressed={isShown}
                aria-label={`Logs of ${job}`}
                onClick={() => onShow(job)}
              >
                Logs
              </button>
            )}
        </td>
      )}
      <td class="num late">
        {scheduledTime !== undefined && startedAt !== undefined && trigger === "Schedule" &&
          `+${distanceOf(scheduledTime, startedAt)}`}
      </td>
      <td class="num took">
        {ms !== undefined
          ? durationText(ms)
          : outcome === "Running" && startedAt !== undefined
          ? <SoFar since={startedAt} />
          : ""}
      </td>
      <td class="bar-cell">
        {ms !== undefined && (
          <svg width="100%" height="8" aria-hidden="true">
            <rect class={`took-bar is-${outcome}`} width={`${Math.max(2, 100 * ms / longest)}%`} height="8" rx="2" />
          </svg>
        )}
      </td>
      <td>
        <span class="line nowrap">
          <bdi title={reason}>{why ?? reason}</bdi>
          {outcome !== "Succeeded" &&
            (
              <button
                type="button"
                class="small"
                aria-label={`Explain ${job ?? "this run"}`}
                onClick={() => {
                  setParams({ why: job ?? `at=${new Date(at ?? 0).toISOString()}` });
                  bringIntoView("why");
                }}
              >
                Explain
              </button>
            )}
        </span>
      </td>
    </tr>
  );
}

function SoFar({ since }: { since: number }) {
  const now = useNow();
  return <>{distanceOf(since, now)} so far</>;
}

function capital(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
