// @ts-check
/** @import { Detail, Row } from "../../wire.ts" */
import { RowActions } from "../actions/row_actions.js";
import { html, useEffect, useState } from "../html.js";
import { address, setParams } from "../model/address.js";
import { jobToRead, useRights } from "../model/rights.js";
import { useValue } from "../model/value.js";
import { Blank } from "../parts/blank.js";
import { Loading } from "../parts/loading.js";
import { LogPane } from "../parts/log_pane.js";
import { StateLabel } from "../parts/state_mark.js";
import { NextRun, Since } from "../parts/time_text.js";
import { read } from "../server.js";
import { Conditions, Events, Facts, NextRuns, Yaml } from "./cron_job_facts.js";
import { Runs } from "./cron_job_runs.js";
import { Why } from "./cron_job_why.js";

/** @typedef {{ kind: "loading" } | { kind: "here", detail: Detail } | { kind: "failed", message: string }} Found */

/** All about one CronJob. @param {{ all: readonly Row[] }} props */
export function CronJobPage({ all }) {
  const place = useValue(address);
  if (place.view !== "cronjob") return html``;
  const { apiVersion, namespace, name } = place.target;
  const row = all.find((row) => row.name === name && row.namespace === namespace && row.apiVersion === apiVersion);
  if (!row) {
    return html`
      <h1 class="unseen"><bdi>${namespace}/${name}</bdi></h1>
      <${Blank} icon="nothing" title="There is no such CronJob">
        <p><bdi>${namespace}/${name}</bdi> is not there, or not any more.</p>
        <p><a href="#/all">All CronJobs</a></p>
        </${Blank}>
    `;
  }
  return html`<${Page} key=${row.id} row=${row} />`;
}

/** @param {{ row: Row }} props */
function Page({ row }) {
  const found = useDetail(row);
  const { params } = useValue(address);
  const { mayReadLogs } = useRights(row.namespace);
  const job = params.job ?? jobToRead(row);
  return html`
    <${Head} row=${row} />
    ${found.kind === "loading" && html`<${Loading} what="its runs" />`}
    ${found.kind === "failed" && html`
      <${Blank} icon="trouble" title="It cannot be read" isSmall=${true}>
        <p class="error-text"><bdi>${found.message}</bdi></p>
        </${Blank}>
    `}
    ${found.kind === "here" && html`
      <div class="columns">
        <div>
          <${Runs} runs=${found.detail.runs} row=${row} shownJob=${job} mayReadLogs=${mayReadLogs} onShow=${(
            /** @type {string} */ job,
          ) => setParams({ job })} />
          ${mayReadLogs && job !== undefined && html`
            <section class="panel" aria-labelledby="logs">
              <h2 id="logs">Logs <span class="quiet"><bdi>${job}</bdi></span></h2>
              <${LogPane} namespace=${row.namespace} name=${row.name} job=${job} />
            </section>
          `}
          <${Events} events=${found.detail.events} zone=${row.zone} />
        </div>
        <div>
          <${Why} row=${row} />
          <${NextRuns} times=${found.detail.nextRuns} row=${row} />
          <${Facts} facts=${found.detail.facts} />
          <${Conditions} conditions=${found.detail.conditions} zone=${row.zone} />
        </div>
      </div>
      <${Yaml} text=${found.detail.yaml} />
    `}
  `;
}

/** @param {{ row: Row }} props */
function Head({ row }) {
  const { state, cause, zone, schedule } = row;
  return html`
    <section class=${`head is-${state}`}>
      <div class="head-title"><${StateLabel} state=${state} /><h1><bdi class="quiet">${row.namespace}/</bdi><bdi>${row
        .name}</bdi></h1></div>
      <p class="line num">
        <${Since} row=${row} /><span class="quiet">next</span><${NextRun} row=${row} />
      </p>
      ${cause && html`<p class="cause whole"><bdi>${cause.message}</bdi></p>`}
      <p class="line quiet"><code><bdi>${schedule}</bdi></code><bdi>${zone}</bdi><span>${row.apiVersion}</span></p>
      <${RowActions} row=${row} />
    </section>
  `;
}

/** Read again whenever its row has changed. @param {Row} row @returns {Found} */
function useDetail(row) {
  const [found, setFound] = useState(/** @type {Found} */ ({ kind: "loading" }));
  useEffect(() => {
    const over = new AbortController();
    const { apiVersion: api, namespace, name } = row;
    read(`/api/cronjob?${new URLSearchParams({ api, namespace, name })}`, over.signal).then(
      (detail) => setFound({ kind: "here", detail }),
      (error) => {
        if (!over.signal.aborted) {
          setFound((before) => before.kind === "here" ? before : { kind: "failed", message: error.message });
        }
      },
    );
    return () => over.abort();
  }, [row]);
  return found;
}
