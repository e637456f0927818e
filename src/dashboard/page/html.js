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
