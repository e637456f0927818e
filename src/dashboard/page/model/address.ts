// @ts-check
/// <reference lib="dom" />
import { Value } from "./value.js";

/** @typedef {"attention" | "timeline" | "all" | "load"} ListView */
/**
 * What the page shows, as the fragment of its address says: a list, or one CronJob.
 *
 * @typedef {{ view: ListView, params: Readonly<Record<string, string>> }
 *   | { view: "cronjob", target: import("../../wire.ts").Target, params: Readonly<Record<string, string>> }} Address
 */

/** @type {readonly (readonly [ListView, string])[]} */
export const VIEWS = [["attention", "Attention"], ["timeline", "Timeline"], ["all", "All"], ["load", "Load"]];

/** @param {string} fragment @returns {Address} */
export function addressOf(fragment) {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const params = Object.fromEntries(new URLSearchParams(query));
  const [view = "", ...rest] = path.split("/");
  if (view === "cronjob" && rest.length === 3) {
    const [apiVersion = "", namespace = "", name = ""] = rest.map(decoded);
    return { view, target: { apiVersion, namespace, name }, params };
  }
  const known = VIEWS.find(([name]) => name === view);
  return { view: known ? known[0] : "attention", params };
}

/** @param {Address} address @returns {string} */
export function fragmentOf(address) {
  const params = Object.entries(address.params).filter(([, value]) => value !== "");
  const query = params.length === 0 ? "" : `?${new URLSearchParams(params)}`;
  if (address.view !== "cronjob") return `#/${address.view}${query}`;
  const { apiVersion, namespace, name } = address.target;
  return `#/cronjob/${[apiVersion, namespace, name].map(encodeURIComponent).join("/")}${query}`;
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @type {Value<Address>} */
export const address = new Value(addressOf(""));

/** Follows the browser's address from now on. */
export function followAddress() {
  const read = () => address.set(addressOf(location.hash));
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  read();
}

/** At once, so that what is typed next finds it. @param {Address} next */
export function go(next) {
  endSearch();
  history.pushState(null, "", fragmentOf(next));
  address.set(next);
}

/** Changes what the view shows, without a new entry in the browser's history. @param {Readonly<Record<string, string>>} params */
export function setParams(params) {
  address.set({ ...address.current, params: { ...address.current.params, ...params } });
  write();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let writing;

/** What is typed: the browser's address follows later, as that takes long. @param {string} q */
export function search(q) {
  address.set({ ...address.current, params: { ...address.current.params, q } });
  clearTimeout(writing);
  writing = setTimeout(write, 150);
}

/** Before anything else is shown: the way back leads to what was typed. */
export function endSearch() {
  if (writing) write();
}

function write() {
  clearTimeout(writing);
  writing = undefined;
  history.replaceState(null, "", fragmentOf(address.current));
}
