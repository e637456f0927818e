import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { SHOWN_LINES } from "../../wire.ts";
import { grouped } from "../model/numbers.ts";
import { EMPTY, type Log, NOTHING_KEPT, readLog } from "./read_log.ts";
import { Button, CopyButton } from "./elements.tsx";

interface LogPaneProps {
  readonly namespace: string;
  readonly name: string;
  readonly job: string;
  /** How the run ended; undefined: with success, or it is not known. */
  readonly end: string | undefined;
}

/** The output of a run, as it comes: searched, wrapped and downloaded. */
export function LogPane({ namespace, name, job, end }: LogPaneProps) {
  const [log, setLog] = useState(EMPTY);
  const [words, setWords] = useState("");
  const [wraps, setWraps] = useState(true);
  const ref = useRef<HTMLPreElement | null>(null);
  const follows = useRef(true);
  useEffect(() => {
    const over = new AbortController();
    follows.current = true;
    setLog(EMPTY);
    readLog({ namespace, name, job }, setLog, over.signal);
    return () => over.abort();
  }, [namespace, name, job]);
  const found = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    return wanted === "" ? log.lines : log.lines.filter((line) => line.toLowerCase().includes(wanted));
  }, [log, words]);
  useLayoutEffect(() => {
    if (follows.current && ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  }, [found, wraps]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = ref.current as HTMLPreElement;
    follows.current = scrollHeight - scrollTop - clientHeight < 24;
  };
  const command = `cronjob-controller logs ${name} --run ${job} -n ${namespace}`;
  return (
    <div class="log stack fine">
      <div class="bar">
        <input
          type="search"
          aria-label="Find in the log"
          placeholder="Find in the log"
          autocomplete="off"
          spellcheck={false}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <label class="check">
          <input type="checkbox" checked={wraps} onChange={(event) => setWraps(event.currentTarget.checked)} /> Wrap
        </label>
        <Button class="small" disabled={log.lines.length === 0} onClick={() => download(job, log)}>
          Download
        </Button>
      </div>
      {log.isCut && (
        <p class="line">
          Only the last {grouped(SHOWN_LINES)} lines are shown, searched and downloaded. All:{" "}
          <code dir="auto">{command}</code> <CopyButton text={command} />
        </p>
      )}
      <pre
        ref={ref}
        class={`well${wraps ? " wraps" : ""}${log === EMPTY ? "" : " has-come"}`}
        tabindex={0}
        role="log"
        aria-label={`Logs of ${job}`}
        aria-live="off"
        onScroll={onScroll}
      >{found.join("\n")}</pre>
      <p class={log.isTroubled ? "error num" : "quiet num"} role="status">
        {log.note}
        {log.note === NOTHING_KEPT && end !== undefined && (
          <>
            {" How it ended: "}
            <bdi>{end}</bdi>
          </>
        )}
        {found !== log.lines && ` ${grouped(found.length)} of ${grouped(log.lines.length)} lines.`}
      </p>
    </div>
  );
}

function download(job: string, { lines }: Log): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\n"), "\n"], { type: "text/plain" }));
  link.download = `${job}.log`;
  link.click();
  URL.revokeObjectURL(link.href);
}
