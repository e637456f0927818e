import type { Row } from "../../wire.ts";
import type { Asked } from "./asked.ts";
import { useState } from "preact/hooks";
import { jobToDelete } from "../model/rights.ts";
import { useValue } from "../model/value.ts";
import { Modal } from "../parts/modal.tsx";
import { act, fieldsOf, targetOfRow } from "./act.ts";
import { asked } from "./asked.ts";
import { BackfillForm } from "./backfill_form.tsx";
import { Names } from "./names.tsx";
import { PauseFields } from "./pause_fields.tsx";
import { onlyOf, QUESTIONS } from "./texts.ts";

/** Asks once about what the visitor wants to do, if there is something. */
export function ActionDialog() {
  const what = useValue(asked);
  return what && (
    <Modal label={QUESTIONS[what.action].title(what.rows)} onClose={() => asked.set(undefined)}>
      {what.action === "backfill" ? <BackfillForm rows={what.rows} /> : <Question what={what} />}
    </Modal>
  );
}

function Question({ what: { action, rows } }: { what: Asked }) {
  const [isBusy, setBusy] = useState(false);
  const { means, does } = QUESTIONS[action];
  const only = onlyOf(rows);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    await act(action, { targets: rows.flatMap((row) => targetOf(action, row)), ...fieldsOf(form) });
    asked.set(undefined);
  };
  return (
    <form onSubmit={submit}>
      <p>{means}</p>
      {rows.length > 1 && <Names rows={rows} />}
      {action === "delete-job" && only && (
        <p>
          Job{" "}
          <code>
            <bdi>{jobToDelete(only)}</bdi>
          </code>
        </p>
      )}
      {action === "resume" && <WhosePause rows={rows} />}
      {action === "pause" && <PauseFields />}
      <div class="choices">
        <button type="button" class="plain" onClick={() => asked.set(undefined)}>Cancel</button>
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

/** Whose pause it is, if it is one person's. */
function pausedBy(rows: readonly Row[]) {
  const names = new Set(rows.map(({ pause }) => pause?.by ?? ""));
  return names.size === 1 ? [...names][0] : "";
}

/** The pause of another user ends only if the visitor says whose it is. */
function WhosePause({ rows }: { rows: readonly Row[] }) {
  const cause = onlyOf(rows)?.cause;
  return (
    <>
      {cause && (
        <p class="quiet">
          <bdi>{cause.message}</bdi>
        </p>
      )}
      <label class="field">
        <span>
          Whose pause <span class="quiet">empty: your own</span>
        </span>
        <input name="of" defaultValue={pausedBy(rows)} autocomplete="off" spellcheck={false} />
      </label>
    </>
  );
}

function targetOf(action: Asked["action"], row: Row) {
  const job = jobToDelete(row);
  if (action !== "delete-job") return [targetOfRow(row)];
  return job === undefined ? [] : [{ ...targetOfRow(row), job }];
}
