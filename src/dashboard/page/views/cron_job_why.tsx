import type { Explained, Row } from "../../wire.ts";
import { address, setParams } from "../model/address.ts";
import { serverNow } from "../model/clock.ts";
import { incidentOf } from "../model/incident.ts";
import { useValue } from "../model/value.ts";
import { queryOf, useAnswer } from "../parts/answer.ts";
import { Button, CopyButton, Panel } from "../parts/elements.tsx";

/** The result of a check: as a mark, and in a word for a screen reader. */
const RESULTS: Readonly<Record<Explained["checks"][number]["result"], readonly [mark: string, word: string]>> = {
  ok: ["✓", "in order"],
  FAIL: ["✕", "not in order"],
  "-": ["–", "does not apply"],
  "?": ["?", "not known"],
};

/** Why the last run went as it did, or the one that is asked about: `why` is a Job, or a time as `at=…`. */
export function Why({ row }: { row: Row }) {
  const { params } = useValue(address);
  const which = params.why ?? "";
  const [key, value] = which.startsWith("at=") ? ["at", which.slice(3)] : ["job", which];
  const { value: explained, error } = useAnswer<Explained>(`/api/explain?${queryOf(row, { [key]: value })}`, row);
  // An explanation from before is of something else.
  if (error || !explained) {
    return (
      <Panel id="why" title="Why">
        <p class="quiet">{error ? `It cannot be explained: ${error.message}` : "Looking…"}</p>
      </Panel>
    );
  }
  const { name, verdict, checks, lastLines } = explained;
  const aside = (
    <>
      {params.why && <Button class="small" onClick={() => setParams({ why: "" })}>Back to the last one</Button>}
      <CopyButton
        label="Copy as Markdown"
        text={() => incidentOf(row, explained, { now: serverNow(), link: location.href })}
      />
    </>
  );
  return (
    <Panel id="why" title="Why" aside={aside}>
      <b dir="auto">{name} {verdict.message}.</b>
      {verdict.why && <p dir="auto">{verdict.why}</p>}
      {lastLines.length > 0 &&
        <pre class="well" tabindex={0} aria-label="Its last lines">{lastLines.join("\n")}</pre>}
      <ul class="checks stack">
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
    </Panel>
  );
}
