// @ts-check
/** @import { DetailRun, Row } from "../../wire.ts" */
import { html } from "../html.js";
import { setParams } from "../model/address.js";
import { useNow } from "../model/clock.js";
import { duration, lasting } from "../model/times.js";
import { OUTCOMES, runShape } from "../parts/run_shapes.js";
import { When } from "../parts/time_text.js";

/** The newest first. @param {{ runs: readonly DetailRun[], row: Row, shownJob: string | undefined, mayReadLogs: boolean, onShow: (job: string) => void }} props */
export function Runs({ runs, row, shownJob, mayReadLogs, onShow }) {
  const longest = Math.max(1, ...runs.map(({ ms = 0 }) => ms));
  return html`
    <section class="panel" aria-labelledby="runs">
      <h2 id="runs">Runs${row.durations && html`
        <span class="quiet num">half take less than ${duration(
          row.durations.p50Seconds * 1_000,
        )}, 95 % less than ${duration(row.durations.p95Seconds * 1_000)}</span>
      `}</h2>
      ${runs.length === 0 ? html`<p class="quiet">It has not run yet.</p>` : html`
        <div class="wide">
          <table class="runs-table">
            <thead>
              <tr>
                <th scope="col">Time <span class="quiet"><bdi>${row.zone}</bdi></span></th>
                <th scope="col">Outcome</th>
                <th scope="col" class="late">Started</th>
                <th scope="col" class="took">Took</th>
                <td class="bar-cell"></td>
                <th scope="col">Why</th>
                <th scope="col">Logs</th>
              </tr>
            </thead>
            <tbody>
            ${runs.map((run) =>
              html`
                <${Run} key=${`${run.scheduledTime} ${run.job} ${run.startedAt}`} run=${run} zone=${row
                  .zone} longest=${longest} isShown=${run.job !== undefined && run.job === shownJob}
                  mayReadLogs=${mayReadLogs} onShow=${onShow} />
              `
            )}
          </tbody>
          </table>
        </div>
      `}
    </section>
  `;
}

const TRIGGERS = { Schedule: "", Manual: "by hand", Backfill: "back-fill" };

/** @param {{ run: DetailRun, zone: string, longest: number, isShown: boolean, mayReadLogs: boolean, onShow: (job: string) => void }} props */
function Run({ run, zone, longest, isShown, mayReadLogs, onShow }) {
  const { scheduledTime, startedAt, outcome, trigger, ms, reason, job } = run;
  const at = scheduledTime ?? startedAt;
  return html`
    <tr class=${isShown ? "shown" : ""}>
      <td class="num"><span class="line nowrap">${at !== undefined &&
        html`<${When} at=${at} zone=${zone} isFull=${true} />`}${TRIGGERS[trigger] &&
        html`<span class="tag">${TRIGGERS[trigger]}</span>`}</span></td>
      <td
        class=${`outcome is-${outcome}`}><svg width="12" height="18" aria-hidden="true">${runShape({
          outcome,
          x: 3,
          y: 16,
          width: 6,
          height: 14,
        })}</svg>${capital(
          OUTCOMES[outcome],
        )}</td>
      <td class="num late">${scheduledTime !== undefined && startedAt !== undefined && trigger === "Schedule" &&
        `+${duration(Math.max(0, startedAt - scheduledTime))}`}</td>
      <td class="num took">${ms !== undefined
        ? duration(ms)
        : outcome === "Running" && startedAt !== undefined
        ? html`<${SoFar} since=${startedAt} />`
        : ""}</td>
      <td class="bar-cell">${ms !== undefined && html`
        <svg width="100%" height="8" aria-hidden="true">
          <rect class=${`took-bar is-${outcome}`} width=${`${Math.max(2, 100 * ms / longest)}%`} height="8" rx="2" />
        </svg>
      `}</td>
      <td><span class="line nowrap"><bdi>${reason}</bdi>${outcome !== "Succeeded" &&
        html`<button class="small" aria-label=${`Explain ${job ?? "this run"}`} onClick=${() =>
          setParams({ why: job ?? `at=${new Date(at ?? 0).toISOString()}` })}>Explain</button>`}</span></td>
      <td>${mayReadLogs && job !== undefined &&
        html`<button class="small" aria-pressed=${String(isShown)} aria-label=${`Logs of ${job}`} onClick=${() =>
          onShow(job)}>Logs</button>`}</td>
    </tr>
  `;
}

/** @param {{ since: number }} props */
function SoFar({ since }) {
  const now = useNow();
  return html`${lasting(now - since)} so far`;
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
