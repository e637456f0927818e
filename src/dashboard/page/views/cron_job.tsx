import type { Detail, Row } from "../../wire.ts";
import { RowActions } from "../actions/row_actions.tsx";
import { useEffect, useState } from "preact/hooks";
import { address, fragmentOf, setParams } from "../model/address.ts";
import { link } from "../model/live_rows.ts";
import { spanOf } from "../model/month.ts";
import { rowOf } from "../model/order.ts";
import { jobToRead, useRights } from "../model/rights.ts";
import { useZone } from "../model/times.ts";
import { useValue } from "../model/value.ts";
import { queryOf, useAnswer } from "../parts/answer.ts";
import { Blank, bringIntoView, Button, Loading, Panel } from "../parts/elements.tsx";
import { LastWords } from "../parts/last_words.tsx";
import { LogPane } from "../parts/log_pane.tsx";
import { OUTCOMES } from "../parts/run_shapes.tsx";
import { Schedule } from "../parts/schedule.tsx";
import { StateLabel } from "../parts/state_mark.tsx";
import { LastSuccess, NextRun, Since } from "../parts/time_text.tsx";
import { Calendar } from "./cron_job_calendar.tsx";
import { Events, Facts, NextRuns, Yaml } from "./cron_job_facts.tsx";
import { Runs } from "./cron_job_runs.tsx";
import { Why } from "./cron_job_why.tsx";

/** All about one CronJob. */
export function CronJobPage({ all }: { all: readonly Row[] }) {
  const place = useValue(address);
  const state = useValue(link);
  if (place.view !== "cronjob") return null;
  const { namespace, name } = place.target;
  const row = rowOf(place.target, all);
  if (!row && state.kind === "loading") return <Loading what="CronJobs" {...state} />;
  if (!row) {
    return (
      <>
        <h1 class="unseen" dir="auto">{namespace}/{name}</h1>
        <Blank icon="nothing" title="There is no such CronJob">
          <p>
            <bdi>{namespace}/{name}</bdi> is not there, or not any more.
          </p>
          {all.filter((other) => other.namespace === namespace && other.name === name).map((other) => (
            <p key={other.id}>
              There is one of{" "}
              <a href={fragmentOf({ view: "cronjob", target: other, params: place.params })}>{other.apiVersion}</a>.
            </p>
          ))}
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
  const { params } = useValue(address);
  const span = spanOf(params.days ?? "", useZone(row.zone));
  const days = span ? params.days! : "";
  const path = `/api/cronjob?${queryOf(row, span && { from: String(span.from), to: String(span.to) })}`;
  const { value: detail, path: answered, error } = useAnswer<Detail>(path, row);
  const isHere = detail !== undefined;
  const { mayReadLogs } = useRights(row.namespace);
  const [job, newer, choose] = useShownJob(row);
  useEffect(() => {
    if (isHere && params.job) bringIntoView("logs");
  }, [isHere, params.job]);
  return (
    <>
      <Head row={row} />
      {!detail &&
        (error
          ? <Blank icon="trouble" title="It cannot be read" error={error.message} />
          : <Loading what="its runs" />)}
      {detail && (
        <>
          {error && (
            <p class="error" role="alert">
              <b>Its runs, Events and YAML may be old.</b> <bdi>{error.message}</bdi>
            </p>
          )}
          <div class="columns stack">
            <div class="stack">
              <Calendar row={row} days={days} />
              <Runs
                runs={answered === path ? detail.runs : undefined}
                note={detail.runsNote}
                days={days}
                watched={detail.watched}
                row={row}
                shownJob={job}
                mayReadLogs={mayReadLogs}
                onShow={choose}
              />
              <NextRuns times={detail.nextRuns} row={row} />
              <Facts facts={detail.facts} />
              <Events events={detail.events} zone={row.zone} />
            </div>
            <div class="stack beside">
              {mayReadLogs && job !== undefined && (
                <Panel id="logs" title="Logs" aside={<bdi class="quiet">{job}</bdi>}>
                  {newer !== undefined && (
                    <p class="line" role="status">
                      A newer run {outcomeOf(row, newer)}:{" "}
                      <Button class="small" onClick={() => choose(newer)}>Show {newer}</Button>
                    </p>
                  )}
                  <LogPane
                    namespace={row.namespace}
                    name={row.name}
                    job={job}
                    end={detail.runs.find((run) => run.job === job)?.why}
                  />
                </Panel>
              )}
              <Why key={params.why} row={row} />
            </div>
          </div>
          <Yaml text={detail.yaml} />
        </>
      )}
    </>
  );
}

/** The run whose log is shown stays the same; a newer one is offered. */
function useShownJob(row: Row): [job: string | undefined, newer: string | undefined, choose: (job: string) => void] {
  const { params } = useValue(address);
  const newest = jobToRead(row);
  const [pinned, setPinned] = useState({ job: newest, newest });
  useEffect(() => {
    if (pinned.job === undefined && newest !== undefined) setPinned({ job: newest, newest });
  }, [newest]);
  const job = params.job || pinned.job;
  const choose = (job: string) => {
    setPinned({ job, newest });
    setParams({ job });
    bringIntoView("logs");
  };
  return [job, newest !== pinned.newest && newest !== job ? newest : undefined, choose];
}

function outcomeOf({ lastRuns, active }: Row, job: string): string {
  const run = lastRuns.find((run) => run.job === job);
  return run ? OUTCOMES[run.outcome] : active.includes(job) ? "is running" : "has come";
}

function Head({ row }: { row: Row }) {
  const { state, cause, zone, schedule } = row;
  return (
    <section class={`card head stack is-${state}`}>
      <div class="line">
        <StateLabel state={state} />
        <h1>
          <bdi class="quiet">{row.namespace}/</bdi>
          <bdi>{row.name}</bdi>
        </h1>
      </div>
      <p class="line num">
        <Since row={row} />
        <LastSuccess row={row} />
        <span class="quiet apart">next</span>
        <NextRun row={row} />
      </p>
      {cause && (
        <p class="cause long">
          <bdi>{cause.message}</bdi> <LastWords row={row} />
        </p>
      )}
      {row.notes.map((note) => <p key={note} class="note long" dir="auto">{note}</p>)}
      {row.backfill && <Backfill of={row.backfill} />}
      <p class="line quiet">
        <Schedule text={schedule} isInWords />
        <bdi>{zone}</bdi>
        <span>{row.apiVersion}</span>
      </p>
      <RowActions row={row} />
    </section>
  );
}

function Backfill({ of: { id, done, of, failed = 0, active = 0 } }: { of: NonNullable<Row["backfill"]> }) {
  return (
    <p class="line num">
      <b>Back-fill</b>
      <bdi class="quiet">{id}</bdi>
      <span>{of === undefined ? "not begun yet" : `${done} of ${of}`}</span>
      {active > 0 && <span>{active} active</span>}
      {failed > 0 && <span class="bad">{failed} failed</span>}
    </p>
  );
}
