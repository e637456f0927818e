import type { Target } from "../../wire.ts";
import { Value } from "./value.ts";

/** The view of the page, by the fragment of its address: a list, or one CronJob. */
export type Address =
  | { view: (typeof VIEWS)[number][0]; params: Readonly<Record<string, string>> }
  | { view: "cronjob"; target: Target; params: Readonly<Record<string, string>> };

export const VIEWS = [["attention", "Attention"], ["timeline", "Timeline"], ["all", "All"], ["load", "Load"]] as const;

export function addressOf(fragment: string): Address {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const params = Object.fromEntries(new URLSearchParams(query));
  const [view = "", ...parts] = decoded(path).split("/");
  if (view === "cronjob" && parts.length >= 3) {
    const [namespace = "", name = ""] = parts.slice(-2);
    return { view, target: { apiVersion: parts.slice(0, -2).join("/"), namespace, name }, params };
  }
  const known = VIEWS.find(([name]) => name === view);
  return { view: known ? known[0] : "attention", params };
}

export function fragmentOf(address: Address): string {
  const params = Object.entries(address.params).filter(([, value]) => value !== "");
  const query = params.length === 0 ? "" : `?${new URLSearchParams(params)}`;
  if (address.view !== "cronjob") return `#/${address.view}${query}`;
  const { apiVersion, namespace, name } = address.target;
  return `#/cronjob/${apiVersion}/${namespace}/${name}${query}`;
}

function decoded(path: string) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const address: Value<Address> = new Value(addressOf(""));

/** Follows the browser's address from now on. */
export function followAddress() {
  const read = () => address.set(addressOf(location.hash));
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  read();
}

/** At once, so that what is typed next finds it. */
export function go(next: Address) {
  endSearch();
  history.pushState(null, "", fragmentOf(next));
  address.set(next);
}

/** Changes what the view shows, without a new entry in the browser's history. */
export function setParams(params: Readonly<Record<string, string>>) {
  address.set({ ...address.current, params: { ...address.current.params, ...params } });
  write();
}

let writing: ReturnType<typeof setTimeout> | undefined;

/** Takes the typed text: the browser's address follows later, as that takes long. */
export function search(q: string) {
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
