import type { ActionResult, PreviewSlot, Row } from "../../wire.ts";
import { useState } from "preact/hooks";
import { serverNow } from "../model/clock.ts";
import { nameOf } from "../model/order.ts";
import { fullTime, wallOf } from "../../../schedule/full_time.ts";
import { Field, type Fields, Form } from "../parts/form.tsx";
import { act, actAndReport, targetOfRow } from "./act.ts";
import { TEXTS } from "./texts.ts";

/** The runs that would start, by the rules that start them. */
interface Preview {
  readonly body: Parameters<typeof act>[1];
  readonly results: readonly ActionResult[];
}

export function BackfillForm({ rows, onClose }: { rows: readonly Row[]; onClose: () => void }) {
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const [first] = useState(() => lastDay(rows[0]?.zone ?? "UTC"));
  const look = async ({ maxActive, ...fields }: Fields) => {
    const body = { targets: rows.map(targetOfRow), ...fields, ...maxActive && { maxActive: Number(maxActive) } };
    setPreview({ body, results: await act("backfill", { ...body, isPreview: true }) });
  };
  const start = async ({ body }: Preview) => {
    await actAndReport("backfill", body);
    onClose();
  };
  return (
    <>
      <Form submitLabel="Preview" onCancel={onClose} onSubmit={look} isHidden={preview !== undefined}>
        <p>{TEXTS.backfill.means(rows)}</p>
        {rows.length > 1 && <Names rows={rows} />}
        <div class="fields">
          <Field label="From" name="from" required defaultValue={first.from} autofocus />
          <Field label="To" name="to" required defaultValue={first.to} />
        </div>
        <p class="quiet">2d, Mon 02:00 or a date such as 2026-01-31 00:00, in the zone of the CronJob.</p>
        <fieldset class="stack">
          <legend>Which runs</legend>
          <label class="check">
            <input type="radio" name="reprocess" value="missing" defaultChecked /> Those that are missing
          </label>
          <label class="check">
            <input type="radio" name="reprocess" value="failed" /> Those that failed, too
          </label>
        </fieldset>
        <Field label="At a time" name="maxActive" type="number" min="1" max="100" defaultValue="1" />
      </Form>
      {preview && (
        <Shown
          rows={rows}
          preview={preview}
          onBack={() => setPreview(undefined)}
          onStart={() => start(preview)}
        />
      )}
    </>
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

/** The times that are listed of each CronJob; more are only counted. */
const LISTED = 200;

const WILL: Readonly<Record<PreviewSlot["will"], string>> = {
  start: "starts",
  wait: "waits for the schedule",
  skip: "is left out",
};

function Shown(
  { rows, preview: { results }, onBack, onStart }: {
    rows: readonly Row[];
    preview: Preview;
    onBack: () => void;
    onStart: () => Promise<void>;
  },
) {
  const starts = results.flatMap(({ slots = [] }) => slots).filter(({ will }) => will === "start").length;
  const does = starts === 0 ? undefined : `Start ${starts} ${starts === 1 ? "run" : "runs"}`;
  return (
    <Form submitLabel={does} cancelLabel="Back" onCancel={onBack} onSubmit={onStart}>
      <div class="well preview" tabindex={0} role="region" aria-label="What would be started">
        {results.map((result, index) => (
          <Slots key={nameOf(result.target)} result={result} zone={rows[index]?.zone ?? "UTC"} />
        ))}
      </div>
    </Form>
  );
}

function Slots({ result: { target, message, slots = [] }, zone }: { result: ActionResult; zone: string }) {
  return (
    <section>
      <h3 dir="auto">{nameOf(target)}</h3>
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

/** Of several CronJobs, which. */
export function Names({ rows }: { rows: readonly Row[] }) {
  return (
    <ul class="well names" tabindex={0} aria-label="CronJobs">
      {rows.map((row) => <li key={row.id} dir="auto">{nameOf(row)}</li>)}
    </ul>
  );
}
