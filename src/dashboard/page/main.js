// @ts-check
/// <reference lib="dom" />
/** @import { Row, RowsMessage, Session } from "../wire.ts" */
import { html, render, useEffect, useState } from "./html.js";
import { lines, post, session } from "./server.js";

/** Takes the code out of the link, so that it stays neither in the address nor in the history, and logs in by it. */
async function logInByLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  await post("/api/login", { code });
}

/** @param {{ rows: ReadonlyMap<string, Row> }} props */
function Attention({ rows }) {
  return html`
    <main>
      <h1>CronJobs</h1>
      <ul>
        ${[...rows.values()].map((row) =>
          html`<li key=${row.id}>${row.state} ${row.namespace}/${row.name} ${row.cause?.message}</li>`
        )}
      </ul>
    </main>
  `;
}

/** @param {{ who: Session, why: string }} props */
function App({ who, why }) {
  const [rows, setRows] = useState(/** @type {ReadonlyMap<string, Row>} */ (new Map()));
  useEffect(() => {
    if (!who.isLoggedIn) return;
    const over = new AbortController();
    follow(setRows, over.signal);
    return () => over.abort();
  }, []);
  if (!who.isLoggedIn) {
    return html`
      <main>
        <h1>Log in</h1>
        <p>${why}</p>
      </main>
    `;
  }
  return html`<${Attention} rows=${rows} />`;
}

/** @param {(rows: ReadonlyMap<string, Row>) => void} show @param {AbortSignal} signal */
async function follow(show, signal) {
  let rows = new Map();
  for await (const message of /** @type {AsyncGenerator<RowsMessage>} */ (lines("/api/rows", signal))) {
    if (message.kind === "start") rows = new Map();
    if (message.kind === "rows") { for (const row of message.rows) rows.set(row.id, row); }
    if (message.kind === "gone") { for (const id of message.ids) rows.delete(id); }
    show(new Map(rows));
  }
}

let why = "Open the link that the program has printed.";
try {
  await logInByLink();
} catch (error) {
  why = /** @type {Error} */ (error).message;
}
render(html`<${App} who=${await session()} why=${why} />`, /** @type {Element} */ (document.getElementById("app")));
