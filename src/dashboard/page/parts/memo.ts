import { type Component, type ComponentType, type FunctionComponent, h } from "preact";

/** Draws a component again only when a prop changes, however often its parent is drawn. */
export function memo<Props extends object>(component: FunctionComponent<Props>): ComponentType<Props> {
  function Memo(this: Component<Props>, props: Props) {
    this.shouldComponentUpdate = (next) => !isSame(this.props, next);
    return h(component, props);
  }
  return Memo as unknown as FunctionComponent<Props>;
}

function isSame(before: object, now: object): boolean {
  const [old, fresh] = [new Map(Object.entries(before)), Object.entries(now)];
  return old.size === fresh.length && fresh.every(([key, value]) => old.has(key) && Object.is(old.get(key), value));
}
