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

/** A key for each row in view, by its id. */
export function useSlots(shown: readonly { readonly id: string }[]) {
  const slots = useRef<ReadonlyMap<string, number>>(new Map());
  const focused = document.activeElement?.closest<HTMLElement>("[data-row]");
  return slots.current = slotsOf(slots.current, shown.map(({ id }) => id), focused?.dataset.row);
}

/**
 * The places of rows in view, each with the elements that show it: a row that stays keeps its place, and one that is new
 * takes that of a row that has gone, as elements are drawn anew sooner than made anew.
 * @param before by id @param ids in view now @param focused the id in whose row the focus is: it leads to no other row
 */
export function slotsOf(
  before: ReadonlyMap<string, number>,
  ids: readonly string[],
  focused: string | undefined,
): Map<string, number> {
  const now = new Set(ids);
  const free = [...before].filter(([id]) => !now.has(id) && id !== focused).map(([, slot]) => slot);
  let unused = Math.max(-1, ...before.values());
  let taken = 0;
  return new Map(ids.map((id) => [id, before.get(id) ?? free[taken++] ?? ++unused]));
}

function rootPx() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize);
}
