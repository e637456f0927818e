import type { LoadOfDay } from "../../wire.ts";
import { useState } from "preact/hooks";
import { heatMapOf, levelOf, levelText } from "../../../simulate/heat_map.ts";
import { pageOf } from "../actions/row_actions.tsx";
import { address, setParams } from "../model/address.ts";
import { filterOf } from "../model/filter.ts";
import { grouped } from "../model/numbers.ts";
import { durationText } from "../../../view/times.ts";
import { fullTime } from "../../../schedule/full_time.ts";
import { useZone } from "../model/times.ts";
import { useValue } from "../model/value.ts";
import { useAnswer } from "../parts/answer.ts";
import { Blank } from "../parts/blank.tsx";
import { Loading } from "../parts/loading.tsx";
import { Panel } from "../parts/panel.tsx";
import { When } from "../parts/time_text.tsx";
import { Refusal } from "../server.ts";

/** What the fleet will do within the next day, before it does. */
export function Load() {
  const [looks, setLooks] = useState(0);
  const about = new URLSearchParams(
    filterOf(useValue(address).params.q ?? "").namespaces.map((name) => ["in", name]),
  );
  const { value, error } = useAnswer<LoadOfDay>(`/api/load?${about}`, looks);
  if (error instanceof Refusal && error.code === 404) return <NotShown message={error.message} />;
  if (error) return <Blank icon="trouble" title="The load cannot be shown" error={error.message} />;
  return value ? <Shown report={value} onLook={() => setLooks(looks + 1)} /> : <Loading what="the next day" />;
}

function NotShown({ message }: { message: string }) {
  return (
    <Blank icon="nothing" title="The load is not shown here">
      <bdi>{message}</bdi>
    </Blank>
  );
}

function Shown({ report: inItsZone, onLook }: { report: LoadOfDay; onLook: () => void }) {
  const report = { ...inItsZone, timeZone: useZone(inItsZone.timeZone) };
  const { params } = useValue(address);
  const of = params.of === "active" ? "active" : "starts";
  const { load, timeZone, cronJobs, durations } = report;
  return (
    <>
      <h1 class="unseen">Load</h1>
      <div class="bar tools">
        <div class="bar chips" role="group" aria-label="What is counted">
          <button type="button" class="chip" aria-pressed={of === "starts"} onClick={() => setParams({ of: "" })}>
            Starts in a minute
          </button>
          <button type="button" class="chip" aria-pressed={of === "active"} onClick={() => setParams({ of: "active" })}>
            Active runs
          </button>
        </div>
        <p class="quiet num">
          {grouped(load.runs)} runs of {grouped(cronJobs.total)} CronJobs in the day to come, as of{" "}
          {fullTime(Date.parse(report.from), timeZone)}
          {durations.assumed > 0 &&
            `; ${grouped(durations.assumed)} have not run yet, and are assumed to last ${
              durationText(durations.assumedSeconds * 1_000)
            }`} <button type="button" class="small" onClick={onLook}>Look again</button>
        </p>
      </div>
      <Peaks load={load} zone={timeZone} />
      <div class="columns stack">
        <HeatTable report={report} of={of} />
        <Advice report={report} />
      </div>
      <Busiest report={report} />
    </>
  );
}

