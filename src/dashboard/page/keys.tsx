import type { ActionName } from "../wire.ts";
import { askTo } from "./actions/act.ts";
import { logsOf, pageOf } from "./actions/row_actions.tsx";
import { address, go, VIEWS } from "./model/address.ts";
import { rows } from "./model/live_rows.ts";
import { actionsOn, jobToRead, rightsOf } from "./model/rights.ts";
import { rowOf } from "./model/order.ts";
import { select, selection } from "./model/selection.ts";
import { keptValue, useValue, Value } from "./model/value.ts";
import { Modal } from "./parts/modal.tsx";
import { Button } from "./parts/elements.tsx";

export const isHelpOpen = new Value(false);

/** A user who speaks to the machine sends letters that are not meant: they can be switched off. */
const usesLetters = keptValue("letters", (text) => text !== "false");

type Key = { keys: string; does: string; run: () => void };

const KEYS: readonly Key[] = [
  { keys: "/", does: "Search", run: () => document.querySelector("input")?.focus() },
  { keys: "j", does: "Next CronJob", run: () => move(1) },
  { keys: "k", does: "Previous CronJob", run: () => move(-1) },
  { keys: "Enter", does: "Open it", run: () => {} },
  { keys: "l", does: "Open its logs", run: () => openLogs() },
  { keys: "x", does: "Select it", run: () => tick() },
  { keys: "r", does: "Run it now", run: () => press("run") },
  { keys: "p", does: "Pause it, or resume it", run: () => press("pause", "resume") },
  ...VIEWS.map(([view, label], index) => ({
    keys: String(index + 1),
    does: label,
    run: () => go({ view, params: {} }),
  })),
  { keys: "?", does: "These keys", run: () => isHelpOpen.set(true) },
];

/** Listens for keys from now on. */
export function followKeys() {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (target.matches("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const key = KEYS.find(({ keys }) => keys === event.key);
    if (!key || key.keys === "Enter" || !usesLetters.current) return;
    event.preventDefault();
    key.run();
  });
}

/** Goes to another row: what has the focus is opened by Enter. */
function move(step: 1 | -1) {
  const all = Array.from(document.querySelectorAll("[data-row]"));
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? firstInView(all) : all[Math.min(all.length - 1, Math.max(0, at + step))];
  const link = next?.querySelector("a");
  link?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function firstInView(all: readonly Element[]) {
  return all.find((row) => row.getBoundingClientRect().top >= 0);
}

/** The row whose page is shown, or in which the focus is. */
function current() {
  const place = address.current;
  if (place.view === "cronjob") return rowOf(place.target, rows.current.values());
  const element = document.activeElement?.closest<HTMLElement>("[data-row]");
  return element ? rows.current.get(element.dataset.row ?? "") : undefined;
}

/** Where none has run yet, those of the first that does are on its page. */
function openLogs() {
  const row = current();
  if (!row) return;
  const job = jobToRead(row);
  location.hash = job === undefined ? pageOf(row) : logsOf(row, job);
}

function tick() {
  const row = current();
  if (row) select([row.id], !selection.current.has(row.id));
}

/** The first of these that may be done: what may not be done is not asked either. */
async function press(...actions: ActionName[]) {
  const row = current();
  if (!row) return;
  const may = actionsOn(row, await rightsOf(row.namespace));
  const action = actions.find((action) => may.includes(action));
  if (action) askTo(action, [row]);
}

export function KeysDialog() {
  const isOpen = useValue(isHelpOpen);
  const letters = useValue(usesLetters);
  return isOpen && (
    <Modal label="Keys" onClose={() => isHelpOpen.set(false)}>
      <dl class="keys">
        {KEYS.map(({ keys, does }) => (
          <div key={keys} class="line">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={letters} onChange={(event) => usesLetters.set(event.currentTarget.checked)} />
        {" "}
        Use these keys
      </label>
      <div class="choices">
        <Button class="primary" autofocus onClick={() => isHelpOpen.set(false)}>Close</Button>
      </div>
    </Modal>
  );
}
