import type { LogMessage, Row } from "../../wire.ts";
import { useEffect, useState } from "preact/hooks";
import { useRights } from "../model/rights.ts";
import { Value } from "../model/value.ts";
import { lines } from "../server.ts";
import { withoutCodes } from "./read_log.ts";

/** By the run: what has ended says nothing more. A log that was empty, or could not be read, is asked for again. */
const known: Map<string, Promise<string>> = new Map();

/** The last words of each CronJob, by the ID of its row; of a new run those of the one before, until its log has been read. */
export const lastWordsOfRows: Value<ReadonlyMap<string, string>> = new Value<ReadonlyMap<string, string>>(new Map());

/** The last line that a run wrote which failed, unless the cause says it already; `isSaid`: or it stands elsewhere. */
export function LastWords({ row, isSaid = false }: { row: Row; isSaid?: boolean }) {
  const { id, namespace, state, cause } = row;
  const { mayReadLogs } = useRights(namespace);
  const [text, setText] = useState("");
  const job = (state === "Failing" || state === "Stopped") && mayReadLogs ? cause?.job : undefined;
  useEffect(() => {
    if (job === undefined) return setText("");
    let isOver = false;
    lastWords(namespace, job).then((words) => {
      if (isOver) return;
      setText(words);
      const { current } = lastWordsOfRows;
      if (words !== "" && words !== current.get(id)) lastWordsOfRows.set(new Map(current).set(id, words));
    });
    return () => void (isOver = true);
  }, [row, job]);
  if (isSaid || job === undefined || cause?.message.includes('"') || cause?.message.includes(text)) return null;
  return <code class="quiet" dir="auto">{text}</code>;
}

function lastWords(namespace: string, job: string) {
  const key = `${namespace}/${job}`;
  let words = known.get(key);
  if (!words) known.set(key, words = readLastWords(namespace, job).catch(() => ""));
  words.then((text) => text === "" && known.delete(key));
  return words;
}

async function readLastWords(namespace: string, job: string) {
  let words = "";
  const query = new URLSearchParams({ namespace, job, tail: "1" });
  for await (const message of lines<LogMessage>(`/api/logs?${query}`)) {
    if (message.kind === "line" && message.text.trim() !== "") words = message.text;
  }
  return withoutCodes(words).trim().slice(0, 500);
}
