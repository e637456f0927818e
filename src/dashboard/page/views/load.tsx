// @ts-check
/** @import { LoadOfDay } from "../../wire.ts" */
import { html, useEffect, useState } from "../html.js";
import { heatMapOf, levelLabels, levelOf, levelsUpTo } from "../load/heat_map.js";
import { address, fragmentOf, setParams } from "../model/address.js";
import { grouped } from "../model/numbers.js";
import { duration, fullTime } from "../model/times.js";
import { useValue } from "../model/value.js";
import { Blank } from "../parts/blank.js";
import { Loading } from "../parts/loading.js";
import { When } from "../parts/time_text.js";
import { read } from "../server.js";

/** @typedef {{ kind: "loading" } | { kind: "here", report: LoadOfDay } | { kind: "failed", message: string, isServed: boolean }} Found */

/** What the fleet will do within the next day, before it does. */
export function Load() {
  const [found, setFound] = useState(/** @type {Found} */ ({ kind: "loading" }));
  useEffect(() => {
    const over = new AbortController();
    read("/api/load", over.signal).then(
      (report) => setFound({ kind: "here", report }),
      (error) =>
        over.signal.aborted || setFound({ kind: "failed", message: error.message, isServed: error.code !== 404 }),
    );
    return () => over.abort();
  }, []);
  if (found.kind === "loading") return html`<${Loading} what="the next day" />`;
  if (found.kind === "failed") return html`<${Unknown} ...${found} />`;
  return html`<${Shown} report=${found.report} />`;
}

/** @param {{ message: string, isServed: boolean }} props */
function Unknown({ message, isServed }) {
  return isServed
    ? html`
      <${Blank} icon="trouble" title="The load cannot be shown">
        <p class="error-text"><bdi>${message}</bdi></p>
        </${Blank}>
    `
    : html`
      <${Blank} icon="nothing" title="The load is not shown here">
        <p><bdi>${message}</bdi></p>
        </${Blank}>
    `;
}

/** @param {{ report: LoadOfDay }} props */
function Shown({ report }) {
  const { params } = useValue(address);
  const of = params.of === "active" ? "active" : "starts";
  const { load, timeZone, cronJobs, durations } = report;
  return html`
    <h1 class="unseen">Load</h1>
    <div class="tools">
      <div class="chips" role="group" aria-label="What is counted">
        <button class="chip" aria-pressed=${String(of === "starts")} onClick=${() =>
          setParams({ of: "" })}>Starts in a minute</button>
        <button class="chip" aria-pressed=${String(of === "active")} onClick=${() =>
          setParams({ of: "active" })}>Active runs</button>
      </div>
      <p class="quiet num">${grouped(load.runs)} runs of ${grouped(cronJobs.total)} CronJobs from ${fullTime(
        Date.parse(report.from),
        timeZone,
      )} on${durations.assumed > 0 &&
        `; ${grouped(durations.assumed)} have not run yet and are taken to last ${
          duration(durations.assumedSeconds * 1_000)
        }`}</p>
    </div>
    <${Peaks} load=${load} zone=${timeZone} />
    <div class="load-columns">
      <${HeatTable} load=${load} of=${of} zone=${timeZone} />
      <${Advice} report=${report} />
    </div>
    <${Busiest} report=${report} />
  `;
}

/** @param {{ load: LoadOfDay["load"], zone: string }} props */
function Peaks({ load: { peakStarts, peakActive, peakCpu, peakMemory, skipped }, zone }) {
  const skips = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  const peaks = [
    ["Most starts in a minute", grouped(peakStarts.count), peakStarts.minute],
    ["Most active runs", grouped(peakActive.count), peakActive.at],
    ["CPU requested", `${Number(peakCpu.cores.toFixed(1))} cores`, peakCpu.at],
    ["Memory requested", bytes(peakMemory.bytes), peakMemory.at],
    ["Would not start", skips === 0 ? "none" : `${grouped(skips)} runs`, ""],
  ];
  return html`
    <dl class="peaks num">
      ${peaks.map(([label, value, at]) =>
        html`
          <div key=${label}>
            <dt>${label}</dt>
            <dd class="line"><b>${value}</b>${at && html`
              <span class="quiet">at <${When} at=${Date.parse(at)} zone=${zone} /></span>
            `}</dd>
          </div>
        `
      )}
    </dl>
  `;
}

/** @param {number} count */
function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  return `${Number((count / 2 ** (10 * power)).toFixed(1))} ${units[power]}`;
}

