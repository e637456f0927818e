import type { LoadOfDay } from "../../wire.ts";
import { useState } from "preact/hooks";
import { type HeatCell, heatMapOf, levelOf, levelText } from "../../../simulate/heat_map.ts";
import { bytesText } from "../../../simulate/requests.ts";
import { pageOf } from "../actions/row_actions.tsx";
import { address, setParams } from "../model/address.ts";
import { filterOf } from "../model/filter.ts";
import { grouped } from "../model/numbers.ts";
import { durationText } from "../../../view/times.ts";
import { fullTime, wallOf } from "../../../schedule/full_time.ts";
import { useZone } from "../model/times.ts";
import { nameOf } from "../model/order.ts";
import { useValue } from "../model/value.ts";
import { useAnswer } from "../parts/answer.ts";
import { Blank, Button, Chips, type Column, Loading, Panel, Table } from "../parts/elements.tsx";
import { When } from "../parts/time_text.tsx";
import { Refusal } from "../server.ts";

/** The forecast of the fleet for the next day. */
export function Load() {
  const [looks, setLooks] = useState(0);
  const about = new URLSearchParams(
    filterOf(useValue(address).params.q ?? "").namespaces.map((name) => ["in", name]),
  );
  const { value, error } = useAnswer<LoadOfDay>(`/api/load?${about}`, looks);
  if (error) {
    return error instanceof Refusal && error.code === 404
      ? <Blank icon="nothing" title="The load is not shown here" error={error.message} />
      : <Blank icon="trouble" title="The load cannot be shown" error={error.message} />;
  }
  return value ? <Shown report={value} onLook={() => setLooks(looks + 1)} /> : <Loading what="the next day" />;
}

const COUNTED = [["Starts in a minute", "starts"], ["Active runs", "active"]] as const;

function Shown({ report: inItsZone, onLook }: { report: LoadOfDay; onLook: () => void }) {
  const report = { ...inItsZone, timeZone: useZone(inItsZone.timeZone) };
  const { params } = useValue(address);
  const of = params.of === "active" ? "active" : "starts";
  const { load, timeZone, cronJobs, durations } = report;
  return (
    <>
      <h1 class="unseen">Load</h1>
      <div class="bar tools">
        <Chips label="What is counted" options={COUNTED} chosen={of} onChoose={(of) => setParams({ of })} />
        <p class="quiet num">
          {grouped(load.runs)} runs of {grouped(cronJobs.total)} CronJobs in the day to come, as of{" "}
          {fullTime(Date.parse(report.from), timeZone)}
          {durations.assumed > 0 &&
            `; ${grouped(durations.assumed)} have not run yet, and are assumed to last ${
              durationText(durations.assumedSeconds * 1_000)
            }`} <Button class="small" onClick={onLook}>Look again</Button>
        </p>
      </div>
      <Peaks report={report} />
      <div class="columns stack">
        <HeatTable report={report} of={of} />
        <Advice report={report} />
      </div>
      <Busiest report={report} />
    </>
  );
}

function skipsOf({ skipped }: Pick<LoadOfDay["load"], "skipped">): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}

function Peaks({ report: { load, objects, timeZone: zone } }: { report: LoadOfDay }) {
  const { peakStarts, peakActive, peakCpu, peakMemory } = load;
  const skips = skipsOf(load);
  const [worst] = objects.filter((one) => skipsOf(one) > 0).sort((a, b) => skipsOf(b) - skipsOf(a));
  const at = (text: string) => (
    <>
      at <When at={Date.parse(text)} zone={zone} />
    </>
  );
  const peaks = [
    ["Most starts in a minute", grouped(peakStarts.count), at(peakStarts.minute)],
    ["Most active runs", grouped(peakActive.count), at(peakActive.at)],
    ["CPU requested", `${Number(peakCpu.cores.toFixed(1))} cores`, at(peakCpu.at)],
    ["Memory requested", bytesText(peakMemory.bytes), at(peakMemory.at)],
    [
      "Would not start",
      skips === 0 ? "none" : `${grouped(skips)} ${skips === 1 ? "run" : "runs"}`,
      worst && <a key="worst" href={pageOf(worst)}>most of {nameOf(worst)}</a>,
    ],
  ] as const;
  return (
    <dl class="card peaks num">
      {peaks.map(([label, value, more]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd class="line">
            <b>{value}</b> <span class="quiet">{more}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
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
    <Panel id="heat" title={TITLES[of]} aside={<bdi class="quiet">{zone}</bdi>}>
      <Table class="heat-map" columns={["", ...columns]}>
        {rows.map(({ label, cells }, index) => (
          <tr key={index}>
            <th scope="row">{dayOf(cells, zone)}{label}</th>
            {cells.map((cell, column) => (
              <td
                key={column}
                class="level"
                style={{ "--level": cell ? levelOf(cell.value, levels) : 0 }}
                title={cell && `${fullTime(cell.at, zone)}: ${cell.value} ${what}`}
              >
                {cell && (cell.value === 0 ? "·" : short(cell.value))}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <ul class="bar legend quiet fine" aria-label="Colours">
        {levels.map((level, index) => (
          <li key={index}>
            <span class="swatch level" style={{ "--level": index }} aria-hidden="true"></span>
            {level[1] === 0 ? "none" : levelText(level)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** A row that begins at midnight names its day. */
function dayOf(cells: readonly (HeatCell | undefined)[], zone: string) {
  const first = cells.find((cell) => cell !== undefined);
  const { weekday = "", clock = "" } = first ? wallOf(first.at, zone) : {};
  return clock === "00:00" && `${weekday} `;
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
              <code dir="auto">{schedule}</code>. With <code dir="auto">{instead}</code> in {fields.join(" or ")}{" "}
              the most in a minute is <b class="num">{peakStarts}</b>.
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** So many of those that run longest in all. */
const LISTED = 12;

const BUSIEST: readonly Column[] = [
  "CronJob",
  ...["Runs", "Each takes", "Active on average", "Would not start"].map((title) => [title, "right"] as const),
];

function Busiest({ report: { objects, from, to } }: { report: LoadOfDay }) {
  const busy = objects.filter(({ runs }) => runs > 0).sort((a, b) =>
    b.runs * b.durationSeconds - a.runs * a.durationSeconds
  ).slice(0, LISTED);
  const spanSeconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  if (busy.length === 0) return null;
  return (
    <Panel id="busiest" title="Busiest">
      <Table class="num" columns={BUSIEST}>
        {busy.map((
          { apiVersion, namespace, name, runs, durationSeconds, durationIsMeasured, skipped },
        ) => (
          <tr key={`${apiVersion} ${namespace}/${name}`}>
            <th scope="row">
              <a href={pageOf({ apiVersion, namespace, name })} dir="auto">{namespace}/{name}</a>
            </th>
            <td class="right">{grouped(runs)}</td>
            <td class="right">
              <span class="line right">
                {!durationIsMeasured && <span class="quiet">assumed</span>}
                <span>{durationText(durationSeconds * 1_000)}</span>
              </span>
            </td>
            <td class="right">{(runs * durationSeconds / spanSeconds).toFixed(2)}</td>
            <td class="right">{skipsOf({ skipped }) || "–"}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
