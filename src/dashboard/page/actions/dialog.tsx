import type { ActionResult, Row } from "../../wire.ts";
import { type Asked, asked, close, notice } from "./asked.ts";
import { useState } from "preact/hooks";
import { hasForeignHold, jobToDelete } from "../model/rights.ts";
import { useValue } from "../model/value.ts";
import { type Fields, Form } from "../parts/form.tsx";
import { Modal } from "../parts/modal.tsx";
import { act, targetOfRow } from "./act.ts";
import { BackfillForm } from "./backfill_form.tsx";
import { Held } from "./held.tsx";
import { Names } from "./names.tsx";
import { PauseFields } from "./pause_fields.tsx";
import { onlyOf, TEXTS } from "./texts.ts";

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
    const results = await doIt(action, rows, fields);
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
      does={does}
      isDanger={action === "delete-job"}
      hasFocus={action !== "pause"}
      onCancel={onClose}
      onSubmit={submit}
    >
      <p>{means}</p>
      {rows.length > 1 && <Names rows={rows} />}
      <Details action={action} rows={rows} />
    </Form>
  );
}

async function doIt(action: Asked["action"], rows: readonly Row[], fields: Fields): Promise<readonly ActionResult[]> {
  if (action !== "resume") {
    return await act(action, { targets: rows.flatMap((row) => targetOf(action, row)), ...fields });
  }
  const results: ActionResult[] = [];
  // Each request names one owner of pauses.
  for (const group of Map.groupBy(rows, (row) => `${hasForeignHold(row)} ${row.pause?.by ?? ""}`).values()) {
    const [{ pause } = {}] = group;
    const how = { of: pause?.by, withForeign: group.some(hasForeignHold) };
    results.push(...await act(action, { targets: group.map(targetOfRow), ...how }));
  }
  return results;
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

function targetOf(action: Asked["action"], row: Row) {
  if (action !== "delete-job") return [targetOfRow(row)];
  const job = jobToDelete(row);
  return job === undefined ? [] : [{ ...targetOfRow(row), job }];
}
