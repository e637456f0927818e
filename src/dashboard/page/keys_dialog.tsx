// @ts-check
import { Modal } from "./parts/modal.js";
import { html } from "./html.js";
import { isHelpOpen, KEYS, usesLetters } from "./keys.js";
import { useValue } from "./model/value.js";

export function KeysDialog() {
  const isOpen = useValue(isHelpOpen);
  const letters = useValue(usesLetters);
  const change = (/** @type {Event} */ event) => {
    const { checked } = /** @type {HTMLInputElement} */ (event.target);
    usesLetters.set(checked);
    localStorage.setItem("letters", checked ? "on" : "off");
  };
  return isOpen && html`
    <${Modal} label="Keys" onClose=${() => isHelpOpen.set(false)}>
      <dl class="keys">
        ${KEYS.map(({ keys, does }) =>
          html`
            <div key=${keys}>
              <dt><kbd>${keys}</kbd></dt>
              <dd>${does}</dd>
            </div>
          `
        )}
      </dl>
      <label class="check"><input type="checkbox" checked=${letters} onChange=${change} /> Use these keys</label>
      <div class="choices"><button class="primary" autofocus onClick=${() => isHelpOpen.set(false)}>Close</button></div>
      </${Modal}>
  `;
}
