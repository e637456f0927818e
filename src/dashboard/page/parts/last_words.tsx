// @ts-check
/** @import { LogMessage, Row } from "../../wire.ts" */
import { html, useEffect, useState } from "../html.js";
import { useRights } from "../model/rights.js";
import { lines } from "../server.js";
import { withoutCodes } from "./log_pane.js";

/** By the run: what has ended says nothing more. @type {Map<string, Promise<string>>} */
const known = new Map();

/** The last line that a run wrote which failed, unless the cause says it already. @param {{ row: Row }} props */
export function LastWords({ row: { namespace, state, cause } }) {
  const { mayReadLogs } = useRights(namespace);
  const [text, setText] = useState("");
  const job = state === "Failing" && mayReadLogs ? cause?.job : undefined;
  useEffect(() => {
    if (job === undefined) return setText("");
    let isOver = false;
    lastWords(namespace, job).then((words) => isOver || setText(words));
    return () => void (isOver = true);
  }, [namespace, job]);
  if (job === undefined || cause?.message.includes('"')) return html``;
  return html`<p class="last-words"><code><bdi>${text}</bdi></code></p>`;
}

/** @param {string} namespace @param {string} job */
function lastWords(namespace, job) {
  const key = `${namespace}/${job}`;
  let words = known.get(key);
  if (!words) known.set(key, words = readLastWords(namespace, job).catch(() => ""));
  return words;
}

/** @param {string} namespace @param {string} job */
async function readLastWords(namespace, job) {
  let words = "";
  const query = new URLSearchParams({ namespace, job, tail: "1" });
  const over = new AbortController();
  for await (const message of /** @type {AsyncGenerator<LogMessage>} */ (lines(`/api/logs?${query}`, over.signal))) {
    if (message.kind === "line" && message.text.trim() !== "") words = message.text;
  }
  return withoutCodes(words).trim().slice(0, 500);
}
