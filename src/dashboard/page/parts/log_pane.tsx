// @ts-check
/** @import { LogMessage } from "../../wire.ts" */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../html.js";
import { lines } from "../server.js";

/** Lines of the end that are shown. */
const SHOWN = 5_000;
const DRAW_MS = 50;

/**
 * @typedef {{ texts: readonly string[], isCut: boolean, prefixes: boolean, note: string }} Log
 */

/** @type {Log} */
const EMPTY = { texts: [], isCut: false, prefixes: false, note: "Waiting for its output…" };

/** What a run writes, as it does. @param {{ namespace: string, name: string, job: string }} props */
export function LogPane({ namespace, name, job }) {
  const [log, setLog] = useState(EMPTY);
  const ref = useRef(/** @type {HTMLPreElement | null} */ (null));
  const follows = useRef(true);
  useEffect(() => {
    const over = new AbortController();
    follows.current = true;
    setLog(EMPTY);
    readLog({ namespace, name, job }, setLog, over.signal);
    return () => over.abort();
  }, [namespace, name, job]);
  useLayoutEffect(() => {
    if (follows.current && ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  }, [log]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = /** @type {HTMLPreElement} */ (ref.current);
    follows.current = scrollHeight - scrollTop - clientHeight < 24;
  };
  return html`
    <div class="log">
      <pre ref=${ref} tabindex="0" role="log" aria-label=${`Logs of ${job}`} aria-live="off"
        onScroll=${onScroll}>${log.isCut && html`<i>Only the last ${SHOWN} lines are shown.\n</i>`}${log.texts.join(
          "\n",
        )}</pre>
      <p class="quiet" role="status">${log.note}</p>
    </div>
  `;
}

/** @param {Record<string, string>} of @param {(log: Log) => void} show @param {AbortSignal} signal */
async function readLog(of, show, signal) {
  /** @type {{ container: string, text: string }[]} */
  let all = [];
  let isCut = false;
  let note = "Live";
  const containers = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const draw = () => {
    timer = undefined;
    if (signal.aborted) return;
    isCut ||= all.length > SHOWN;
    all = all.slice(-SHOWN);
    const prefixes = containers.size > 1;
    show({
      texts: all.map(({ container, text }) => prefixes ? `${container} | ${text}` : text),
      isCut,
      prefixes,
      note,
    });
  };
  try {
    for await (
      const message of /** @type {AsyncGenerator<LogMessage>} */ (lines(`/api/logs?${new URLSearchParams(of)}`, signal))
    ) {
      if (message.kind === "line") {
        const container = `${message.pod}/${message.container}`;
        containers.add(container);
        all.push({ container, text: withoutCodes(message.text) });
        note = "Live";
      } else {
        note = message.kind === "end"
          ? all.length === 0 ? "The run wrote nothing." : "The run has ended."
          : message.message;
      }
      timer ??= setTimeout(draw, DRAW_MS);
    }
  } catch (error) {
    if (signal.aborted) return;
    note = /** @type {Error} */ (error).message;
  }
  clearTimeout(timer);
  draw();
}

/** Colours and movements of a terminal mean nothing here. @param {string} text */
export function withoutCodes(text) {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
}
