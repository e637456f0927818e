// @ts-check
/// <reference lib="dom" />
/** @import { Session } from "../wire.ts" */
import { App } from "./app.js";
import { html, render, useState } from "./html.js";
import { followKeys } from "./keys.js";
import { followAddress } from "./model/address.js";
import { Blank } from "./parts/blank.js";
import { post, session } from "./server.js";
import { LogIn } from "./views/log_in.js";

/** Takes the code out of the link, so that it stays neither in the address nor in the history, and logs in by it. */
async function logInByLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  await post("/api/login", { code });
}

/** @param {{ first: Session, why: string }} props */
function Page({ first, why }) {
  const [who, setWho] = useState(first);
  const [reason, setReason] = useState(why);
  const onLoggedOut = (/** @type {string} */ message) => {
    setReason(message);
    setWho({ ...who, isLoggedIn: false });
  };
  return who.isLoggedIn
    ? html`<${App} who=${who} onLoggedOut=${onLoggedOut} />`
    : html`<${LogIn} who=${who} why=${reason} onLoggedIn=${setWho} />`;
}

const place = /** @type {Element} */ (document.getElementById("app"));
let why = "";
try {
  await logInByLink();
} catch (error) {
  why = /** @type {Error} */ (error).message;
}
followAddress();
followKeys();
try {
  render(html`<${Page} first=${await session()} why=${why} />`, place);
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  render(
    html`
      <main>
        <h1 class="unseen">CronJobs</h1>
        <${Blank} icon="trouble" title="The server cannot be asked">
          <p class="error-text">${message}</p>
          </${Blank}>
          </main>
    `,
    place,
  );
}
