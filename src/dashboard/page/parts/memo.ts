// @ts-check
/// <reference lib="dom" />
import htm from "./vendor/htm.js";
// @ts-types="preact"
import { h } from "./vendor/preact.js";

// @ts-types="preact"
export { render } from "./vendor/preact.js";
// @ts-types="preact/hooks"
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";

/**
 * Elements as one writes HTML. What is put in with `${…}` is text, never markup.
 *
 * @type {(strings: TemplateStringsArray, ...values: unknown[]) => import("preact").VNode}
 */
export const html = htm.bind(h);

/**
 * Draws a component again only when it is given something else, however often what is around it is drawn.
 *
 * @template {object} Props
 * @param {(props: Props) => unknown} component
 */
export function memo(component) {
  /** @this {import("preact").Component<Props>} @param {Props} props */
  function Memo(props) {
    this.shouldComponentUpdate = (/** @type {Readonly<Props>} */ next) => !isSame(this.props, next);
    return h(/** @type {import("preact").FunctionComponent<Props>} */ (component), props);
  }
  return Memo;
}

/** @param {object} before @param {object} now */
function isSame(before, now) {
  const [old, fresh] = [new Map(Object.entries(before)), Object.entries(now)];
  return old.size === fresh.length && fresh.every(([key, value]) => old.has(key) && Object.is(old.get(key), value));
}