/** @param {{ load: LoadOfDay["load"], of: "starts" | "active", zone: string }} props */
function HeatTable({ load: { cells }, of, zone }) {
  const { columns, rows } = heatMapOf(cells, cells[of], zone);
  const levels = levelsUpTo(Math.max(0, ...cells[of]));
  const what = of === "starts" ? "start in the busiest minute" : "runs are active at most";
  return html`
    <section class="panel heat" aria-labelledby="heat">
      <h2 id="heat">${of === "starts"
        ? "Starts in the busiest minute of each five"
        : "Active runs, at most, in each five minutes"} <span class="quiet"><bdi>${zone}</bdi></span></h2>
      <div class="wide">
        <table class="heat-map">
          <thead>
            <tr><td></td>${columns.map((column) => html`<th key=${column} scope="col">${column}</th>`)}</tr>
          </thead>
          <tbody>
          ${rows.map(({ label, cells }, index) =>
            html`
              <tr key=${index}><th scope="row">${label}</th>
                ${cells.map((cell, column) =>
                  html`<td key=${column} class=${cell ? `level-${levelOf(cell.value, levels)}` : ""} title=${
                    cell && `${fullTime(cell.at, zone)}: ${cell.value} ${what}`
                  }>${cell && (cell.value === 0 ? "·" : short(cell.value))}</td>`
                )}
              </tr>
            `
          )}
        </tbody>
        </table>
      </div>
      <ul class="legend" aria-label="Colours">${levelLabels(levels).map((label, level) =>
        html`<li key=${label}><span class=${`swatch level-${level}`} aria-hidden="true"></span>${label}</li>`
      )}</ul>
    </section>
  `;
}

/** Fits into a cell. @param {number} value */
function short(value) {
  return value < 1_000 ? String(value) : `${Math.floor(value / 1_000)}k`;
}

/** @param {{ report: LoadOfDay }} props */
function Advice({ report: { advice, load } }) {
  return html`
    <section class="panel" aria-labelledby="advice">
      <h2 id="advice">Advice</h2>
      ${advice.length === 0
        ? html`<p class="quiet">No crowd that could be spread.</p>`
        : html`<ul class="advice">${
          advice.map(({ schedule, count, instead, fields, peakStarts }) =>
            html`
              <li
                key=${schedule}><b class="num">${count}</b> of the ${load.peakStarts
                  .count} in the busiest minute say <code><bdi>${schedule}</bdi></code>. With <code><bdi>${instead}</bdi></code> in ${fields
                  .join(" or ")} the most in a minute is <b class="num">${peakStarts}</b>.</li>
            `
          )
        }</ul>`}
    </section>
  `;
}

/** So many of those that run longest in all. */
const LISTED = 12;

/** @param {{ report: LoadOfDay }} props */
function Busiest({ report: { objects, from, to } }) {
  const busy = objects.filter(({ runs }) => runs > 0).sort((a, b) =>
    b.runs * b.durationSeconds - a.runs * a.durationSeconds
  ).slice(0, LISTED);
  const spanSeconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  if (busy.length === 0) return html``;
  return html`
    <section class="panel" aria-labelledby="busiest">
      <h2 id="busiest">Busiest</h2>
      <div class="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">CronJob</th>
              <th scope="col" class="right">Runs</th>
              <th scope="col" class="right">Each takes</th>
              <th scope="col" class="right">Active on average</th>
              <th scope="col" class="right">Would not start</th>
            </tr>
          </thead>
          <tbody class="num">${busy.map((
            { apiVersion, namespace, name, runs, durationSeconds, durationIsMeasured, skipped },
          ) =>
            html`
              <tr key=${`${apiVersion} ${namespace}/${name}`}>
                <th scope="row"><a href=${fragmentOf({
                  view: "cronjob",
                  target: { apiVersion, namespace, name },
                  params: {},
                })}><bdi>${namespace}/${name}</bdi></a></th>
                <td class="right">${grouped(runs)}</td>
                <td class="right"><span class="line end">${!durationIsMeasured &&
                  html`<span class="quiet">assumed</span>`}<span>${duration(durationSeconds * 1_000)}</span></span></td>
                <td class="right">${(runs * durationSeconds / spanSeconds).toFixed(2)}</td>
                <td class="right">${Object.values(skipped).reduce((sum, count) => sum + count, 0) || "–"}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </div>
    </section>
  `;
}
