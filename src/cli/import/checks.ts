import { ConfigError } from "../errors.ts";

/** The grammar of image references, as container runtimes read them: `[host[:port]/]path[:tag][@digest]`. */
const IMAGE = (() => {
  const label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
  const host = String.raw`(?:${label}(?:\.${label})*|\[[0-9A-Fa-f:]+\])(?::\d+)?`;
  const component = "[a-z0-9]+(?:(?:[.]|_|__|-+)[a-z0-9]+)*";
  const tag = String.raw`[\w][\w.-]{0,127}`;
  const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
  return new RegExp(`^(?:${host}/)?${component}(?:/${component})*(?::${tag})?(?:@${digest})?$`);
})();

/** Names begin with it, its dots as dashes. */
export function checkHost(host: string): void {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host)) return;
  throw new ConfigError(`--host must be the name of a machine such as web-1, current value is ${JSON.stringify(host)}`);
}

/** Neither an API server nor a manifest would complain: Pods would wait with InvalidImageName. */
export function checkImage(image: string): void {
  if (IMAGE.test(image)) return;
  throw new ConfigError(
    `--image must be a reference such as registry.example/team/tools:1, current value is ${JSON.stringify(image)}`,
  );
}