function Peaks(
  { load: { peakStarts, peakActive, peakCpu, peakMemory, skipped }, zone }: { load: LoadOfDay["load"]; zone: string },
) {
  const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const peaks = [
    ["Most starts in a minute", grouped(peakStarts.count), peakStarts.minute],
    ["Most active runs", grouped(peakActive.count), peakActive.at],
    ["CPU requested", `${Number(peakCpu.cores.toFixed(1))} cores`, peakCpu.at],
    ["Memory requested", bytes(peakMemory.bytes), peakMemory.at],
    ["Would not start", skips === 0 ? "none" : `${grouped(skips)} ${skips === 1 ? "run" : "runs"}`, ""],
  ];
  return (
    <dl class="card peaks num">
      {peaks.map(([label, value, at]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd class="line">
            <b>{value}</b>
            {at && (
              <span class="quiet">
                at <When at={Date.parse(at)} zone={zone} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function bytes(count: number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  return `${Number((count / 2 ** (10 * power)).toFixed(1))} ${units[power]}`;
}

const TITLES = {
  starts: "Starts in the busiest minute of each five",
  active: "Active runs, at most, in each five minutes",
};

function HeatTable({ report, of }: { report: LoadOfDay; of: "starts" | "active" }) {
  const { columns, rows, levels } = heatMapOf(report, of);
  const { timeZone: zone } = report;
  const what = of === "starts" ? "start in the busiest minute" : "runs are active at most";
  return (
    <Panel id="heat" title={[TITLES[of], " ", <bdi key="zone" class="quiet">{zone}</bdi>]}>
      <div class="wide">
        <table class="heat-map">
          <thead>
            <tr>
              <td></td>
              {columns.map((column) => <th key={column} scope="col">{column}</th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, cells }, index) => (
              <tr key={index}>
                <th scope="row">{label}</th>
                {cells.map((cell, column) => (
                  <td
                    key={column}
                    class={cell ? `level-${levelOf(cell.value, levels)}` : ""}
                    title={cell && `${fullTime(cell.at, zone)}: ${cell.value} ${what}`}
                  >
                    {cell && (cell.value === 0 ? "·" : short(cell.value))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul class="bar legend" aria-label="Colours">
        {levels.map((level, index) => (
          <li key={index}>
            <span class={`swatch level-${index}`} aria-hidden="true"></span>
            {level[1] === 0 ? "none" : levelText(level)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Fits into a cell. */
function short(value: number) {
  return value < 1_000 ? String(value) : `${Math.floor(value / 1_000)}k`;
}

function Advice({ report: { advice, load } }: { report: LoadOfDay }) {
  return (
    <Panel id="advice" title="Advice">
      {advice.length === 0 ? <p class="quiet">No crowd that could be spread.</p> : (
        <ul class="listed">
          {advice.map(({ schedule, count, instead, fields, peakStarts }) => (
            <li key={schedule}>
              <b class="num">{count}</b> of the {load.peakStarts.count} in the busiest minute say{" "}
              <code>
                <bdi>{schedule}</bdi>
              </code>. With{" "}
              <code>
                <bdi>{instead}</bdi>
              </code>{" "}
              in {fields.join(" or ")} the most in a minute is <b class="num">{peakStarts}</b>.
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** So many of those that run longest in all. */
const LISTED = 12;

function Busiest({ report: { objects, from, to } }: { report: LoadOfDay }) {
  const busy = objects.filter(({ runs }) => runs > 0).sort((a, b) =>
    b.runs * b.durationSeconds - a.runs * a.durationSeconds
  ).slice(0, LISTED);
  const spanSeconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  if (busy.length === 0) return null;
  return (
    <Panel id="busiest" title="Busiest">
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">CronJob</th>
              {["Runs", "Each takes", "Active on average", "Would not start"].map((name) => (
                <th key={name} scope="col" class="right">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody class="num">
            {busy.map((
              { apiVersion, namespace, name, runs, durationSeconds, durationIsMeasured, skipped },
            ) => (
              <tr key={`${apiVersion} ${namespace}/${name}`}>
                <th scope="row">
                  <a href={pageOf({ apiVersion, namespace, name })}>
                    <bdi>{namespace}/{name}</bdi>
                  </a>
                </th>
                <td class="right">{grouped(runs)}</td>
                <td class="right">
                  <span class="line right">
                    {!durationIsMeasured && <span class="quiet">assumed</span>}
                    <span>{durationText(durationSeconds * 1_000)}</span>
                  </span>
                </td>
                <td class="right">{(runs * durationSeconds / spanSeconds).toFixed(2)}</td>
                <td class="right">{Object.values(skipped).reduce((sum, count) => sum + count, 0) || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
