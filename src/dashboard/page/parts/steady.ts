import { useEffect, useRef, useState } from "preact/hooks";
import type { Row } from "../../wire.ts";
import { rows as allRows } from "../model/live_rows.ts";
import { keptInPlace } from "../model/order.ts";

/** A visitor who is about to press a button does so within this time. */
const STEADY_MS = 5_000;

/**
 * Rows that stay where they are while the visitor works among them: nothing moves away under a pointer.
 *
 * @param chosen filter and order: rows move at once where the visitor changes them
 */
export function useSteady(
  rows: readonly Row[],
  chosen: string | undefined,
): { readonly steady: readonly Row[]; readonly onWork: () => void } {
  const [isHeld, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef<{ chosen: string | undefined; order: readonly string[] }>({ chosen, order: [] });
  useEffect(() => () => clearTimeout(timer.current), []);
  const isSame = last.current.chosen === chosen;
  const steady = isHeld && isSame ? keptInPlace(last.current.order, rows, allRows.current) : rows;
  last.current = { chosen, order: steady.map(({ id }) => id) };
  const onWork = () => {
    setHeld(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHeld(false), STEADY_MS);
  };
  return { steady, onWork };
}
