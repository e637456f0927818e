import type { ActionResult, Row } from "../../wire.ts";
import { act, actAndReport, type Asked, asked, close, notice, targetOfRow } from "./act.ts";
import { useState } from "preact/hooks";
import { hasForeignHold, jobToDelete } from "../model/rights.ts";
import { useValue } from "../model/value.ts";
import { Field, type Fields, Form } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { BackfillForm, Names } from "./backfill_form.tsx";
import { onlyOf, TEXTS } from "./texts.ts";
import { nameOf } from "../model/order.ts";
import { Button, Chips } from "../parts/elements.tsx";

/** Asks once before an action, where one is asked for. */
export function ActionDialog() {
  const what = useValue(asked);
  if (!what) return null;
  const { action, rows } = what;
  const onClose = () => close(what);
  return (
    <Modal key={what} label={TEXTS[action].title(rows)} onClose={onClose}>
      {action === "backfill"
        ? <BackfillForm rows={rows} onClose={onClose} />
        : <Question what={what} onClose={onClose} />}
    </Modal>
  );
}

function Question({ what: { action, rows }, onClose }: { what: Asked; onClose: () => void }) {
  const [held, setHeld] = useState<readonly ActionResult[]>([]);
  const { means, does } = TEXTS[action];
  const submit = async (fields: Fields) => {
    const results = await act(action, { targets: rows.flatMap((row) => targetsOf(action, row)), ...fields });
    const [first] = results;
    if (first && results.every(({ result }) => result === "failed")) throw new Error(first.message);
    const { true: waiting = [], false: done = [] } = Object.groupBy(results, ({ heldBy }) => `${heldBy !== undefined}`);
    if (done.length > 0) notice.set({ results: done });
    if (waiting.length > 0) setHeld(waiting);
    else onClose();
  };
  if (held.length > 0) return <Held results={held} onClose={onClose} />;
  return (
    <Form
      submitLabel={does}
      isDanger={action === "delete-job"}
      hasFocus={action !== "pause"}
      cancelLabel={action === "cancel-backfill" ? "Keep it running" : "Cancel"}
      onCancel={onClose}
      onSubmit={submit}
    >
      <p>{means(rows)}</p>
      {rows.length > 1 && <Names rows={rows} />}
      <Details action={action} rows={rows} />
    </Form>
  );
}

function Details({ action, rows }: Asked) {
  const only = onlyOf(rows);
  if (action === "pause") return <PauseFields />;
  if (action === "resume") return <Holds rows={rows} />;
  if (action !== "delete-job" || !only) return null;
  return (
    <p>
      Job <code dir="auto">{jobToDelete(only)}</code>
    </p>
  );
}

/** Says whose pauses end, and what else holds the CronJobs. */
function Holds({ rows }: { rows: readonly Row[] }) {
  const isInSpec = rows.some(({ actions }) =>
    actions.some((action) => action.do === "EndPauseInSpec" || (action.do === "Unsuspend" && action.in === "spec"))
  );
  return (
    <>
      <bdi class="quiet">{onlyOf(rows)?.cause?.message}</bdi>
      {isInSpec && (
        <p>
          The spec is edited. Where manifests are applied by a tool, edit them too: the tool undoes the edit else.
        </p>
      )}
    </>
  );
}

function targetsOf(action: Asked["action"], row: Row) {
  const target = targetOfRow(row);
  if (action === "resume") return [{ ...target, of: row.pause?.by, withForeign: hasForeignHold(row) }];
  if (action !== "delete-job") return [target];
  const job = jobToDelete(row);
  return job === undefined ? [] : [{ ...target, job }];
}

const LISTED = 10;

/** Asks what becomes of the active runs that keep runs by hand from starting. */
function Held({ results, onClose }: { results: readonly ActionResult[]; onClose: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const run = async (overlap: "delete" | "beside") => {
    setBusy(true);
    // With the Jobs that were shown: no other may be deleted.
    await actAndReport("run", { targets: results.map(({ target, heldBy }) => ({ ...target, heldBy })), overlap });
    onClose();
  };
  const jobs = results.reduce((sum, { heldBy = [] }) => sum + heldBy.length, 0);
  return (
    <div>
      {results.slice(0, LISTED).map(({ target, message }) => (
        <p key={nameOf(target)} class="line">
          {results.length > 1 && <strong dir="auto">{nameOf(target)}</strong>}
          <bdi>{message}</bdi>
        </p>
      ))}
      {results.length > LISTED && <p>and {results.length - LISTED} more</p>}
      <div class="choices">
        <Button class="plain" onClick={onClose}>Cancel</Button>
        <Button class="plain" disabled={isBusy} onClick={() => run("beside")}>Run beside</Button>
        <Button class="primary danger" disabled={isBusy} onClick={() => run("delete")}>
          {jobs === 1 ? "Delete it and run" : `Delete ${jobs} Jobs and run`}
        </Button>
      </div>
    </div>
  );
}

/** The answers that are given most often. */
const USUAL: readonly (readonly [label: string, until: string])[] = [
  ["1 hour", "1h"],
  ["4 hours", "4h"],
  ["1 day", "1d"],
  ["Monday 08:00", "Mon 08:00"],
  ["Until I resume it", ""],
];

/** Until when, and why. */
function PauseFields() {
  const [until, setUntil] = useState("1h");
  return (
    <>
      <Chips label="Until" options={USUAL} chosen={until} onChoose={setUntil} />
      <Field
        label="Until"
        hint="in the zone of the CronJob; empty: until it is resumed"
        name="until"
        value={until}
        placeholder="2h, Mon 08:00, 2026-12-01 08:00"
        onInput={(event) => setUntil(event.currentTarget.value)}
      />
      <Field
        label="Reason"
        hint="shown to everyone"
        name="reason"
        maxlength={200}
        placeholder="db migration"
        autofocus
      />
    </>
  );
}
