// @ts-check
/** @import { Explained, Row } from "../../wire.ts" */
import { html, useEffect, useState } from "../html.js";
import { address, setParams } from "../model/address.js";
import { useValue } from "../model/value.js";
import { read } from "../server.js";

/** What was looked at: as a mark, and in a word for those who hear it. @type {Readonly<Record<Explained["checks"][number]["result"], readonly [mark: string, word: string]>>} */
const RESULTS = {
  ok: ["✓", "in order"],
  FAIL: ["✕", "not in order"],
  "-": ["–", "does not apply"],
  "?": ["?", "not known"],
};

/** Why the last run went as it did, or the one that is asked about. @param {{ row: Row }} props */
export function Why({ row }) {
  const { params } = useValue(address);
  const explained = useExplained(row, params.why ?? "");
  if (!explained) return html``;
  const { name, verdict, checks, lastLines } = explained;
  return html`
    <section class="panel" aria-labelledby="why">
      <h2 id="why">Why ${params.why &&
        html`<button class="small" onClick=${() => setParams({ why: "" })}>Back to the last one</button>`}</h2>
      <p class="verdict"><bdi>${name} ${verdict.message}.</bdi></p>
      ${verdict.why && html`<p><bdi>${verdict.why}</bdi></p>`}
      ${lastLines.length > 0 &&
        html`<pre class="sample" tabindex="0" aria-label="Its last lines">${lastLines.join("\n")}</pre>`}
      <ul class="checks">
        ${checks.map(({ result, message }) => {
          const [mark, word] = RESULTS[result];
          return html`
            <li key=${message}
              class=${result === "FAIL"
                ? "bad"
                : ""}><span aria-hidden="true">${mark}</span><span><span class="unseen">${word}: </span><bdi>${message}</bdi></span></li>
          `;
        })}
      </ul>
    </section>
  `;
}

/** Undefined as long as nothing is known. @param {Row} row @param {string} which a Job, or a time as `at=…` @returns {Explained | undefined} */
function useExplained(row, which) {
  const [explained, setExplained] = useState(/** @type {Explained | undefined} */ (undefined));
  useEffect(() => {
    const over = new AbortController();
    const { apiVersion: api, namespace, name } = row;
    const query = new URLSearchParams({ api, namespace, name });
    if (which.startsWith("at=")) query.set("at", which.slice(3));
    else if (which !== "") query.set("job", which);
    read(`/api/explain?${query}`, over.signal).then(
      setExplained,
      // Of what is gone nothing can be explained; what was explained before is of something else.
      () => over.signal.aborted || setExplained(undefined),
    );
    return () => over.abort();
  }, [row, which]);
  return explained;
}
