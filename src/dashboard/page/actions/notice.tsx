import { useEffect, useState } from "preact/hooks";
import type { ActionResult, AskedRunAnswer } from "../../wire.ts";
import { address } from "../model/address.ts";
import { nameOf } from "../model/order.ts";
import { grouped } from "../model/numbers.ts";
import { useValue } from "../model/value.ts";
import { actAndReport, type Notice, notice } from "./act.ts";
import { Button } from "../parts/elements.tsx";
import { queryOf } from "../parts/answer.ts";
import { read } from "../server.ts";
import { logsOf } from "./row_actions.tsx";

/** The last notice stays until it has been read, the next action, or the visitor goes elsewhere. */
export function NoticeBar() {
  const what = useValue(notice);
  const place = useValue(address);
  const page = place.view === "cronjob" ? nameOf(place.target) : place.view;
  useEffect(() => () => notice.set(undefined), [page]);
  return (
    <div role="status">
      {what && (
        <div class={`card bar notice${isBad(what) ? " is-bad" : ""}`}>
          <Said what={what} />
          <Button class="plain" onClick={() => notice.set(undefined)}>Dismiss</Button>
        </div>
      )}
    </div>
  );
}

function Said({ what }: { what: Notice }) {
  if ("of" in what) return <p class="num">{grouped(what.done)} of {grouped(what.of)}</p>;
  if ("results" in what) return <Results results={what.results} />;
  return <bdi>{what.error}</bdi>;
}

function isBad(what: Notice) {
  return "error" in what ||
    "results" in what && what.results.some(({ result }) => result === "failed" || result === "left");
}

/** Others are listed up to so many. */
const LISTED = 10;

/** Of several only those are named of which there is something to say. */
function Results({ results }: { results: readonly ActionResult[] }) {
  // Of the same action they are one request.
  const undone = results.filter(({ undo }) => undo);
  const undo = undone[0]?.undo;
  const done = results.filter(({ result }) => result === "done");
  const listed = results.length === 1 ? results : results.filter(({ result }) => result !== "done");
  return (
    <>
      <div>
        {results.length > 1 && <p class="num">{grouped(done.length)} of {grouped(results.length)} done</p>}
        {listed.slice(0, LISTED).map((result) => (
          <p key={`${nameOf(result.target)} ${result.trigger}`} class="line">
            <strong dir="auto">{nameOf(result.target)}</strong>
            {result.result === "done" && result.job !== undefined
              ? <RunOutcome result={result} />
              : <bdi>{result.message}</bdi>}
          </p>
        ))}
        {listed.length > LISTED && <p>and {listed.length - LISTED} more</p>}
      </div>
      {undo && (
        <Button
          class="plain"
          onClick={() => actAndReport(undo, { targets: undone.map(({ target }) => target) })}
        >
          Undo
        </Button>
      )}
    </>
  );
}

const ASK_AGAIN_MS = 1_000;
const ASK_AT_MOST = 60;

/** Says what has come of a run by hand, with a link to its logs. */
function RunOutcome({ result: { target, job = "", trigger, message } }: { result: ActionResult }) {
  const answer = useAskedRun(target, job, trigger);
  if (answer.became === "skipped") return <bdi class="bad">Skipped: {answer.message}</bdi>;
  if (answer.became === "waits") return <bdi>Run requested…</bdi>;
  return (
    <span>
      <bdi>{trigger === undefined ? message : "Started"}</bdi> <a href={logsOf(target, job)}>Logs of {job}</a>
    </span>
  );
}

function useAskedRun(target: ActionResult["target"], job: string, trigger: string | undefined): AskedRunAnswer {
  const [answer, setAnswer] = useState<AskedRunAnswer>(trigger ? { became: "waits" } : { became: "started", job });
  useEffect(() => {
    if (trigger === undefined) return;
    const over = new AbortController();
    const query = queryOf(target, { job, trigger });
    let asked = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const found = await read<AskedRunAnswer>(`/api/run?${query}`, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      if (found && found.became !== "waits") setAnswer(found);
      else if (++asked < ASK_AT_MOST) timer = setTimeout(ask, ASK_AGAIN_MS);
    };
    ask();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [trigger]);
  return answer;
}
