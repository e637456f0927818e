import type { Detail, Row } from "../../wire.ts";
import { RowActions } from "../actions/row_actions.tsx";
import { useEffect, useState } from "preact/hooks";
import { address, setParams } from "../model/address.ts";
import { jobToRead, useRights } from "../model/rights.ts";
import { useValue } from "../model/value.ts";
import { Blank } from "../parts/blank.tsx";
import { Loading } from "../parts/loading.tsx";
import { LogPane } from "../parts/log_pane.tsx";
import { StateLabel } from "../parts/state_mark.tsx";
import { NextRun, Since } from "../parts/time_text.tsx";
import { read } from "../server.ts";
import { Conditions, Events, Facts, NextRuns, Yaml } from "./cron_job_facts.tsx";
import { Runs } from "./cron_job_runs.tsx";
import { Why } from "./cron_job_why.tsx";

export type Found = { kind: "loading" } | { kind: "here"; detail: Detail } | { kind: "failed"; message: string };

/** All about one CronJob. */
export function CronJobPage({ all }: { all: readonly Row[] }) {
  const place = useValue(address);
  if (place.view !== "cronjob") return null;
  const { apiVersion, namespace, name } = place.target;
  const row = all.find((row) => row.name === name && row.namespace === namespace && row.apiVersion === apiVersion);
  if (!row) {
    return (
      <>
        <h1 class="unseen">
          <bdi>{namespace}/{name}</bdi>
        </h1>
        <Blank icon="nothing" title="There is no such CronJob">
          <p>
            <bdi>{namespace}/{name}</bdi> is not there, or not any more.
          </p>
          <p>
            <a href="#/all">All CronJobs</a>
          </p>
        </Blank>
      </>
    );
  }
  return <Page key={row.id} row={row} />;
}

function Page({ row }: { row: Row }) {
  const found = useDetail(row);
  const { params } = useValue(address);
  const { mayReadLogs } = useRights(row.namespace);
  const job = params.job ?? jobToRead(row);
  return (
    <>
      <Head row={row} />
      {found.kind === "loading" && <Loading what="its runs" />}
      {found.kind === "failed" && (
        <Blank icon="trouble" title="It cannot be read" isSmall>
          <p class="error-text">
            <bdi>{found.message}</bdi>
          </p>
        </Blank>
      )}
      {found.kind === "here" && (
        <>
          <div class="columns">
            <div>
              <Runs
                runs={found.detail.runs}
                row={row}
                shownJob={job}
                mayReadLogs={mayReadLogs}
                onShow={(job: string) => setParams({ job })}
              />
              {mayReadLogs && job !== undefined && (
                <section class="panel" aria-labelledby="logs">
                  <h2 id="logs">
                    Logs{" "}
                    <span class="quiet">
                      <bdi>{job}</bdi>
                    </span>
                  </h2>
                  <LogPane namespace={row.namespace} name={row.name} job={job} />
                </section>
              )}
              <Events events={found.detail.events} zone={row.zone} />
            </div>
            <div>
              <Why row={row} />
              <NextRuns times={found.detail.nextRuns} row={row} />
              <Facts facts={found.detail.facts} />
              <Conditions conditions={found.detail.conditions} zone={row.zone} />
            </div>
          </div>
          <Yaml text={found.detail.yaml} />
        </>
      )}
    </>
  );
}

function Head({ row }: { row: Row }) {
  const { state, cause, zone, schedule } = row;
  return (
    <section class={`head is-${state}`}>
      <div class="head-title">
        <StateLabel state={state} />
        <h1>
          <bdi class="quiet">{row.namespace}/</bdi>
          <bdi>
            {row.name}
          </bdi>
        </h1>
      </div>
      <p class="line num">
        <Since row={row} />
        <span class="quiet">next</span>
        <NextRun row={row} />
      </p>
      {cause && (
        <p class="cause whole">
          <bdi>{cause.message}</bdi>
        </p>
      )}
      <p class="line quiet">
        <code>
          <bdi>{schedule}</bdi>
        </code>
        <bdi>{zone}</bdi>
        <span>{row.apiVersion}</span>
      </p>
      <RowActions row={row} />
    </section>
  );
}

/** Read again whenever its row has changed. */
function useDetail(row: Row): Found {
  const [found, setFound] = useState<Found>({ kind: "loading" });
  useEffect(() => {
    const over = new AbortController();
    const { apiVersion: api, namespace, name } = row;
    read<Detail>(`/api/cronjob?${new URLSearchParams({ api, namespace, name })}`, over.signal).then(
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
