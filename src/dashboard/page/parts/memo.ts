import { type FunctionComponent, h } from "preact";
import { useMemo } from "preact/hooks";

/** Draws a component again only when a prop changes, however often its parent is drawn. */
export function memo<Props extends object>(component: FunctionComponent<Props>): FunctionComponent<Props> {
  return (props) => useMemo(() => h(component, props), Object.entries(props).flat());
}
