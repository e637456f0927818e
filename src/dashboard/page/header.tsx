// @ts-check
/** @import { Row, Session } from "../wire.ts" */
import { html, useMemo } from "./html.js";
import { isHelpOpen } from "./keys.js";
import { address, endSearch, fragmentOf, go, search, setParams, VIEWS } from "./model/address.js";
import { useNow } from "./model/clock.js";
import { filterOf, textOf } from "./model/filter.js";
import { link } from "./model/live_rows.js";
import { grouped } from "./model/numbers.js";
import { nameOf } from "./model/order.js";
import { lasting, VIEWERS_ZONE, wallOf } from "./model/times.js";
import { useValue } from "./model/value.js";
import { ThemeButton } from "./parts/theme_button.js";

/** @typedef {ReturnType<typeof import("./model/states.js").countsOf>} Counts */

/** @param {{ who: Session, all: readonly Row[], counts: Counts }} props */
export function Header({ who, all, counts }) {
  const { view, params } = useValue(address);
  return html`
    <header>
      <div class="bar">
        <a class="product" href="#/attention"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1a7 7 0 110 14A7 7 0 018 1z" /><path d="M8 4v4l2.8 1.8" /></svg>cronjob-controller</a>
        <span class="server quiet" title=${who.user ? `as ${who.user}` : ""}><bdi>${hostOf(who.server)}</bdi></span>
        ${who.isReadOnly && html`<span class="tag">read-only</span>`}
        <${NamespaceChoice} all=${all} />
        <${Search} count=${all.length} />
        <${WallClock} />
        <${LinkLight} />
        <${ThemeButton} />
        <button class="icon" title="Keys (?)" aria-label="Keys" onClick=${() => isHelpOpen.set(true)}>?</button>
      </div>
      <div class="bar second">
        <${Summary} all=${all} counts=${counts} />
        <nav aria-label="Views">
          ${VIEWS.map(([name, label]) =>
            html`
              <a key=${name} href=${fragmentOf({
                view: name,
                params: params.q ? { q: params.q } : {},
              })} aria-current=${view === name ? "page" : undefined}>${label}</a>
            `
          )}
        </nav>
      </div>
    </header>
  `;
}

/** @param {string} server */
function hostOf(server) {
  return URL.canParse(server) ? new URL(server).host : server;
}

/** @param {{ all: readonly Row[] }} props */
function NamespaceChoice({ all }) {
  const { params } = useValue(address);
  const filter = filterOf(params.q ?? "");
  const namespaces = useMemo(() => Array.from(new Set(all.map(({ namespace }) => namespace))).sort(), [all]);
  const options = useMemo(
    () => namespaces.map((namespace) => html`<option key=${namespace} value=${namespace}>${namespace}</option>`),
    [namespaces.join()],
  );
  if (namespaces.length < 2) return html``;
  const [chosen = "", ...more] = filter.namespaces;
  const choose = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    setParams({ q: textOf({ ...filter, namespaces: value === "" ? [] : [value] }) });
  };
  return html`
    <select class="namespaces" aria-label="Namespace" value=${more.length > 0 ? "" : chosen} onChange=${choose}>
      <option value="">all namespaces</option>
      ${options}
    </select>
  `;
}

/** @param {{ count: number }} props */
function Search({ count }) {
  const { view, params } = useValue(address);
  const type = (/** @type {InputEvent} */ event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    if (view === "cronjob" || view === "load") go({ view: "all", params: { q: value } });
    else search(value);
  };
  return html`
    <search>
      <input type="search" aria-label="Search CronJobs" placeholder=${`Search ${
        grouped(count)
      }`} title="Words, state:failing, ns:team-a"
        autocomplete="off" spellcheck=${false} value=${params.q ?? ""} onInput=${type} onBlur=${endSearch} />
      <kbd aria-hidden="true">/</kbd>
    </search>
  `;
}

/** The time where the viewer is, and in UTC. */
function WallClock() {
  const now = useNow();
  const own = wallOf(now, VIEWERS_ZONE).clock.slice(0, 5);
  return html`
    <time class="clock num" title=${VIEWERS_ZONE}
      datetime=${new Date(now).toISOString()}>${own} <span class="quiet">${VIEWERS_ZONE}${VIEWERS_ZONE === "UTC"
        ? ""
        : ` (${wallOf(now, "UTC").clock.slice(0, 5)} UTC)`}</span></time>
  `;
}

const LIGHTS = { loading: "loading", live: "live", trouble: "trouble", offline: "offline", loggedOut: "logged out" };

function LinkLight() {
  const { kind } = useValue(link);
  return html`<span class=${`light is-${kind}`}>${LIGHTS[kind]}</span>`;
}

/** How the fleet is, in a line. @param {{ all: readonly Row[], counts: Counts }} props */
function Summary({ all, counts }) {
  const { view } = useValue(address);
  return html`
    <p class="summary num">
      <a href="#/attention" class=${counts.needSomebody > 0 ? "bad" : ""}><b>${counts
        .needSomebody}</b> need${counts.needSomebody === 1 ? "s" : ""} you</a>
      <a href="#/all?q=state:running"><b>${counts.running}</b> running</a>
      <a href="#/all?q=state:paused,suspended"><b>${counts.paused}</b> paused</a>
      <a href="#/all?q=state:waiting,ended"><b>${counts.fine}</b> fine</a>
      ${view !== "attention" || html`<${NextOfAll} all=${all} />`}
    </p>
  `;
}

/** @param {{ all: readonly Row[] }} props */
export function NextOfAll({ all }) {
  const now = useNow();
  let next;
  let at = Infinity;
  for (const row of all) {
    if (row.nextRun?.kind === "known" && row.nextRun.startsAt > now && row.nextRun.startsAt < at) {
      next = row;
      at = row.nextRun.startsAt;
    }
  }
  return next &&
    html`<span class="quiet">next: <bdi>${nameOf(next)}</bdi> in <span class="countdown">${
      lasting(at - now)
    }</span></span>`;
}
