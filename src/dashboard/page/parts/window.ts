import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** So many more are drawn above and below: what comes into view is there already. */
const MORE = 8;

/**
 * The drawn rows of many rows of one height: those in view. The height stands in the style sheet as `--row`, in rem,
 * as it depends on the width of the window.
 */
export function useWindow<T extends HTMLElement>(count: number) {
  const ref = useRef<T | null>(null);
  const [view, setView] = useState({ first: 0, last: 40, rowPx: 0 });
  useLayoutEffect(() => {
    const element = ref.current as HTMLElement;
    const measureRow = () => parseFloat(getComputedStyle(element).getPropertyValue("--row")) * rootPx();
    let rowPx = measureRow();
    const measure = () => {
      const above = -element.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(above / rowPx) - MORE);
      const last = Math.max(first, Math.ceil((above + innerHeight) / rowPx) + MORE);
      setView((before) =>
        before.first === first && before.last === last && before.rowPx === rowPx ? before : { first, last, rowPx }
      );
    };
    const resize = () => {
      rowPx = measureRow();
      measure();
    };
    measure();
    // Called once all is laid out: nothing has to be laid out for it.
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", resize);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", measure);
      removeEventListener("resize", resize);
    };
  }, []);
  const last = Math.min(count, view.last);
  const first = Math.min(view.first, last);
  return { ref, first, last, abovePx: first * view.rowPx, belowPx: (count - last) * view.rowPx };
}

function rootPx() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}
