import type { Explained, Row } from "../../wire.ts";
import { useEffect, useState } from "preact/hooks";
import { address, setParams } from "../model/address.ts";
import { serverNow } from "../model/clock.ts";
import { incidentOf } from "../model/incident.ts";
import { useValue } from "../model/value.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { read } from "../server.ts";

/** What was looked at: as a mark, and in a word for those who hear it. */
const RESULTS: Readonly<Record<Explained["checks"][number]["result"], readonly [mark: string, word: string]>> = {
  ok: ["✓", "in order"],
  FAIL: ["✕", "not in order"],
  "-": ["–", "does not apply"],
  "?": ["?", "not known"],
};

/** Why the last run went as it did, or the one that is asked about. */
export function Why({ row }: { row: Row }) {
  const { params } = useValue(address);
  const explained = useExplained(row, params.why ?? "");
  if (!explained) return null;
  const { name, verdict, checks, lastLines } = explained;
  return (
    <section class="panel" aria-labelledby="why">
      <h2 id="why">
        Why {params.why &&
          <button type="button" class="small" onClick={() => setParams({ why: "" })}>Back to the last one</button>}
        <CopyButton
          label="Copy as Markdown"
          text={() => incidentOf(row, explained, { now: serverNow(), link: location.href })}
        />
      </h2>
      <p class="verdict">
        <bdi>{name} {verdict.message}.</bdi>
      </p>
      {verdict.why && (
        <p>
          <bdi>{verdict.why}</bdi>
        </p>
      )}
      {lastLines.length > 0 &&
        <pre class="sample" tabindex={0} aria-label="Its last lines">{lastLines.join("\n")}</pre>}
      <ul class="checks">
        {checks.map(({ result, message }) => {
          const [mark, word] = RESULTS[result];
          return (
            <li key={message} class={result === "FAIL" ? "bad" : ""}>
              <span aria-hidden="true">{mark}</span>
              <span>
                <span class="unseen">{word}:</span>
                <bdi>{message}</bdi>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/**
 * Undefined as long as nothing is known.
 * @param which a Job, or a time as `at=…`
 */
function useExplained(row: Row, which: string): Explained | undefined {
  const [explained, setExplained] = useState<Explained | undefined>(undefined);
  useEffect(() => {
    const over = new AbortController();
    const { apiVersion: api, namespace, name } = row;
    const query = new URLSearchParams({ api, namespace, name });
    if (which.startsWith("at=")) query.set("at", which.slice(3));
    else if (which !== "") query.set("job", which);
    read<Explained>(`/api/explain?${query}`, over.signal).then(
      setExplained,
      // Of what is gone nothing can be explained; what was explained before is of something else.
      () => over.signal.aborted || setExplained(undefined),
    );
    return () => over.abort();
  }, [row, which]);
  return explained;
}
