import type { LogMessage } from "../../wire.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { lines } from "../server.ts";

/** Lines of the end that are shown. */
const SHOWN = 5_000;
const DRAW_MS = 50;

export type Log = { texts: readonly string[]; isCut: boolean; prefixes: boolean; note: string };

const EMPTY: Log = { texts: [], isCut: false, prefixes: false, note: "Waiting for its output…" };

/** What a run writes, as it does. */
export function LogPane({ namespace, name, job }: { namespace: string; name: string; job: string }) {
  const [log, setLog] = useState(EMPTY);
  const ref = useRef<HTMLPreElement | null>(null);
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
    const { scrollTop, scrollHeight, clientHeight } = ref.current as HTMLPreElement;
    follows.current = scrollHeight - scrollTop - clientHeight < 24;
  };
  return (
    <div class="log">
      <pre
        ref={ref}
        tabindex={0}
        role="log"
        aria-label={`Logs of ${job}`}
        aria-live="off"
        onScroll={onScroll}
      >{log.isCut && <i>{`Only the last ${SHOWN} lines are shown.\n`}</i>}{log.texts.join("\n")}</pre>
      <p class="quiet" role="status">{log.note}</p>
    </div>
  );
}

async function readLog(of: Record<string, string>, show: (log: Log) => void, signal: AbortSignal) {
  let all: { container: string; text: string }[] = [];
  let isCut = false;
  let note = "Live";
  const containers = new Set();
  let timer: ReturnType<typeof setTimeout> | undefined;
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
      const message of lines<LogMessage>(`/api/logs?${new URLSearchParams(of)}`, signal)
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
    note = (error as Error).message;
  }
  clearTimeout(timer);
  draw();
}

/** Colours and movements of a terminal mean nothing here. */
export function withoutCodes(text: string) {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
}
