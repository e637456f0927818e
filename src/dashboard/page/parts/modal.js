// @ts-check
/// <reference lib="dom" />
import { html, useLayoutEffect, useRef } from "../html.js";

/** Before all else, until it is closed. @param {{ label: string, onClose: () => void, children?: unknown }} props */
export function Modal({ label, onClose, children }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const before = /** @type {HTMLElement | null} */ (document.activeElement);
    ref.current?.showModal();
    // Whoever works by keyboard goes on where he was.
    return () => before?.focus({ preventScroll: true });
  }, []);
  return html`<dialog ref=${ref} aria-label=${label} onClose=${onClose}><h2>${label}</h2>${children}</dialog>`;
}
