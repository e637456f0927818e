import { useState } from "preact/hooks";
import type { ActionResult } from "../../wire.ts";
import { nameOf } from "../model/order.ts";
import { actAndReport } from "./act.ts";
import { Button } from "../parts/button.tsx";

const LISTED = 10;

/** Asks what becomes of the active runs that keep runs by hand from starting. */
export function Held({ results, onClose }: { results: readonly ActionResult[]; onClose: () => void }) {
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
