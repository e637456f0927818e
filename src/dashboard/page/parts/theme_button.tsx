// @ts-check
import { html } from "../html.js";
import { useValue, Value } from "../model/value.js";

/** @typedef {"system" | "light" | "dark"} Theme */

/** What comes after what. @type {Readonly<Record<Theme, Theme>>} */
const NEXT = { system: "light", light: "dark", dark: "system" };

/** @type {Readonly<Record<Theme, string>>} */
const LABELS = { system: "as the system has it", light: "light", dark: "dark" };

/** @type {Value<Theme>} */
const theme = new Value(/** @type {Theme} */ (document.documentElement.dataset.theme ?? "system"));

/** @param {Theme} next */
function choose(next) {
  theme.set(next);
  if (next === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("theme");
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem("theme", next);
  }
}

export function ThemeButton() {
  const now = useValue(theme);
  const label = `Colours: ${LABELS[now]}`;
  return html`
    <button class="icon" title=${label} aria-label=${label} onClick=${() => choose(NEXT[now])}>
      <svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6" class="stroke" />${now !== "light" &&
        html`<path d=${now === "dark" ? "M8 2a6 6 0 110 12A6 6 0 018 2z" : "M8 2a6 6 0 010 12z"} />`}</svg>
    </button>
  `;
}
