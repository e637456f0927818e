// @ts-check
/** @import { Session } from "../wire.ts" */
import { ActionDialog } from "./actions/dialog.js";
import { NoticeBar } from "./actions/notice.js";
import { SelectionBar } from "./actions/selection_bar.js";
import { Header } from "./header.js";
import { html, render, useEffect, useMemo, useState } from "./html.js";
import { followKeys } from "./keys.js";
import { KeysDialog } from "./keys_dialog.js";
import { address, followAddress } from "./model/address.js";
import { filterOf, matcherOf } from "./model/filter.js";
import { followRows, link, rows } from "./model/live_rows.js";
import { sorted, sortOf } from "./model/order.js";
import { countsOf } from "./model/states.js";
import { useValue } from "./model/value.js";
import { Announcer } from "./parts/announcer.js";
import { Blank } from "./parts/blank.js";
import { LinkBanner } from "./parts/link_banner.js";
import { Loading } from "./parts/loading.js";
import { All } from "./views/all.js";
import { Attention } from "./views/attention.js";
import { CronJobPage } from "./views/cron_job.js";
import { Load } from "./views/load.js";
import { LogIn } from "./views/log_in.js";
import { TimelineView } from "./views/timeline.js";

/** Who comes, and why the link does not let them in. @typedef {{ who: Session, why: string }} Arrival */

/** Draws the page for its visitor. @param {Promise<Arrival>} arrival */
export async function show(arrival) {
  const place = /** @type {Element} */ (document.getElementById("app"));
  try {
    const first = await arrival;
    followAddress();
    followKeys();
    render(html`<${Page} ...${first} />`, place);
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
}

/** @param {Arrival} first */
function Page(first) {
  const [{ who, why }, turn] = useState(first);
  return who.isLoggedIn
    ? html`<${App} who=${who} onLoggedOut=${(/** @type {string} */ why) =>
      turn({ who: { ...who, isLoggedIn: false }, why })} />`
    : html`<${LogIn} who=${who} why=${why} onLoggedIn=${(/** @type {Session} */ who) => turn({ who, why })} />`;
}

/** All that a visitor sees after logging in. @param {{ who: Session, onLoggedOut: (message: string) => void }} props */
function App({ who, onLoggedOut }) {
  const state = useValue(link);
  useEffect(() => {
    const over = new AbortController();
    followRows(over.signal);
    return () => over.abort();
  }, []);
  useEffect(() => {
    if (state.kind === "loggedOut") onLoggedOut(state.message);
  }, [state]);
  const all = useValue(rows);
  const { view, params } = useValue(address);
  const { by, isReverse } = sortOf(view === "all" ? params.sort : undefined);
  const ordered = useMemo(() => sorted(Array.from(all.values()), by, isReverse), [all, by, isReverse]);
  const shown = useMemo(() => ordered.filter(matcherOf(filterOf(params.q ?? ""))), [ordered, params.q]);
  const counts = useMemo(() => countsOf(ordered), [ordered]);
  useEffect(() => {
    document.title = counts.needSomebody > 0 ? `(${counts.needSomebody}) CronJobs` : "CronJobs";
  }, [counts.needSomebody]);
  return html`
    <a class="skip" href="#main" onClick=${skipToMain}>Skip to the CronJobs</a>
    <${Header} who=${who} all=${ordered} counts=${counts} />
    <${LinkBanner} />
    <main id="main" tabindex="-1" class=${`view-${view}`}>
      <${Main} view=${view} all=${ordered} shown=${shown} />
    </main>
    <${SelectionBar} />
    <${NoticeBar} />
    <${Announcer} rows=${ordered} />
    <${ActionDialog} />
    <${KeysDialog} />
  `;
}

const LISTS = { attention: Attention, timeline: TimelineView, all: All };

/** @param {{ view: string, all: readonly import("../wire.ts").Row[], shown: readonly import("../wire.ts").Row[] }} props */
function Main({ view, all, shown }) {
  const state = useValue(link);
  if (view === "load") return html`<${Load} />`;
  if (all.length === 0 && (state.kind !== "live" || view !== "cronjob")) {
    return html`
      <h1 class="unseen">CronJobs</h1>
      <${None} state=${state} />
    `;
  }
  if (view === "cronjob") return html`<${CronJobPage} all=${all} />`;
  const View = LISTS[/** @type {keyof typeof LISTS} */ (view)];
  return html`<${View} rows=${shown} total=${all.length} />`;
}

/** Why there is none to show. @param {{ state: import("./model/live_rows.js").Link }} props */
function None({ state }) {
  switch (state.kind) {
    case "loading":
      return html`<${Loading} what="CronJobs" ...${state} />`;
    case "offline":
      return html`
        <${Blank} icon="offline" title="The server does not answer">
          <p>The page goes on trying. Does the program still run?</p>
          </${Blank}>
      `;
    case "trouble":
      return html`<${Trouble} reason=${state.reason} message=${state.message} />`;
    default:
      return html`
        <${Blank} icon="nothing" title="There are no CronJobs">
          <p>Create one, and it is here within a second:</p>
          <pre class="sample" tabindex="0">kubectl create cronjob hello --image=busybox --schedule='*/5 * * * *' -- date</pre>
          </${Blank}>
      `;
  }
}

/** @param {{ reason: string, message: string }} props */
function Trouble({ reason, message }) {
  const isForbidden = reason === "Forbidden";
  return html`
    <${Blank} icon=${isForbidden ? "lock" : "trouble"} title=${isForbidden
      ? "You may not list CronJobs here"
      : "The API server cannot be asked"}>
      <p class="error-text"><bdi>${message}</bdi></p>
      <p class="quiet">${isForbidden
        ? "It takes a role that may get, list and watch cronjobs and jobs."
        : "The page goes on trying."}</p>
      </${Blank}>
  `;
}

/** The fragment is the address of a view: the link moves only the focus. @param {Event} event */
function skipToMain(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
