import type { Row, Session } from "../wire.ts";
import { ActionDialog } from "./actions/dialog.tsx";
import { NoticeBar } from "./actions/notice.tsx";
import { SelectionBar } from "./actions/selection_bar.tsx";
import { Header } from "./header.tsx";
import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { followKeys, KeysDialog } from "./keys.tsx";
import { address, followAddress } from "./model/address.ts";
import { filterOf, matcherOf } from "./model/filter.ts";
import { followRows, type Link, link, rows } from "./model/live_rows.ts";
import { scope } from "./server.ts";
import { sorted, sortOf } from "./model/order.ts";
import { countsOf } from "./model/states.ts";
import { useValue } from "./model/value.ts";
import { Announcer } from "./parts/announcer.tsx";
import { Blank, Loading } from "./parts/elements.tsx";
import { NamespacesForm } from "./parts/namespaces_form.tsx";
import { LinkBanner } from "./parts/link_banner.tsx";
import { All } from "./views/all.tsx";
import { Attention } from "./views/attention.tsx";
import { CronJobPage } from "./views/cron_job.tsx";
import { Load } from "./views/load.tsx";
import { LogIn } from "./views/log_in.tsx";
import { TimelineView } from "./views/timeline.tsx";

/** The visitor's session, and why the link does not let them in. */
type Arrival = { who: Session; why: string };

/** Draws the page for its visitor. */
export async function show(arrival: Promise<Arrival>) {
  const place = document.getElementById("app") as Element;
  try {
    const first = await arrival;
    followAddress();
    followKeys();
    render(<Page {...first} />, place);
  } catch (error) {
    const { message } = error as Error;
    render(
      (
        <main>
          <h1 class="unseen">CronJobs</h1>
          <Blank icon="trouble" title="The server cannot be asked" error={message} />
        </main>
      ),
      place,
    );
  }
}

function Page(first: Arrival) {
  const [{ who, why }, setArrival] = useState(first);
  return who.isLoggedIn
    ? <App who={who} onLoggedOut={(why: string) => setArrival({ who: { ...who, isLoggedIn: false }, why })} />
    : <LogIn who={who} why={why} onLoggedIn={(who: Session) => setArrival({ who, why })} />;
}

/** All that a visitor sees after logging in. */
function App({ who, onLoggedOut }: { who: Session; onLoggedOut: (message: string) => void }) {
  const state = useValue(link);
  const namespaces = useValue(scope);
  const likely = useRef(likelyNamespace(who));
  useEffect(() => {
    const over = new AbortController();
    followRows(over.signal);
    return () => over.abort();
  }, [namespaces]);
  useEffect(() => {
    if (state.kind === "loggedOut") onLoggedOut(state.message);
    const isForbidden = state.kind === "trouble" && state.reason === "Forbidden" && namespaces.length === 0;
    if (!isForbidden || likely.current === undefined) return;
    scope.set([likely.current]);
    // Once, so that the visitor may name others.
    likely.current = undefined;
  }, [state]);
  const all = useValue(rows);
  const { view, params } = useValue(address);
  const { by, isReverse } = sortOf(view === "all" ? params.sort : undefined);
  const ordered = useMemo(() => sorted(Array.from(all.values()), by, isReverse), [all, by, isReverse]);
  const shown = useMemo(() => ordered.filter(matcherOf(filterOf(params.q ?? ""))), [ordered, params.q]);
  const counts = useMemo(() => countsOf(ordered), [ordered]);
  useEffect(() => {
    document.title = counts.needAttention > 0 ? `(${counts.needAttention}) CronJobs` : "CronJobs";
  }, [counts.needAttention]);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>Skip to the CronJobs</a>
      <Header who={who} all={ordered} counts={counts} />
      <LinkBanner />
      <main id="main" tabindex={-1} class={`stack view-${view}`}>
        <Main view={view} all={ordered} shown={shown} />
      </main>
      <div class="foot">
        <NoticeBar />
        <SelectionBar />
      </div>
      <Announcer rows={ordered} />
      <ActionDialog />
      <KeysDialog />
    </>
  );
}

/** Returns the namespace of a visitor who may not look at all of them, where the address or a ServiceAccount names it. */
function likelyNamespace({ user = "" }: Session): string | undefined {
  const { current } = address;
  return current.view === "cronjob" ? current.target.namespace : SERVICE_ACCOUNT.exec(user)?.[1];
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):/;

const LISTS = { attention: Attention, timeline: TimelineView, all: All };

function Main({ view, all, shown }: { view: string; all: readonly Row[]; shown: readonly Row[] }) {
  const state = useValue(link);
  if (view === "load") return <Load />;
  if (all.length === 0 && (state.kind !== "live" || view !== "cronjob")) {
    return (
      <>
        <h1 class="unseen">CronJobs</h1>
        <NoCronJobs state={state} />
      </>
    );
  }
  if (view === "cronjob") return <CronJobPage all={all} />;
  const View = LISTS[view as keyof typeof LISTS];
  return <View rows={shown} total={all.length} />;
}

/** Says why there are no CronJobs to show. */
function NoCronJobs({ state }: { state: Link }) {
  switch (state.kind) {
    case "loading":
      return <Loading what="CronJobs" {...state} />;
    case "offline":
      return (
        <Blank icon="offline" title="The server does not answer">
          <p>The page goes on trying. Does the program still run?</p>
        </Blank>
      );
    case "trouble":
      return <Trouble isForbidden={state.reason === "Forbidden"} message={state.message} />;
    default:
      return (
        <Blank icon="nothing" title="There are no CronJobs">
          <p>Create one, and it is here within a second:</p>
          <pre
            class="well"
            tabindex={0}
          >kubectl create cronjob hello --image=busybox --schedule='*/5 * * * *' -- date</pre>
        </Blank>
      );
  }
}

function Trouble({ isForbidden, message }: { isForbidden: boolean; message: string }) {
  return (
    <Blank
      icon={isForbidden ? "lock" : "trouble"}
      title={isForbidden ? "You may not list CronJobs here" : "The API server cannot be asked"}
      error={message}
    >
      {!isForbidden && <p class="quiet">The page goes on trying.</p>}
      {(isForbidden || scope.current.length > 0) && <NamespacesForm />}
    </Blank>
  );
}

/** The fragment is the address of a view: the link moves only the focus. */
function skipToMain(event: Event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
