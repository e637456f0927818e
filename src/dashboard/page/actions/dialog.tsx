import type { ActionResult, Row } from "../../wire.ts";
import { type Asked, asked, close, notice } from "./asked.ts";
import { useState } from "preact/hooks";
import { hasForeignHold, jobToDelete } from "../model/rights.ts";
import { useValue } from "../model/value.ts";
import { Modal } from "../parts/modal.tsx";
import { messageOf } from "../server.ts";
import { act, fieldsOf, targetOfRow } from "./act.ts";
import { BackfillForm } from "./backfill_form.tsx";
import { Held } from "./held.tsx";
import { Names } from "./names.tsx";
import { PauseFields } from "./pause_fields.tsx";
import { onlyOf, QUESTIONS } from "./texts.ts";

/** Asks once before an action, where one is asked for. */
export function ActionDialog() {
  const what = useValue(asked);
  if (!what) return null;
  const { action, rows } = what;
  const onClose = () => close(what);
  return (
    <Modal key={what} label={QUESTIONS[action].title(rows)} onClose={onClose}>
      {action === "backfill"
        ? <BackfillForm rows={rows} onClose={onClose} />
        : <Question what={what} onClose={onClose} />}
    </Modal>
  );
}

/** `held`: runs that active runs keep from starting. */
type Step = { step: "asks"; error?: string } | { step: "waits" } | { step: "held"; results: readonly ActionResult[] };

function Question({ what: { action, rows }, onClose }: { what: Asked; onClose: () => void }) {
  const [step, setStep] = useState<Step>({ step: "asks" });
  const { means, does } = QUESTIONS[action];
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = fieldsOf(new FormData(event.currentTarget as HTMLFormElement));
    setStep({ step: "waits" });
    try {
      const step = next(await doIt(action, rows, form));
      if (step) setStep(step);
      else onClose();
    } catch (error) {
      setStep({ step: "asks", error: messageOf(error) });
    }
  };
  if (step.step === "held") return <Held results={step.results} onClose={onClose} />;
  const isBusy = step.step === "waits";
  return (
    <form onSubmit={submit}>
      <p>{means}</p>
      {rows.length > 1 && <Names rows={rows} />}
      <Details action={action} rows={rows} />
      {!isBusy && step.error !== undefined && <bdi class="error" role="alert">{step.error}</bdi>}
      <div class="choices">
        <button type="button" class="plain" onClick={onClose}>Cancel</button>
        <button
          type="submit"
          class={action === "delete-job" ? "primary danger" : "primary"}
          disabled={isBusy}
          autofocus={action !== "pause"}
        >
          {isBusy ? "Wait…" : does}
        </button>
      </div>
    </form>
  );
}

/** Keeps the dialog for a question of the server, and where all failed; else the notice reports. */
function next(results: readonly ActionResult[]): Step | undefined {
  const held = results.filter(({ heldBy }) => heldBy);
  const [first] = results;
  if (first && results.every(({ result }) => result === "failed")) return { step: "asks", error: first.message };
  if (held.length < results.length) notice.set({ results: results.filter(({ heldBy }) => !heldBy) });
  return held.length > 0 ? { step: "held", results: held } : undefined;
}

async function doIt(action: Asked["action"], rows: readonly Row[], form: object): Promise<readonly ActionResult[]> {
  if (action !== "resume") return await act(action, { targets: rows.flatMap((row) => targetOf(action, row)), ...form });
  const results: ActionResult[] = [];
  // Each request names one owner of pauses.
  for (const group of Map.groupBy(rows, (row) => `${hasForeignHold(row)} ${row.pause?.by ?? ""}`).values()) {
    const [{ pause } = {}] = group;
    const fields = { of: pause?.by, withForeign: group.some(hasForeignHold) };
    results.push(...await act(action, { targets: group.map(targetOfRow), ...fields }));
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
      Job{" "}
      <code>
        <bdi>{jobToDelete(only)}</bdi>
      </code>
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
