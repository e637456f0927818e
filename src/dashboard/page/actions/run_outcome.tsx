import { useEffect, useState } from "preact/hooks";
import type { ActionResult, AskedRunAnswer } from "../../wire.ts";
import { queryOf } from "../parts/answer.ts";
import { read } from "../server.ts";
import { logsOf } from "./row_actions.tsx";

const ASK_AGAIN_MS = 1_000;
const ASK_AT_MOST = 60;

/** Says what has come of a run by hand, with a link to its logs. */
export function RunOutcome({ result: { target, job = "", trigger, message } }: { result: ActionResult }) {
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
