import type { ActionResult } from "../../wire.ts";
import { nameOf } from "../model/order.ts";
import { useValue } from "../model/value.ts";
import { act } from "./act.ts";
import { type Notice, notice } from "./asked.ts";

/** What was done last stays until it has been read, or something else is done. */
export function NoticeBar() {
  const what = useValue(notice);
  return (
    <div class="notice-place" role="status">
      {what && (
        <div class={isBad(what) ? "notice bad" : "notice"}>
          {"error" in what
            ? (
              <p>
                <bdi>{what.error}</bdi>
              </p>
            )
            : <Results results={what.results} />}
          <button type="button" class="plain" onClick={() => notice.set(undefined)}>Dismiss</button>
        </div>
      )}
    </div>
  );
}

function isBad(what: Notice) {
  return "error" in what || what.results.some(({ result }) => result === "failed" || result === "left");
}

/** Others are listed up to so many. */
const LISTED = 10;

/** Of several only those are named of which there is something to say. */
function Results({ results }: { results: readonly ActionResult[] }) {
  const undos = results.flatMap(({ undo }) => undo ?? []);
  const done = results.filter(({ result }) => result === "done");
  const listed = results.length === 1 ? results : results.filter(({ result }) => result !== "done");
  return (
    <>
      <div>
        {results.length > 1 && <p class="num">{done.length} of {results.length} done</p>}
        {listed.slice(0, LISTED).map(({ target, message }) => (
          <p key={nameOf(target)} class="line">
            <strong>
              <bdi>{nameOf(target)}</bdi>
            </strong>
            <bdi>{message}</bdi>
          </p>
        ))}
        {listed.length > LISTED && <p>and {listed.length - LISTED} more</p>}
      </div>
      {undos.length > 0 && <button type="button" class="plain" onClick={() => undo(undos)}>Undo</button>}
    </>
  );
}

/** Of the same action they are one request. */
async function undo(undos: readonly NonNullable<ActionResult["undo"]>[]) {
  const [first] = undos;
  if (first) await act(first.action, { ...first.body, targets: undos.flatMap(({ body: { targets } }) => targets) });
}
