// @ts-check
/** @import { Row } from "../../wire.ts" */
import { useEffect, useRef, useState } from "../html.js";
import { rows as allRows } from "../model/live_rows.js";
import { keptInPlace } from "../model/order.js";

/** A visitor who is about to press a button does so within this time. */
const STEADY_MS = 5_000;

/**
 * Rows that stay where they are while the visitor works among them: nothing moves away under a pointer.
 *
 * @param {readonly Row[]} rows
 * @returns {{ steady: readonly Row[], onWork: () => void }} `onWork` reports that
 */
export function useSteady(rows) {
  const [isHeld, setHeld] = useState(false);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const order = useRef(/** @type {readonly string[]} */ ([]));
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
