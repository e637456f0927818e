import type { Row } from "../../wire.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { rows as allRows } from "../model/live_rows.ts";
import { keptInPlace } from "../model/order.ts";

/** A visitor who is about to press a button does so within this time. */
const STEADY_MS = 5_000;

/**
 * Rows that stay where they are while the visitor works among them: nothing moves away under a pointer.
 * @returns `onWork` reports that
 */
export function useSteady(rows: readonly Row[]): { steady: readonly Row[]; onWork: () => void } {
  const [isHeld, setHeld] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const order = useRef<readonly string[]>([]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const steady = isHeld ? keptInPlace(order.current, rows, allRows.current) : rows;
  order.current = steady.map(({ id }) => id);
  const onWork = () => {
    setHeld(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setHeld(false), STEADY_MS);
  };
  return { steady, onWork };
}
