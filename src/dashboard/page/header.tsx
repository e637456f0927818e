import type { Row, Session } from "../wire.ts";
import { isHelpOpen } from "./keys.tsx";
import { address, endSearch, fragmentOf, go, search, setParams, VIEWS } from "./model/address.ts";
import { useNow } from "./model/clock.ts";
import { filterOf, textOf } from "./model/filter.ts";
import { link } from "./model/live_rows.ts";
import { grouped } from "./model/numbers.ts";
import { nameOf, namespacesOf } from "./model/order.ts";
import { type ClockName, clockName, CLOCKS, useZone, VIEWERS_ZONE } from "./model/times.ts";
import { distanceOf } from "../../view/times.ts";
import { scope } from "./server.ts";
import { wallOf } from "../../schedule/full_time.ts";
import type { Counts } from "./model/states.ts";
import { useValue } from "./model/value.ts";
import { Button } from "./parts/elements.tsx";

export function Header({ who, all, counts }: { who: Session; all: readonly Row[]; counts: Counts }) {
  const { view, params } = useValue(address);
  return (
    <header>
      <div class="bar">
        <a class="product" href="#/attention">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 1a7 7 0 110 14A7 7 0 018 1z" />
            <path d="M8 4v4l2.8 1.8" />
          </svg>cronjob-controller
        </a>
        <bdi class="server quiet" title={who.user ? `as ${who.user}` : ""}>{hostOf(who.server)}</bdi>
        {who.isReadOnly && <span class="tag">read-only</span>}
        <Scope />
        <NamespaceChoice all={all} />
        <Search count={all.length} />
        <WallClock />
        <LinkLight />
        {who.login === "token" && (
          <Button
            class="plain"
            title="Forget this token, and ask for one"
            onClick={() => location.reload()}
          >
            Log out
          </Button>
        )}
        <Button class="icon" title="Keys (?)" aria-label="Keys" onClick={() => isHelpOpen.set(true)}>
          ?
        </Button>
      </div>
      <div class="bar">
        <Summary all={all} counts={counts} />
        <nav aria-label="Views">
          {VIEWS.filter(([name]) => who.hasLoad || name !== "load").map(([name, label]) => (
            <a
              key={name}
              href={fragmentOf({ view: name, params: { q: params.q ?? "" } })}
              aria-current={view === name ? "page" : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      </div>
    </header>
  );
}

function hostOf(server: string) {
  return URL.canParse(server) ? new URL(server).host : server;
}

/** Where not all namespaces are looked at, which. */
function Scope() {
  const namespaces = useValue(scope);
  return namespaces.length > 0 && (
    <Button class="plain" title="Look at all namespaces" onClick={() => scope.set([])}>
      in {namespaces.join(", ")} ✕
    </Button>
  );
}

function NamespaceChoice({ all }: { all: readonly Row[] }) {
  const { params } = useValue(address);
  const filter = filterOf(params.q ?? "");
  const namespaces = namespacesOf(all);
  if (namespaces.length < 2) return null;
  const [chosen = "", ...more] = filter.namespaces;
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    setParams({ q: textOf({ ...filter, namespaces: value === "" ? [] : [value] }) });
  };
  return (
    <select class="namespaces" aria-label="Namespace" value={more.length > 0 ? "" : chosen} onChange={choose}>
      <option value="">all namespaces</option>
      {namespaces.map((namespace) => <option key={namespace} value={namespace}>{namespace}</option>)}
    </select>
  );
}

function Search({ count }: { count: number }) {
  const { view, params } = useValue(address);
  const type = (event: InputEvent) => {
    const { value } = event.target as HTMLInputElement;
    if (view === "cronjob" || view === "load") go({ view: "all", params: { q: value } });
    else search(value);
  };
  return (
    <search>
      <input
        type="search"
        aria-label="Search CronJobs"
        placeholder={`Search ${grouped(count)}`}
        title="Words, state:failing, ns:team-a, label:team=payments"
        autocomplete="off"
        spellcheck={false}
        value={params.q ?? ""}
        onInput={type}
        onBlur={endSearch}
      />
      <kbd aria-hidden="true">/</kbd>
    </search>
  );
}

/** The time now, and by which wall clock times are shown. */
function WallClock() {
  const now = useNow();
  const zone = useZone(VIEWERS_ZONE);
  return (
    <span class="clock num">
      <time datetime={new Date(now).toISOString()}>{wallOf(now, zone).clock.slice(0, 5)}</time>{" "}
      <bdi class="quiet">{zone}</bdi>{" "}
      <select
        aria-label="Times are shown in"
        value={useValue(clockName)}
        onChange={(event) => clockName.set(event.currentTarget.value as ClockName)}
      >
        {Object.entries(CLOCKS).map(([name, label]) => <option key={name} value={name}>{label}</option>)}
      </select>
    </span>
  );
}

function LinkLight() {
  const { kind } = useValue(link);
  return <span class={`light quiet fine is-${kind}`}>{kind}</span>;
}

const SUMMARY: readonly (readonly [of: keyof Counts, label: (count: number) => string, fragment: string])[] = [
  ["needAttention", (count) => count === 1 ? "needs you" : "need you", "#/attention"],
  ["running", () => "running", "#/all?q=state:running"],
  ["paused", () => "paused", "#/all?q=state:paused,suspended"],
  ["fine", () => "fine", "#/all?q=state:waiting,ended"],
];

/** How the fleet is, in a line. */
function Summary({ all, counts }: { all: readonly Row[]; counts: Counts }) {
  const { view } = useValue(address);
  const { kind } = useValue(link);
  const isKnown = all.length > 0 || kind === "live";
  return (
    <p class="bar summary num">
      {SUMMARY.map(([of, label, fragment]) => (
        <a key={of} href={fragment} class={of === "needAttention" && counts[of] > 0 ? "bad" : ""}>
          <b>{isKnown ? grouped(counts[of]) : "–"}</b> {label(counts[of])}
        </a>
      ))}
      {view !== "attention" || <NextOfAll all={all} />}
    </p>
  );
}

export function NextOfAll({ all }: { all: readonly Row[] }) {
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
    (
      <span class="quiet">
        next: <bdi>{nameOf(next)}</bdi> in <span class="countdown">{distanceOf(now, at)}</span>
      </span>
    );
}
