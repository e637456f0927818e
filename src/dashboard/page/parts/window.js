// @ts-check
/// <reference lib="dom" />
import { useLayoutEffect, useRef, useState } from "../html.js";

/** So many more are drawn above and below: what comes into view is there already. */
const MORE = 8;

/**
 * Which of many rows of one height are to be drawn: those in view. The height stands in the style sheet as `--row`, in rem,
 * as it depends on the width of the window.
 *
 * @param {number} count
 */
export function useWindow(count) {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  const [view, setView] = useState({ first: 0, last: 40, rowPx: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const element = ref.current;
      if (!element) return;
      const rowPx = parseFloat(getComputedStyle(element).getPropertyValue("--row")) * rootPx();
      const above = -element.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(above / rowPx) - MORE);
      const last = Math.max(first, Math.ceil((above + innerHeight) / rowPx) + MORE);
      setView((before) =>
        before.first === first && before.last === last && before.rowPx === rowPx ? before : { first, last, rowPx }
      );
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [count]);
  const last = Math.min(count, view.last);
  const first = Math.min(view.first, last);
  return { ref, first, last, abovePx: first * view.rowPx, belowPx: (count - last) * view.rowPx };
}

function rootPx() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}
