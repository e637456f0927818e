import type { ActionResult, PreviewSlot, Row } from "../../wire.ts";
import { useState } from "preact/hooks";
import { serverNow } from "../model/clock.ts";
import { nameOf } from "../model/order.ts";
import { fullTime, wallOf } from "../../../schedule/full_time.ts";
import { messageOf } from "../server.ts";
import { act, actAndReport, fieldsOf, targetOfRow } from "./act.ts";
import { Names } from "./names.tsx";
import { QUESTIONS } from "./texts.ts";

/** First what would be started, by the same rules; only then can it be started. */
type Step =
  | { step: "asks"; error?: string }
  | { step: "waits" }
  | { step: "shows"; body: Body; results: readonly ActionResult[] };

type Body = Parameters<typeof act>[1];

export function BackfillForm({ rows, onClose }: { rows: readonly Row[]; onClose: () => void }) {
  const [step, setStep] = useState<Step>({ step: "asks" });
  const [first] = useState(() => lastDay(rows[0]?.zone ?? "UTC"));
  const preview = async (event: SubmitEvent) => {
    event.preventDefault();
    const { maxActive, ...fields } = fieldsOf(new FormData(event.currentTarget as HTMLFormElement));
    const body = { targets: rows.map(targetOfRow), ...fields, ...maxActive && { maxActive: Number(maxActive) } };
    setStep({ step: "waits" });
    try {
      setStep({ step: "shows", body, results: await act("backfill", { ...body, isPreview: true }) });
    } catch (error) {
      setStep({ step: "asks", error: messageOf(error) });
    }
  };
  const start = async (body: Body) => {
    setStep({ step: "waits" });
    await actAndReport("backfill", body);
    onClose();
  };
  return (
    <>
      <form onSubmit={preview} hidden={step.step === "shows"}>
        <p>{QUESTIONS.backfill.means}</p>
        {rows.length > 1 && <Names rows={rows} />}
        <div class="fields">
          <TimeField label="From" value={first.from} autofocus />
          <TimeField label="To" value={first.to} />
        </div>
        <p class="quiet">2d, Mon 02:00 or a date such as 2026-01-31 00:00, in the zone of the CronJob.</p>
        <fieldset class="stack">
          <legend>Which runs</legend>
          <label class="check">
            <input type="radio" name="reprocess" value="missing" checked /> Those that are missing
          </label>
          <label class="check">
            <input type="radio" name="reprocess" value="failed" /> Those that failed, too
          </label>
        </fieldset>
        <label class="stack">
          <span>At a time</span>
          <input name="maxActive" type="number" min="1" max="100" value="1" />
        </label>
        {step.step === "asks" && step.error && <bdi class="error" role="alert">{step.error}</bdi>}
        <div class="choices">
          <button type="button" class="plain" onClick={onClose}>Cancel</button>
          <button type="submit" class="primary" disabled={step.step === "waits"}>
            {step.step === "waits" ? "Wait…" : "Preview"}
          </button>
        </div>
      </form>
      {step.step === "shows" &&
        (
          <Preview
            rows={rows}
            results={step.results}
            onBack={() => setStep({ step: "asks" })}
            onStart={() => start(step.body)}
          />
        )}
    </>
  );
}

function TimeField({ label, value, autofocus }: { label: "From" | "To"; value: string; autofocus?: boolean }) {
  return (
    <label class="stack">
      <span>{label}</span>
      <input name={label.toLowerCase()} required defaultValue={value} autocomplete="off" autofocus={autofocus} />
    </label>
  );
}

/** Returns the span that is asked for most often, by the wall clock of a zone. */
function lastDay(zone: string) {
  const wall = (at: number) => {
    const { date, clock } = wallOf(at, zone);
    return `${date} ${clock.slice(0, 5)}`;
  };
  const now = serverNow();
  return { from: wall(now - 86_400_000), to: wall(now) };
}

/** What is listed of each; more is counted only. */
const LISTED = 200;

const WILL: Readonly<Record<PreviewSlot["will"], string>> = {
  start: "starts",
  wait: "waits for the schedule",
  skip: "is left out",
};

function Preview(
  { rows, results, onBack, onStart }: {
    rows: readonly Row[];
    results: readonly ActionResult[];
    onBack: () => void;
    onStart: () => void;
  },
) {
  const starts = results.flatMap(({ slots = [] }) => slots).filter(({ will }) => will === "start").length;
  return (
    <>
      <div class="well preview" tabindex={0} role="region" aria-label="What would be started">
        {results.map((result, index) => (
          <Slots key={nameOf(result.target)} result={result} zone={rows[index]?.zone ?? "UTC"} />
        ))}
      </div>
      <div class="choices">
        <button type="button" class="plain" onClick={onBack}>Back</button>
        <button type="button" class="primary" disabled={starts === 0} onClick={onStart}>
          {starts === 0 ? "Nothing to start" : starts === 1 ? "Start 1 run" : `Start ${starts} runs`}
        </button>
      </div>
    </>
  );
}

function Slots({ result: { target, message, slots = [] }, zone }: { result: ActionResult; zone: string }) {
  return (
    <section>
      <h3>
        <bdi>{nameOf(target)}</bdi>
      </h3>
      <bdi>{message}</bdi>
      <ul class="num">
        {slots.slice(0, LISTED).map(({ scheduledTime, will, detail }) => (
          <li key={scheduledTime} class={will === "start" ? "line" : "line quiet"}>
            <span>{fullTime(scheduledTime, zone)}</span>
            <span>{WILL[will]}</span>
            <bdi class="quiet">{detail}</bdi>
          </li>
        ))}
      </ul>
      {slots.length > LISTED && <p class="quiet">and {slots.length - LISTED} more</p>}
    </section>
  );
}
