// @ts-check
/// <reference lib="dom" />
import { askTo } from "./actions/asked.js";
import { logsOf, pageOf } from "./actions/row_actions.js";
import { go, VIEWS } from "./model/address.js";
import { rows } from "./model/live_rows.js";
import { actionsOn, jobToRead, rightsOf } from "./model/rights.js";
import { select, selection } from "./model/selection.js";
import { Value } from "./model/value.js";

export const isHelpOpen = new Value(false);

/** A user who speaks to the machine sends letters that are not meant: they can be switched off. */
export const usesLetters = new Value(localStorage.getItem("letters") !== "off");

/** @typedef {{ keys: string, does: string, run: () => void }} Key */

/** @type {readonly Key[]} */
export const KEYS = [
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
    const target = /** @type {HTMLElement} */ (event.target);
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

/** Goes to another row: what has the focus is opened by Enter. @param {1 | -1} step */
function move(step) {
  const all = Array.from(document.querySelectorAll("[data-row]"));
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? firstInView(all) : all[Math.min(all.length - 1, Math.max(0, at + step))];
  const link = /** @type {HTMLElement | null | undefined} */ (next?.querySelector("a"));
  link?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

/** @param {readonly Element[]} all */
function firstInView(all) {
  return all.find((row) => row.getBoundingClientRect().top >= 0);
}

function current() {
  const element = /** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest("[data-row]"));
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

/** The first of these that may be done: what may not be done is not asked either. @param {...import("../wire.ts").ActionName} actions */
async function press(...actions) {
  const row = current();
  if (!row) return;
  const may = actionsOn(row, await rightsOf(row.namespace));
  const action = actions.find((action) => may.includes(action));
  if (action) askTo(action, [row]);
}
