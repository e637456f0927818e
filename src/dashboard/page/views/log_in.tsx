// @ts-check
/** @import { Session } from "../../wire.ts" */
import { html, useState } from "../html.js";
import { session, useToken } from "../server.js";

/** @param {{ who: Session, why: string, onLoggedIn: (who: Session) => void }} props */
export function LogIn({ who, why, onLoggedIn }) {
  return html`
    <main class="log-in">
      <h1>cronjob-controller</h1>
      ${who.login === "code"
        ? html`<${ByLink} why=${why} />`
        : html`<${ByToken} why=${why} onLoggedIn=${onLoggedIn} />`}
    </main>
  `;
}

/** @param {{ why: string }} props */
function ByLink({ why }) {
  return html`
    ${why !== "" && html`<p class="error" role="alert">${why}</p>`}
    <p>Open the link that the program printed when it started. It can be used once; the program prints a new one at every start.</p>
  `;
}

/** @param {{ why: string, onLoggedIn: (who: Session) => void }} props */
function ByToken({ why, onLoggedIn }) {
  const [error, setError] = useState(why);
  const logIn = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    useToken(String(form.get("token")).trim());
    try {
      const who = await session();
      if (who.isLoggedIn) return onLoggedIn(who);
      useToken("");
      setError("The cluster does not accept this token.");
    } catch (failure) {
      useToken("");
      setError(/** @type {Error} */ (failure).message);
    }
  };
  return html`
    <form onSubmit=${logIn}>
      ${error !== "" && html`<p class="error" role="alert"><bdi>${error}</bdi></p>`}
      <label class="field">
        <span>Token of the cluster</span>
        <input name="token" type="password" required autocomplete="off" autofocus spellcheck=${false} />
      </label>
      <p class="quiet">You see and do what this token may. It stays in this page alone, and is forgotten when you close or reload it.</p>
      <pre class="sample" tabindex="0">kubectl create token NAME --namespace NAMESPACE</pre>
      <button class="primary">Log in</button>
    </form>
  `;
}
